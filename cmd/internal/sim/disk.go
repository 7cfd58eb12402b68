package sim

import (
	"errors"
	"fmt"

	"alibi/crypto/feed"
	"alibi/p2p/store"
)

// errDisk is what a disk fails with.
var errDisk = errors.New("sim: the disk failed")

// crashed unwinds a peer that has lost its power in the middle of something.
type crashed struct{}

// disk is a store that fails: a step is lost or kept although it reports an
// error, or the power goes before it or after it.
type disk struct {
	store.Store
	peer *peer
}

// step is what happens to one write.
func (d *disk) step(name string, write func() error) error {
	w := d.peer.w
	how := 0
	if d.peer.w.faulty() {
		how = w.dice.weighted(1000, w.set.diskLost, w.set.diskKept, w.set.crashBefore, w.set.crashAfter)
	}
	kinds := [...]string{"", "failed, lost", "failed, kept", "crash before", "crash after"}
	if how > 0 {
		w.count("disk "+kinds[how]+" "+name, 1)
		w.trace("%s: disk: %s: %s", d.peer.name, name, kinds[how])
	}
	switch how {
	case 1:
		return fmt.Errorf("%w: %s", errDisk, name)
	case 3:
		panic(crashed{})
	}
	if err := write(); err != nil {
		return err
	}
	switch how {
	case 2:
		return fmt.Errorf("%w: %s", errDisk, name)
	case 4:
		panic(crashed{})
	}
	return nil
}

// Begin implements store.Store.
func (d *disk) Begin(charter []byte, seat int, secret []byte) (table feed.Hash, err error) {
	err = d.step("begin", func() error {
		table, err = d.Store.Begin(charter, seat, secret)
		return err
	})
	return table, err
}

// Append implements store.Store.
func (d *disk) Append(table feed.Hash, entries ...*feed.Signed) error {
	return d.step("append", func() error {
		err := d.Store.Append(table, entries...)
		if d.peer.rogue != nil && errors.Is(err, store.ErrContradiction) {
			for _, e := range entries { // what it forged itself has come back to it
				_ = d.Store.Append(table, e)
			}
			return nil
		}
		if err != nil {
			for _, e := range entries {
				if int(e.Seat) == d.peer.seat {
					d.peer.w.trace("%s cannot keep %s of round %d, %+v: %v", d.peer.name, nameOf(e), e.Round, e.Place(), err)
				}
			}
			return err
		}
		for _, e := range entries {
			d.peer.w.trace("%s keeps %s of seat %d, round %d, %x, %+v", d.peer.name, nameOf(e), e.Seat, e.Round, e.Game[:2], e.Place().Motion)
			d.peer.w.law.durable(d.peer, e)
			d.peer.w.arrived(d.peer, e, true)
		}
		return nil
	})
}

// Finish implements store.Store.
func (d *disk) Finish(table feed.Hash) error {
	return d.step("finish", func() error { return d.Store.Finish(table) })
}
