package lan

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"time"
)

const (
	lookEvery   = 2500 * time.Millisecond // at the interfaces
	lookSoon    = 200 * time.Millisecond  // after a failure
	sweepEvery  = time.Second             // of the cache
	tellEvery   = 50 * time.Millisecond   // of changes: whoever reads them has work to do
	stoppedFor  = 3 * time.Second         // lateness that means the process was stopped
	sleptFor    = 10 * time.Second        // jump of the wall clock that means the computer slept
	readErrors  = 16                      // in a row, before a socket is opened anew
	maxZoneIPs  = 3                       // A and AAAA records
	sayGoodbyes = 2                       // times, in case one is lost
)

// run is the state of the goroutine in Service.Run.
type run struct {
	*Service
	nextLook, nextSweep time.Time
	nextTell            time.Time
	last, due           time.Time // the previous step, and when this one should come
}

// step does everything that is due and returns when to be called again.
func (r *run) step(ctx context.Context, now time.Time) time.Time {
	r.resume(now)
	if !now.Before(r.nextLook) {
		r.look(ctx, now)
		r.nextLook = now.Add(lookEvery)
	}
	eager, peers := r.takeRequests(now)
	next := r.nextLook
	if r.nextSweep.Before(next) {
		next = r.nextSweep
	}
	for _, l := range r.links {
		if why := reason(l.prompted.Load()); why > l.taken {
			l.cadence.prompt(now, why, roll())
			l.taken = why
		}
		if !now.Before(l.cadence.nextPoll) {
			r.poll(l, now, eager, peers)
		}
		if !now.Before(l.cadence.nextHello) {
			r.hello(l, now)
		}
		if due := l.cadence.next(); due.Before(next) {
			next = due
		}
	}
	next = earlier(next, r.nextLook) // a failure may have brought it forward
	if r.untold() {
		next = earlier(next, r.nextTell)
	}
	r.last, r.due = now, next
	return next
}

// takeRequests carries out SetInfo and SetEager and sweeps the cache.
func (r *run) takeRequests(now time.Time) (eager bool, peers int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.renewed {
		r.refresh(now)
	}
	if r.hurried {
		for _, l := range r.links {
			l.cadence.hurry(now)
		}
	}
	r.renewed, r.hurried = false, false
	if !now.Before(r.nextSweep) {
		r.nextSweep = now.Add(sweepEvery)
		if r.cache.expire(now) {
			r.notify()
		}
	}
	if r.news && !now.Before(r.nextTell) {
		r.news, r.nextTell = false, now.Add(tellEvery)
		select {
		case r.changed <- struct{}{}:
		default:
		}
	}
	return r.eager, len(r.cache.entries)
}

// look compares the interfaces with the links, opens and closes what is needed
// and tries again what failed.
func (r *run) look(ctx context.Context, now time.Time) {
	nics, err := survey()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
	if err != nil {
		return
	}
	use, skipped := choose(nics, r.config.LoopbackOnly)
	r.skipped = skipped
	var links []*link
	for _, n := range use {
		at := slices.IndexFunc(r.links, func(l *link) bool { return l.same(n) })
		if at < 0 {
			r.log.Debug("interface in use", "name", n.name, "addresses", n.subnets)
			links = append(links, newLink(n, now))
			continue
		}
		l := r.links[at]
		l.nic = n
		links = append(links, l)
	}
	for _, l := range r.links {
		if !slices.Contains(links, l) {
			r.log.Debug("interface no longer in use", "name", l.nic.name)
			l.silence()
			l.closeSockets()
		}
	}
	r.links = links
	if !reflect.DeepEqual(use, r.use) {
		r.use, r.own = use, ownOf(use)
		r.refresh(now)
		r.notify() // the order of addresses depends on ours
	}
	for _, l := range links {
		r.open(ctx, l)
	}
}

// resume notices that the program stood still, and starts over with asking and
// announcing: nobody could be heard, and the network may be another one.
func (r *run) resume(now time.Time) {
	deaf, stood := stoodStill(r.last, r.due, now)
	if !stood {
		return
	}
	r.log.Debug("the program stood still", "for", deaf)
	r.nextLook = now
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cache.forgive(deaf)
	for _, l := range r.links {
		l.cadence.hurry(now)
		l.cadence.renew(now)
	}
}

// stoodStill says whether a step at now, due earlier, comes after the process
// was stopped or the computer slept, and for how long by the monotonic clock.
// Where that clock stands still during sleep only the other one tells.
func stoodStill(last, due, now time.Time) (time.Duration, bool) {
	if last.IsZero() {
		return 0, false
	}
	late := max(now.Sub(due), 0)
	asleep := now.Round(0).Sub(last.Round(0)) - now.Sub(last)
	return late, late > stoppedFor || asleep > sleptFor
}

// open opens the parts of a link that are not open. The caller holds mu.
func (r *run) open(ctx context.Context, l *link) {
	for name, part := range l.parts(ctx) {
		if s := l.sockets[name]; s != nil {
			if !s.broken.Load() {
				continue
			}
			s.conn.Close()
			delete(l.sockets, name)
		}
		s, err := part()
		if r.note(l, name, err); err != nil {
			continue
		}
		l.sockets[name] = s
		r.readers.Go(func() { r.read(l, s) })
	}
}

// note remembers whether a part of a link works. The caller holds mu.
func (r *run) note(l *link, part string, err error) {
	if err == nil {
		delete(l.failures, part)
		return
	}
	if l.failures[part] == nil {
		r.log.Debug("part of an interface failed", "name", l.nic.name, "part", part, "err", err)
	}
	l.failures[part] = err
}

// refresh writes the zones anew and has them announced. The caller holds mu.
func (r *run) refresh(now time.Time) {
	if !r.config.announces() {
		return
	}
	for _, l := range r.links {
		var ips []net.IP
		for _, subnet := range l.nic.subnets[:min(len(l.nic.subnets), maxZoneIPs)] {
			ips = append(ips, subnet.Addr().AsSlice())
		}
		err := l.zone.set(r.config.Realm, r.instance, r.config.Port, ips, record{
			version:  Version,
			id:       r.config.PeerID,
			revision: r.revision,
			claims:   claimsFor(l.nic, r.use),
			info:     r.info,
		})
		r.note(l, "describe", err)
		l.cadence.renew(now)
	}
}

// poll asks who is there.
func (r *run) poll(l *link, now time.Time, eager bool, peers int) {
	packet, err := r.parser.query(l.cadence.multicastQuery(eager))
	l.cadence.polled(now, eager, peers)
	if err == nil {
		r.send(l, l.askers(), packet)
	}
}

// hello announces on one link.
func (r *run) hello(l *link, now time.Time) {
	l.cadence.announced(now, roll())
	l.taken = noReason
	l.prompted.Store(int32(noReason))
	if !r.config.announces() {
		return
	}
	if packet, err := r.parser.announce(&l.zone, false); err == nil {
		r.send(l, l.speakers(), packet)
	}
}

// send sends a packet from several sockets and notes which could not. A new
// failure is often the first sign that an interface has changed.
func (r *run) send(l *link, sockets []*socket, packet []byte) {
	errs := make([]error, len(sockets))
	for i, s := range sockets {
		if errs[i] = s.send(packet); errs[i] != nil {
			s.broken.Store(true)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, s := range sockets {
		part := "send from " + s.local.String()
		if errs[i] != nil && l.failures[part] == nil {
			r.nextLook = earlier(r.nextLook, time.Now().Add(lookSoon))
		}
		r.note(l, part, errs[i])
	}
}

// leave says goodbye everywhere and closes everything.
func (r *run) leave() {
	r.mu.Lock()
	defer r.mu.Unlock()
	goodbyes := make(map[*link][]byte)
	for _, l := range r.links {
		if packet, err := r.parser.announce(&l.zone, true); err == nil && r.config.announces() {
			goodbyes[l] = packet
		}
		l.silence()
	}
	for range sayGoodbyes {
		for l, packet := range goodbyes {
			for _, s := range l.speakers() {
				_ = s.send(packet) // nobody is left to tell
			}
		}
	}
	for _, l := range r.links {
		l.closeSockets()
	}
	r.links, r.use = nil, nil
}

// read takes in packets until the socket is closed.
func (r *run) read(l *link, s *socket) {
	buf := make([]byte, maxPacket+1)
	errs := 0
	for {
		n, from, err := s.conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			if errs++; errs == readErrors {
				s.broken.Store(true)
				return
			}
			continue
		}
		errs = 0
		if reply := r.take(l, s.role, buf[:n], unmapped(from), time.Now()); reply != nil {
			_, _ = s.conn.WriteToUDPAddrPort(reply, from) // who asked asks again
		}
	}
}

// take takes in one packet, and returns what to reply to its sender.
func (r *run) take(l *link, on role, packet []byte, from netip.AddrPort, now time.Time) (reply []byte) {
	bare := from.Addr().WithZone("")
	r.mu.Lock()
	defer r.mu.Unlock()
	source := bare.WithZone(zoneFor(bare, l.nic.name))
	if r.own.addrs[bare] {
		l.heardSelf.Store(now.UnixNano())
	} else {
		l.heardOthers.Store(now.UnixNano())
	}
	if !r.parser.concerns(packet) || !r.own.near(bare, l.nic.loopback()) || !r.worthwhile(source, bare, now) {
		return nil
	}
	h, err := r.parser.parse(packet)
	if err != nil {
		r.log.Debug("packet refused", "from", from, "err", err)
		return nil
	}
	if len(h.questions) > 0 && !slices.ContainsFunc(r.links, func(l *link) bool { return l.asksFrom(from) }) {
		if h.asked {
			r.prompt(l, asked)
		}
		// On loopback a socket hears what other programs ask on real
		// interfaces; what is announced there reaches everybody who asks.
		if on == listening && !l.nic.loopback() && r.answers.allow(now, bare) {
			reply = r.parser.answer(&l.zone, h)
		}
	}
	for _, a := range h.peers {
		if a.instance == r.instance {
			continue
		}
		changed, isNew := r.cache.hear(now, source, l.nic.name, a)
		if changed {
			r.notify()
		}
		if isNew {
			r.prompt(l, arrived)
		}
	}
	return reply
}

// worthwhile says whether a packet is looked at: one sender may send so many,
// and so may all together. Those in the list are counted apart, so that senders
// somebody invents do not drown them. The caller holds mu.
func (r *run) worthwhile(source, bare netip.Addr, now time.Time) bool {
	pace := &r.unknown
	if r.cache.knows(source) {
		pace = &r.known
	}
	return pace.allow(now, bare)
}

// prompt has Run announce soon on a link. The caller holds mu.
func (r *run) prompt(l *link, why reason) {
	if int32(why) > l.prompted.Load() {
		l.prompted.Store(int32(why))
		r.wakeUp()
	}
}

// roll is a number in [0,1), to scatter what many computers would do at once.
func roll() float64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	return float64(binary.LittleEndian.Uint64(b[:])>>11) / (1 << 53)
}
