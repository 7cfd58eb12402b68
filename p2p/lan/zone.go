package lan

import (
	"net"
	"sync/atomic"

	"github.com/hashicorp/mdns"
	"github.com/miekg/dns"
)

// zone is the DNS zone of one interface. Readers of sockets look into it while
// Run replaces the contents.
type zone struct {
	service atomic.Pointer[mdns.MDNSService]
}

// Records implements mdns.Zone. An empty zone answers nothing.
func (z *zone) Records(q dns.Question) []dns.RR {
	service := z.service.Load()
	if service == nil {
		return nil
	}
	return service.Records(q)
}

// set replaces the contents. The addresses become A and AAAA records for other
// programs; ours read the ones in the TXT record.
func (z *zone) set(realm, instance string, port int, addrs []net.IP, r record) error {
	service, err := mdns.NewMDNSService(instance, serviceName(realm), domain,
		instance+"."+domain, port, addrs, r.strings())
	if err != nil {
		return err
	}
	z.service.Store(service)
	return nil
}

func (z *zone) clear() { z.service.Store(nil) }
