package netlab

import (
	"net"
	"testing"
	"time"
)

// The handshake of a TCP connection is one round trip.
func TestDelayHoldsEveryFrame(t *testing.T) {
	const delay = 60 * time.Millisecond
	l := New(t, Plan{Hosts: 3, IPv4: true, IPv6: true})
	l.Delay(delay)
	for _, ip := range []string{IPv4(3).String(), IPv6(3).String()} {
		var listener net.Listener
		err := inside(l.Namespace(3), func() (err error) {
			listener, err = net.Listen("tcp", net.JoinHostPort(ip, "0"))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		for range 2 { // the first also asks for the hardware address
			began := time.Now()
			err = inside(l.Namespace(1), func() error {
				conn, err := net.DialTimeout("tcp", listener.Addr().String(), 20*time.Second)
				if err == nil {
					_ = conn.Close()
				}
				return err
			})
			took := time.Since(began)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s answered after %v", ip, took)
			if took < 2*delay {
				t.Errorf("a round trip over two delays of %v took %v", delay, took)
			}
		}
	}
}
