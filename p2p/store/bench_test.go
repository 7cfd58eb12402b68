package store

import (
	"fmt"
	"strings"
	"testing"

	"alibi/crypto/feed"
)

// played is a store with the logs of some games: 400 entries of 3 kB each.
func played(b *testing.B, games int) (dir string, last fixture) {
	dir = ram(b)
	d, err := open(dir, quick())
	if err != nil {
		b.Fatal(err)
	}
	for g := range games {
		last = newFixture(b, 4, fmt.Sprint("game ", g))
		if _, err := d.Begin(last.charter, 0, []byte("k")); err != nil {
			b.Fatal(err)
		}
		for r := range uint32(100) {
			var batch []*feed.Signed
			for seat := range 4 {
				batch = append(batch, last.entry(b, r, seat, strings.Repeat("x", 3000)))
			}
			if err := d.Append(last.table, batch...); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	return dir, last
}

// BenchmarkOpen is what the full check of a file costs, by games kept.
func BenchmarkOpen(b *testing.B) {
	for _, games := range []int{1, 10, 100} {
		b.Run(fmt.Sprint(games), func(b *testing.B) {
			dir, _ := played(b, games)
			for b.Loop() {
				d, err := Open(dir)
				if err != nil {
					b.Fatal(err)
				}
				_ = d.Close()
			}
			b.ReportMetric(float64(len(bytesOf(b, dir)))/1e6, "MB")
		})
	}
}

func BenchmarkGames(b *testing.B) {
	dir, _ := played(b, 100)
	d := mustOpen(b, dir)
	defer func() { _ = d.Close() }()
	for b.Loop() {
		if games, err := d.Games(); err != nil || len(games) != 100 {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	dir, f := played(b, 1)
	d := mustOpen(b, dir)
	defer func() { _ = d.Close() }()
	for b.Loop() {
		if _, err := d.Load(f.table); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSalvage(b *testing.B) {
	dir, _ := played(b, 10)
	for b.Loop() {
		if _, err := Salvage(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAppend is the store's own share: in memory, syncing costs nothing.
func BenchmarkAppend(b *testing.B) {
	dir, f := played(b, 1)
	d := mustOpen(b, dir)
	defer func() { _ = d.Close() }()
	round := uint32(1000)
	for b.Loop() {
		if err := d.Append(f.table, f.entry(b, round, 0, strings.Repeat("x", 3000))); err != nil {
			b.Fatal(err)
		}
		round++
	}
}
