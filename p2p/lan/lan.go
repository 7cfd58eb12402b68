package lan

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Config says what a Service announces and where. The zero value browses on
// every interface and announces nothing.
type Config struct {
	// PeerID is announced as ours; empty means to browse only.
	PeerID string
	// Port is where this peer accepts connections, on TCP and UDP alike; zero
	// means to browse only.
	Port int
	// Info is announced from the start; SetInfo replaces it. Its limits are
	// MaxInfoKeys, MaxInfoKey, MaxInfoValue and MaxInfo.
	Info map[string]string
	// Realm separates groups that must not see one another, such as tests on one
	// computer; players meet in the empty one.
	Realm string
	// LoopbackOnly keeps every packet inside this computer.
	LoopbackOnly bool
	// Logger receives what happens at level Debug; nil discards it.
	Logger *slog.Logger
}

func (c Config) check() error {
	if c.PeerID != "" && !validPeerID(c.PeerID) {
		return fmt.Errorf("lan: peer ID is not 1 to %d letters and digits", MaxPeerID)
	}
	if c.Port < 0 || c.Port > 65535 {
		return fmt.Errorf("lan: port %d", c.Port)
	}
	return nil
}

// announces says whether there is anything to announce.
func (c Config) announces() bool { return c.PeerID != "" && c.Port != 0 }

// Peer is somebody who was heard on the network. Nothing in it is proven.
type Peer struct {
	// ID is the peer ID it claims.
	ID string
	// Instance is a random label that changes each time the peer starts.
	Instance string
	// Version is the format of its announcement. With any other than [Version],
	// Addrs and Info are empty: it cannot be talked to.
	Version int
	// Addrs are where to dial it, best first, at most 8: the address its packets
	// come from, then those in a network we share, IPv6 link-local ones with the
	// zone of our interface, other private ones, and last the addresses of
	// bridges and tunnels and those we have ourselves.
	Addrs []netip.AddrPort
	// Info is what it says about itself, each value cleaned by [Clean].
	Info map[string]string
	// FirstSeen and LastSeen are when it was first and last heard. It is dropped
	// 20 s after LastSeen while browsing eagerly, else after 90 s.
	FirstSeen, LastSeen time.Time
}

// Service announces one peer and browses for others.
type Service struct {
	config  Config
	parser  parser
	log     *slog.Logger
	changed chan struct{}
	wake    chan struct{}
	running atomic.Bool
	readers sync.WaitGroup

	mu       sync.Mutex // guards all below
	instance string     // made by Run: others do not believe an old one after its goodbye
	cache    *cache
	known    limiter // of packets from senders in the cache
	unknown  limiter // of packets from others
	answers  limiter
	news     bool // the reader of Changed has something to be told
	links    []*link
	own      own
	use      []nic
	skipped  []Skipped
	failed   error

	info     map[string]string
	revision uint32
	eager    bool
	renewed  bool // info has changed since the zones were made
	hurried  bool // eager was switched on
}

// New makes a Service that starts eager. It starts nothing; mistakes in the
// configuration are reported by Run.
func New(config Config) *Service {
	s := &Service{
		config:  config,
		parser:  newParser(config.Realm),
		log:     config.Logger,
		changed: make(chan struct{}, 1),
		wake:    make(chan struct{}, 1),
		cache:   newCache(),
		known:   newLimiter(knownPackets),
		unknown: newLimiter(unknownPackets),
		answers: newLimiter(answers),
		info:    maps.Clone(config.Info),
		eager:   true,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.cache.setEager(time.Now(), true)
	return s
}

// SetInfo replaces what is announced and announces it at once. Info beyond the
// limits is refused and changes nothing.
func (s *Service) SetInfo(info map[string]string) error {
	if err := checkInfo(info); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if maps.Equal(s.info, info) {
		return nil
	}
	s.info = maps.Clone(info)
	s.revision++
	s.renewed = true
	s.wakeUp()
	return nil
}

// SetEager switches between asking each second, as long as somebody looks at the
// list, and asking every ten seconds.
func (s *Service) SetEager(eager bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if eager && !s.eager {
		s.hurried = true
		s.wakeUp()
	}
	s.eager = eager
	s.cache.setEager(time.Now(), eager)
}

// Peers lists everybody else heard lately, sorted by ID, at most 128. The caller
// may keep and change the result.
func (s *Service) Peers() []Peer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cache.peers(s.config.PeerID, s.own)
}

// Changed receives a value after Peers or the interfaces have changed, LastSeen
// and the order of known addresses apart. Changes in quick succession may share
// one value. It is for one reader.
func (s *Service) Changed() <-chan struct{} { return s.changed }

// Status says how the interfaces are doing.
func (s *Service) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{
		Skipped: append([]Skipped(nil), s.skipped...),
		Doubles: s.cache.doubles(s.config.PeerID),
		Err:     s.failed,
	}
	for _, l := range s.links {
		st.Links = append(st.Links, l.status())
	}
	st.Addrs = shownAddrs(s.use)
	return st
}

// Run announces and browses until ctx ends, says goodbye and returns nil once
// everything it started has stopped. An interface that cannot be used is no
// error; Status tells of it.
func (s *Service) Run(ctx context.Context) error {
	if err := errors.Join(s.config.check(), checkInfo(s.config.Info)); err != nil {
		return err
	}
	if !s.running.CompareAndSwap(false, true) {
		return errors.New("lan: already running")
	}
	defer s.running.Store(false)
	s.mu.Lock()
	s.instance = strings.ToLower(rand.Text()[:16])
	s.mu.Unlock()
	r := run{Service: s}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			r.leave()
			s.readers.Wait()
			return nil
		case <-timer.C:
		case <-s.wake:
		}
		timer.Reset(time.Until(r.step(ctx, time.Now())))
	}
}

// notify has Run tell the reader of Changed. The caller holds mu.
func (s *Service) notify() {
	if !s.news {
		s.news = true
		s.wakeUp()
	}
}

// untold says whether there is something to tell.
func (s *Service) untold() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.news
}

// wakeUp lets Run look what is to do.
func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}
