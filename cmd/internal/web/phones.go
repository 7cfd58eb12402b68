package web

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Bounds of a code. Eight letters are 40 bits: five tries at them are nothing, and
// whoever spends the five has only made another code necessary.
const (
	codeLetters = 8
	codeTries   = 5
	codeLife    = 5 * time.Minute
)

// Phone is what a player's own pages show of the way in for a phone.
type Phone struct {
	At    []netip.AddrPort // of the pages on the local network, the likeliest first
	Code  string           // "" when there is none; see Fate
	Until time.Time        // the code opens before this
	Fate  CodeFate
	In    int // phones that were let in
}

// CodeFate is what became of the last code.
type CodeFate int

// A code opens until one phone has used it, its time is over, or somebody guessed
// at it too often.
const (
	CodeOpen CodeFate = iota
	CodeUsed
	CodeOld
	CodeTried
)

// phones is the way in for phones: a code, good for one of them, and those that
// have come in by earlier codes.
type phones struct {
	app *App
	at  []netip.AddrPort

	mu      sync.Mutex
	code    string
	until   time.Time
	tries   int
	fate    CodeFate
	changed chan struct{}     // closed when the next code is there
	inside  map[string]*phone // by what their cookies hold
}

// phone is one that was let in. Its context ends when it is sent away.
type phone struct {
	ctx  context.Context
	stop context.CancelFunc
}

func newPhones(app *App, at []netip.AddrPort) *phones {
	p := &phones{app: app, at: at, changed: make(chan struct{}), inside: map[string]*phone{}}
	p.renew()
	return p
}

// renew makes a code in place of the last.
func (p *phones) renew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.code, p.until = rand.Text()[:codeLetters], time.Now().Add(codeLife)
	p.tries, p.fate = codeTries, CodeOpen
	close(p.changed)
	p.changed = make(chan struct{})
	p.publish()
}

// close ends the code.
func (p *phones) close(fate CodeFate) {
	p.code, p.fate = "", fate
	p.publish()
}

// publish shows on the player's own pages how things stand.
func (p *phones) publish() {
	shown := &Phone{At: p.at, Code: p.code, Until: p.until, Fate: p.fate, In: len(p.inside)}
	p.app.show(func(s *Scene) { s.Phone = shown })
}

// run lets codes grow old until ctx ends.
func (p *phones) run(ctx context.Context) {
	for {
		p.mu.Lock()
		changed, over := p.changed, time.NewTimer(time.Until(p.until))
		p.mu.Unlock()
		select {
		case <-over.C:
			p.expire()
			select { // nothing grows old before there is another
			case <-changed:
			case <-ctx.Done():
				return
			}
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

func (p *phones) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.code != "" && !time.Now().Before(p.until) {
		p.close(CodeOld)
	}
}

// enter takes a code for what the phone's cookie is to hold.
func (p *phones) enter(code string) (pass string, ok bool) {
	p.expire()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.code == "" {
		return "", false
	}
	if subtle.ConstantTimeCompare([]byte(typedCode(code)), []byte(p.code)) != 1 {
		if p.tries--; p.tries == 0 {
			p.close(CodeTried)
		}
		return "", false
	}
	ctx, stop := context.WithCancel(context.Background())
	pass = rand.Text()
	p.inside[pass] = &phone{ctx, stop}
	p.close(CodeUsed)
	return pass, true
}

// find is the phone whose cookie holds pass.
func (p *phones) find(pass string) (*phone, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for known, in := range p.inside {
		if subtle.ConstantTimeCompare([]byte(known), []byte(pass)) == 1 {
			return in, true
		}
	}
	return nil, false
}

// away sends all phones away, in the middle of what they show.
func (p *phones) away() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pass, in := range p.inside {
		in.stop()
		delete(p.inside, pass)
	}
	p.publish()
}

// typedCode reads a code as people type it. Its letters are those of base32, which
// has neither 0 nor 1, so that those can only mean what looks like them.
func typedCode(code string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '0':
			return 'O'
		case r == '1':
			return 'I'
		case 'A' <= r && r <= 'Z' || '2' <= r && r <= '7':
			return r
		}
		return -1
	}, strings.ToUpper(code))
}

// Spelled is the code as it is read out: in two halves.
func (p Phone) Spelled() string { return p.Code[:codeLetters/2] + "-" + p.Code[codeLetters/2:] }

// Address is what a person types into a phone.
func (p Phone) Address() string { return "http://" + p.At[0].String() }
