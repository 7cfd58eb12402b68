package sigma

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"alibi/crypto/group"
)

// challengeOf is what a verifier computes for a statement and commitments.
func challengeOf(ctx []byte, s spec, commitments []*group.Element) string {
	t, _ := s.claim().begin(ctx)
	return string(challenge(t, commitments).Bytes())
}

// Fiat-Shamir coverage: whichever public input is changed, the challenge
// itself changes, and no two changes give one challenge.
func TestChallengeCoversEveryPublicInput(t *testing.T) {
	s, w := sample(t)
	commitments := mustProve(t, s.claim(), w).commitments
	seen := map[string]string{challengeOf(here, s, commitments): "the original"}
	note := func(name, got string) {
		t.Helper()
		if other, ok := seen[got]; ok {
			t.Errorf("%s has the challenge of %s", name, other)
		}
		seen[got] = name
	}
	change := func(name string, f func(*spec)) {
		t.Helper()
		note(name, challengeOf(here, s.with(f), commitments))
	}

	note("context", challengeOf(append(slices.Clone(here), 0), s, commitments))
	note("no context", challengeOf(nil, s, commitments))
	change("label", func(s *spec) { s.label = "simple" })
	for n := range s.size() {
		change(fmt.Sprintf("image %d", n), func(s *spec) {
			eq := s.equation(n)
			eq.image = eq.image.Add(group.Base())
		})
		for k := range s.equation(n).terms {
			change(fmt.Sprintf("base %d.%d", n, k), func(s *spec) {
				term := &s.equation(n).terms[k]
				term.base = term.base.Add(group.Base())
			})
			change(fmt.Sprintf("sign %d.%d", n, k), func(s *spec) {
				term := &s.equation(n).terms[k]
				term.negative = !term.negative
			})
			if n < 4 { // the relation with three secrets
				change(fmt.Sprintf("secret %d.%d", n, k), func(s *spec) {
					term := &s.equation(n).terms[k]
					term.secret = (term.secret + 1) % 3
				})
			}
		}
		change(fmt.Sprintf("term more in %d", n), func(s *spec) {
			eq := s.equation(n)
			eq.terms = append(eq.terms, eq.terms[0])
		})
		note(fmt.Sprintf("commitment %d", n), func() string {
			cs := slices.Clone(commitments)
			cs[n] = cs[n].Add(group.Base())
			return challengeOf(here, s, cs)
		}())
	}
	change("number of secrets", func(s *spec) { s.clauses[0][0].secrets++ })
	change("order of equations", func(s *spec) {
		eqs := s.clauses[0][0].equations
		eqs[0], eqs[1] = eqs[1], eqs[0]
	})
	change("order of terms", func(s *spec) {
		terms := s.equation(3).terms
		terms[0], terms[1] = terms[1], terms[0]
	})
	change("order of branches", func(s *spec) { s.clauses[1][0], s.clauses[1][1] = s.clauses[1][1], s.clauses[1][0] })
	change("order of clauses", func(s *spec) { s.clauses[0], s.clauses[1] = s.clauses[1], s.clauses[0] })
	change("equation less", func(s *spec) { s.clauses[0][0].equations = s.clauses[0][0].equations[:3] })
	change("branch less", func(s *spec) { s.clauses[1] = s.clauses[1][:2] })
	change("clause less", func(s *spec) { s.clauses = s.clauses[:1] })
	change("or for and", func(s *spec) {
		s.clauses = [][]relationSpec{append(slices.Clone(s.clauses[0]), s.clauses[1]...)}
	})
	change("and for or", func(s *spec) {
		s.clauses = [][]relationSpec{s.clauses[0], s.clauses[1][:1], s.clauses[1][1:]}
	})
	change("branch in the other clause", func(s *spec) {
		s.clauses = [][]relationSpec{{s.clauses[0][0], s.clauses[1][0]}, s.clauses[1][1:]}
	})
	change("one relation for two", func(s *spec) {
		first := &s.clauses[1][0]
		first.equations = append(first.equations, s.clauses[1][1].equations...)
		s.clauses[1] = []relationSpec{*first, s.clauses[1][2]}
	})
	note("commitment less", challengeOf(here, s, commitments[1:]))
	note("commitments swapped", func() string {
		cs := slices.Clone(commitments)
		cs[0], cs[1] = cs[1], cs[0]
		return challengeOf(here, s, cs)
	}())
}

// The digest of a check fixes the weights of its batch, so it has to cover
// every value of the proof, and the statement.
func TestDigestCoversStatementAndProof(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	good := mustProve(t, c, w)
	seen := map[[32]byte]string{mustCheck(t, c, good).Digest: "the original"}
	note := func(name string, c *Claim, p *Proof) {
		d := mustCheck(t, c, p).Digest
		if other, ok := seen[d]; ok {
			t.Errorf("%s has the digest of %s", name, other)
		}
		seen[d] = name
	}
	one := group.ScalarFromUint64(1)
	for i := range good.commitments {
		p := &Proof{slices.Clone(good.commitments), good.challenges, good.responses}
		p.commitments[i] = p.commitments[i].Add(group.Base())
		note(fmt.Sprintf("commitment %d", i), c, p)
	}
	for i := range good.challenges {
		p := &Proof{good.commitments, slices.Clone(good.challenges), good.responses}
		p.challenges[i] = p.challenges[i].Add(one)
		note(fmt.Sprintf("challenge %d", i), c, p)
	}
	for i := range good.responses {
		p := &Proof{good.commitments, good.challenges, slices.Clone(good.responses)}
		p.responses[i] = p.responses[i].Add(one)
		note(fmt.Sprintf("response %d", i), c, p)
	}
	note("label", s.with(func(s *spec) { s.label = "other" }).claim(), good)
	note("image", s.with(func(s *spec) { s.equation(3).image = group.Base() }).claim(), good)
}

// Linear solve: keep an honest proof, choose all images but one freely and
// solve for the last, so that the sum a batch would have computed for the
// honest proof is the identity again. And, stronger, solve every single image
// for the old challenge. Known libraries accept the like, for want of hashing
// the whole statement.
func TestLinearSolveForgery(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	p := mustProve(t, c, w)
	honest := mustCheck(t, c, p)

	t.Run("images for the old weights", func(t *testing.T) {
		var batch Batch
		batch.Add(honest)
		weights := batch.weights()
		forged := s.clone()
		sum := group.Identity() // of weight · challenge · change of image
		for n, l := range honest.Equations {
			factor := nextWeight(weights).Mul(l.Scalars[1]) // 1 is the image's place
			eq := forged.equation(n)
			if n < len(honest.Equations)-1 {
				eq.image = eq.image.Add(group.BaseMul(group.ScalarFromUint64(uint64(n + 1))))
				sum = sum.Add(group.BaseMul(factor.Mul(group.ScalarFromUint64(uint64(n + 1)))))
			} else {
				eq.image = eq.image.Sub(sum.Mul(factor.Invert()))
			}
		}
		refused(t, forged.claim(), p)
	})
	t.Run("images for the old challenge", func(t *testing.T) {
		forged := s.clone()
		responses := slices.Clone(p.responses)
		responses[0] = responses[0].Add(group.ScalarFromUint64(1))
		for _, n := range []int{0, 1} { // the equations of that secret
			eq, l := forged.equation(n), honest.Equations[n]
			eq.image = eq.terms[0].base.Mul(responses[0]).Sub(l.Elements[0]).Mul(l.Scalars[1].Invert())
		}
		refused(t, forged.claim(), &Proof{p.commitments, p.challenges, responses})
	})
	t.Run("commitments for the old challenge", func(t *testing.T) {
		cs := slices.Clone(p.commitments)
		responses := slices.Clone(p.responses)
		responses[0] = responses[0].Add(group.ScalarFromUint64(1))
		for _, n := range []int{0, 1} {
			cs[n] = cs[n].Add(s.equation(n).terms[0].base)
		}
		refused(t, c, &Proof{cs, p.challenges, responses})
	})
	t.Run("base for the old challenge", func(t *testing.T) {
		// another secret, and the base for which it is the right one
		forged := s.clone()
		responses := slices.Clone(p.responses)
		responses[0] = responses[0].Add(group.ScalarFromUint64(1))
		for _, n := range []int{0, 1} {
			eq, l := forged.equation(n), honest.Equations[n]
			eq.terms[0].base = l.Elements[0].Add(eq.image.Mul(l.Scalars[1])).Mul(responses[0].Invert())
		}
		refused(t, forged.claim(), &Proof{p.commitments, p.challenges, responses})
	})
}

func refused(t *testing.T, c *Claim, p *Proof) {
	t.Helper()
	if len(broken(mustCheck(t, c, p))) == 0 {
		t.Error("the forgery is accepted")
	}
}

// For every equation: a proof by a prover who does everything right, of a
// statement where only that equation is false. All others hold, so it is this
// one that refuses. In the OR the branch in question is the one pretended to
// be known, the others being simulated and thus fine.
func TestForgeryAgainstEachEquation(t *testing.T) {
	s, w := sample(t)
	for n := range s.size() {
		branch := max(0, (n-4)/2)
		forged := s.with(func(s *spec) {
			s.clauses[1][branch].equations = slices.Clone(s.clauses[1][1].equations)
			eq := s.equation(n)
			eq.image = eq.image.Add(group.Base())
		})
		c := forged.claim()
		p := forge(c, []Known{w[0], {branch, w[1].Secrets}})
		if got := broken(mustCheck(t, c, p)); !slices.Equal(got, []int{n}) {
			t.Errorf("image %d is false, equations %v fail", n, got)
		}
		if err := Verify(here, c, p); !errors.Is(err, ErrRefused) {
			t.Errorf("image %d is false: %v", n, err)
		}
	}
}

// An OR of which no branch holds: whichever branch the forger pretends to
// know, its equations fail, and no others.
func TestOrWithoutATrueBranch(t *testing.T) {
	s, w := sample(t)
	s.clauses[1][1].equations[1].image = randomElement(t)
	c := s.claim()
	for branch := range 3 {
		p := forge(c, []Known{w[0], {branch, w[1].Secrets}})
		if got := broken(mustCheck(t, c, p)); !slices.Equal(got, []int{5 + 2*branch}) {
			t.Errorf("pretending branch %d, equations %v fail", branch, got)
		}
	}
}

// simulated returns challenge, responses and commitments of a branch nobody
// knows a witness of.
func simulated(tb testing.TB, r *Relation) (*group.Scalar, []*group.Scalar, []*group.Element) {
	b := branch{rel: r, challenge: randomScalar(tb)}
	for range r.secrets {
		b.starts = append(b.starts, randomScalar(tb))
	}
	return b.challenge, b.starts, b.commitments()
}

// All branches simulated: each is fine for a challenge of its own, but the
// challenges do not add up to the transcript's, so the last one fails, for
// which the verifier takes what is left.
func TestOrWithChallengesOfAWrongSum(t *testing.T) {
	s, _ := sample(t)
	s.clauses = s.clauses[1:]
	s.clauses[0][1].equations[1].image = randomElement(t)
	c := s.claim()
	p := new(Proof)
	for j, r := range c.clauses[0] {
		e, z, commitments := simulated(t, r)
		if j < 2 {
			p.challenges = append(p.challenges, e)
		}
		p.responses = append(p.responses, z...)
		p.commitments = append(p.commitments, commitments...)
	}
	if got := broken(mustCheck(t, c, p)); !slices.Equal(got, []int{4, 5}) {
		t.Errorf("equations %v fail, want those of the last branch", got)
	}
}

// A plain clause is not an OR of one: its challenge is the transcript's, not
// one the prover may choose.
func TestPlainClauseSimulated(t *testing.T) {
	s, w := sample(t)
	s.equation(0).image = randomElement(t)
	c := s.claim()
	p := forge(c, w)
	_, z, commitments := simulated(t, c.clauses[0][0])
	copy(p.responses, z)
	copy(p.commitments, commitments)
	refused(t, c, p)
}

// A clause of one proof may not be put into another, though each is right.
func TestClausesOfTwoProofsDoNotMix(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	p, q := mustProve(t, c, w), mustProve(t, c, w)
	refused(t, c, &Proof{
		append(slices.Clone(p.commitments[:4]), q.commitments[4:]...),
		q.challenges,
		append(slices.Clone(p.responses[:3]), q.responses[3:]...),
	})
}

func TestProofIsBoundToContextAndLabel(t *testing.T) {
	s, w := sample(t)
	c := s.claim()
	p := mustProve(t, c, w)
	for _, ctx := range [][]byte{nil, here[1:], append(slices.Clone(here), 0), []byte("game 1, round 2, seat 4")} {
		if err := Verify(ctx, c, p); !errors.Is(err, ErrRefused) {
			t.Errorf("context %q: %v", ctx, err)
		}
	}
	other := s.with(func(s *spec) { s.label = "simple" }).claim()
	if err := Verify(here, other, p); !errors.Is(err, ErrRefused) {
		t.Errorf("another label: %v", err)
	}
	if err := Verify(here, c, p); err != nil {
		t.Errorf("its own context: %v", err)
	}
}

// stuck is a source of randomness that repeats itself.
func stuck() *bytes.Reader { return bytes.NewReader(make([]byte, hedgeSize)) }

// A source that repeats itself must not make two proofs share nonces: from two
// challenges for one commitment the secret follows.
func TestStuckRandomnessGivesFreshNonces(t *testing.T) {
	s, w := sample(t)
	x := w[0].Secrets[0]
	commitments := map[string]string{}
	note := func(name string, ctx []byte, s spec, w []Known) *Proof {
		t.Helper()
		p, err := Prove(ctx, s.claim(), w, stuck())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i, e := range p.commitments {
			enc := string(e.Bytes())
			if other, ok := commitments[enc]; ok {
				t.Errorf("commitment %d of %s is one of %s", i, name, other)
			}
			commitments[enc] = name
		}
		return p
	}
	p := note("the first", here, s, w)
	q := note("another context", []byte("elsewhere"), s, w)
	note("another label", here, s.with(func(s *spec) { s.label = "simple" }), w)
	note("another statement", here, s.with(func(s *spec) {
		s.clauses[1][0].equations[0].image = randomElement(t)
	}), w)
	both := s.with(func(s *spec) { s.clauses[1][0] = s.clauses[1][1] })
	note("the first branch", here, both, []Known{w[0], {0, w[1].Secrets}})
	note("the second branch", here, both, []Known{w[0], {1, w[1].Secrets}})

	// the attack itself: x = (z - z') / (c - c')
	k, l := mustCheck(t, s.claim(), p), mustCheck(t, s.claim(), q)
	c, d := k.Equations[0].Scalars[1], l.Equations[0].Scalars[1]
	if p.responses[0].Sub(q.responses[0]).Mul(c.Sub(d).Invert()).Equal(x) {
		t.Error("the secret follows from two proofs")
	}
}

// Two witnesses of one statement, one source: other nonces still.
func TestNoncesDependOnTheWitness(t *testing.T) {
	g, a := group.Base(), randomScalar(t)
	r := NewRelation()
	left, right := r.Secret(), r.Secret()
	r.Equation(group.BaseMul(a), left.Times(g), right.Times(g))
	c := NewClaim("x").Clause(r)
	one := group.ScalarFromUint64(1)
	p := forge(c, []Known{{0, []*group.Scalar{a, new(group.Scalar)}}})
	q := forge(c, []Known{{0, []*group.Scalar{a.Sub(one), one}}})
	if p.commitments[0].Equal(q.commitments[0]) {
		t.Error("one commitment for two witnesses")
	}
}

// The randomness counts: two proofs of one statement are not alike.
func TestNoncesDependOnTheRandomness(t *testing.T) {
	s, w := sample(t)
	p, q := mustProve(t, s.claim(), w), mustProve(t, s.claim(), w)
	for i := range p.commitments {
		if p.commitments[i].Equal(q.commitments[i]) {
			t.Errorf("commitment %d is the same twice", i)
		}
	}
}
