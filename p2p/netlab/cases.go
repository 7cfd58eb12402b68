package netlab

// Case is a kind of network that people play on.
type Case struct {
	Name  string
	Plan  Plan
	Hosts []int      // where the players are
	SetUp func(*Lab) // on top of the plan; nil is nothing
}

// Cases are the networks on which everybody has to find everybody.
func Cases() []Case {
	four := Plan{Hosts: 4, IPv4: true, IPv6: true}
	noRoute := four
	noRoute.NoRoute = true
	cases := []Case{
		{Name: "base", Plan: four},
		{Name: "v4only", Plan: Plan{Hosts: 4, IPv4: true}},
		{Name: "v6ula", Plan: Plan{Hosts: 4, IPv6: true}},
		{Name: "v6ll", Plan: Plan{Hosts: 4, LinkLocal: true}},
		{Name: "noroute", Plan: noRoute},
		{Name: "cable", Plan: Plan{Hosts: 4, Cable: true, LinkLocal: true}},
		{Name: "docker", Plan: four, SetUp: func(l *Lab) { l.Docker(1) }},
		{Name: "docker-same", Plan: four, SetUp: func(l *Lab) { l.Docker(1); l.Docker(2) }},
		{Name: "vpn", Plan: four, SetUp: func(l *Lab) { l.VPN(1, false) }},
		{Name: "vpn-half", Plan: four, SetUp: func(l *Lab) { l.VPN(1, true) }},
		{Name: "loopback", Plan: Plan{Hosts: 1, Unplugged: true}, Hosts: []int{1, 1, 1, 1}},
		{Name: "one-computer", Plan: four, Hosts: []int{1, 1, 1, 1}},
		{Name: "twelve-v4", Plan: Plan{Hosts: 12, IPv4: true}},
		{Name: "twelve-v6", Plan: Plan{Hosts: 12, IPv6: true}},
		{Name: "fw-one", Plan: four, SetUp: func(l *Lab) { l.Firewall(1) }},
		{Name: "fw-all", Plan: four, SetUp: OnAll((*Lab).Firewall)},
		{Name: "loss30", Plan: four, SetUp: OnAll(func(l *Lab, i int) { l.Loss(i, 30) })},
	}
	for i, c := range cases {
		if c.Hosts == nil {
			cases[i].Hosts = EveryHost(c.Plan)
		}
	}
	return cases
}

// EveryHost lists the hosts of a plan.
func EveryHost(p Plan) []int {
	hosts := make([]int, p.Hosts)
	for i := range hosts {
		hosts[i] = i + 1
	}
	return hosts
}

// OnAll does something to every host.
func OnAll(f func(*Lab, int)) func(*Lab) {
	return func(l *Lab) {
		for i := 1; i <= l.Hosts(); i++ {
			f(l, i)
		}
	}
}
