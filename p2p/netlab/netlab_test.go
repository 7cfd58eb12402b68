package netlab

import (
	"os/exec"
	"strings"
	"testing"
)

func TestHostsHaveTheirAddresses(t *testing.T) {
	l := New(t, Plan{Hosts: 2, IPv4: true, IPv6: true})
	for i := 1; i <= 2; i++ {
		out, err := l.Command(t.Context(), i, "ip", "-br", "addr").Output()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{IPv4(i).String(), IPv6(i).String(), "fe80::", "127.0.0.1"} {
			if !strings.Contains(string(out), want) {
				t.Errorf("host %d lacks %s:\n%s", i, want, out)
			}
		}
	}
}

func TestCutTakesTheCarrier(t *testing.T) {
	l := New(t, Plan{Hosts: 1, IPv4: true})
	carrier := func() string {
		out, err := l.Command(t.Context(), 1, "cat", "/sys/class/net/"+Device+"/carrier").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := carrier(); got != "1" {
		t.Fatalf("carrier %q before", got)
	}
	l.Cut(1)
	if got := carrier(); got != "0" {
		t.Errorf("carrier %q when cut", got)
	}
	l.Mend(1)
	if got := carrier(); got != "1" {
		t.Errorf("carrier %q when mended", got)
	}
}

func TestMoveKeepsTheNewAddressAlone(t *testing.T) {
	l := New(t, Plan{Hosts: 1, IPv4: true})
	l.Move(1, IPv4(1), IPv4(101))
	out, err := l.Command(t.Context(), 1, "ip", "-4", "-br", "addr", "show", "dev", Device).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Fields(string(out)); len(got) != 3 || got[2] != IPv4(101).String()+"/24" {
		t.Errorf("the host has %s", out)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	var names []string
	t.Run("lab", func(t *testing.T) {
		l := New(t, Plan{Hosts: 2, Cable: true, LinkLocal: true})
		names = append(names, l.Namespace(1), l.Namespace(2), l.hub())
	})
	out, err := exec.Command("ip", "netns", "list").Output()
	if err != nil {
		t.Skip("no ip command")
	}
	for _, name := range names {
		if strings.Contains(string(out), name) {
			t.Errorf("%s still exists", name)
		}
	}
}

func TestSituationsCanBeSetUp(t *testing.T) {
	l := New(t, Plan{Hosts: 3, IPv4: true, IPv6: true, Unplugged: true})
	for i := 1; i <= 3; i++ {
		l.Plug(i)
	}
	l.Docker(1)
	l.VPN(2, false)
	l.VPN(3, true)
	l.DropMulticast()
	l.Isolate()
	l.Firewall(1)
	l.Loss(2, 30)
	l.Block(3, "udp dport != 5353")
}
