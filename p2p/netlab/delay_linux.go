package netlab

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Bounds of what a slow switch holds: far more than a table of players sends in
// any delay worth testing. What does not fit is lost, as in a real one.
const (
	maxFrame  = 2048
	maxFrames = 8192
)

// Delay moves every host to a slow switch, run by this process, that hands each
// frame on after d. It is set up before programs are started: their interface is
// another one from then on. Cut and Mend do nothing there. It skips the test
// without /dev/net/tun.
func (l *Lab) Delay(d time.Duration) {
	l.t.Helper()
	l.needTun()
	s := &slowSwitch{delay: d, held: make(chan frame, maxFrames), learned: map[[6]byte]int{}}
	for i := 1; i <= l.plan.Hosts; i++ {
		l.IP(i, "link delete "+Device)
		port, err := tap(l.Namespace(i), Device)
		if err != nil {
			l.t.Fatalf("a slow cable to host %d: %v", i, err)
		}
		s.ports = append(s.ports, port)
		l.Plug(i)
	}
	s.run()
	l.t.Cleanup(s.close)
}

// slowSwitch is an Ethernet switch that knows which host is behind which port.
type slowSwitch struct {
	delay time.Duration
	ports []*os.File
	held  chan frame // in the order in which they are due
	read  sync.WaitGroup
	wrote sync.WaitGroup

	mu      sync.Mutex // guards learned and the order of held
	learned map[[6]byte]int
}

// frame is one on its way, out of one port or, with -1, of all but the one that
// it came from.
type frame struct {
	due      time.Time
	from, to int
	bytes    []byte
}

func (s *slowSwitch) run() {
	for i := range s.ports {
		s.read.Go(func() { s.take(i) })
	}
	s.wrote.Go(s.give)
}

func (s *slowSwitch) close() {
	for _, p := range s.ports {
		_ = p.Close()
	}
	s.read.Wait()
	close(s.held)
	s.wrote.Wait()
}

// take reads what one host sends until its port is closed.
func (s *slowSwitch) take(port int) {
	for {
		b := make([]byte, maxFrame)
		n, err := s.ports[port].Read(b)
		if err != nil {
			return
		}
		if n < 14 {
			continue
		}
		s.mu.Lock()
		to, known := s.learned[[6]byte(b[:6])]
		if !known {
			to = -1
		}
		s.learned[[6]byte(b[6:12])] = port
		select {
		case s.held <- frame{time.Now().Add(s.delay), port, to, b[:n]}:
		default:
		}
		s.mu.Unlock()
	}
}

// give hands frames on when they are due.
func (s *slowSwitch) give() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for f := range s.held {
		timer.Reset(time.Until(f.due))
		<-timer.C
		for i, p := range s.ports {
			if i == f.to || f.to < 0 && i != f.from {
				_, _ = p.Write(f.bytes) // a host whose interface is down hears nothing
			}
		}
	}
}

// tap makes an Ethernet interface in a namespace whose cable ends in this
// process.
func tap(namespace, name string) (*os.File, error) {
	var port *os.File
	err := inside(namespace, func() (err error) {
		port, err = tapHere(name)
		return err
	})
	return port, err
}

// inside calls f on a thread that is in a namespace; sockets that f opens stay
// there. The thread is never unlocked, so that it ends with its goroutine and
// nothing else runs on it.
func inside(namespace string, f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- func() error {
			ns, err := os.Open("/var/run/netns/" + namespace)
			if err != nil {
				return err
			}
			defer ns.Close()
			if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
				return fmt.Errorf("entering %s: %w", namespace, err)
			}
			return f()
		}()
	}()
	return <-done
}

func tapHere(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening /dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq(name)
	if err == nil {
		request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("making a tap interface: %w", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
