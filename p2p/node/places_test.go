package node

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"alibi/p2p/link"
)

// Programs that are all started anew find each other without multicast and
// without anybody typing an address.
func TestPlacesOutliveAllPrograms(t *testing.T) {
	const n = 3
	folder, charter := t.TempDir(), charterOf(t, n)
	file := func(i int) string { return filepath.Join(folder, fmt.Sprint(i)) }
	run := func(first bool) (ports []int) {
		t.Helper()
		var peers []*testPeer
		for i := range n {
			peers = append(peers, startPeer(t, Config{Key: testKey(i + 1), NoDiscovery: true, Places: file(i)}))
			ports = append(ports, peers[i].host.Port())
		}
		if first {
			acquaint(peers, nil)
		}
		var talkers []*talker
		for i, p := range peers {
			talkers = append(talkers, newTalker(t, p, charter, i, 5))
		}
		talk(t, talkers...)
		for _, p := range peers {
			p.stop()
		}
		return ports
	}
	ports := run(true)
	if again := run(false); !slices.Equal(ports, again) {
		t.Errorf("ports %v, then %v", ports, again)
	}
	if info, err := os.Stat(file(0)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// One whose port is taken meanwhile finds those that are where they were.
	taken, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", ports[0]))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if again := run(false); again[0] == ports[0] || !slices.Equal(again[1:], ports[1:]) {
		t.Errorf("ports %v, then %v with the first one taken", ports, again)
	}
}

// A file that is no more what was written says nothing, and is written anew.
func TestDamagedPlaces(t *testing.T) {
	id := testKey(9).ID()
	at := []note{{ID: "nobody", Addrs: []string{"10.0.0.7:4001"}}, {ID: link.PeerID(id), Addrs: []string{"10.0.0.8:4001", "garbage", "0.0.0.0:1"}}}
	whole, err := json.Marshal(notes{Port: 4001, Peers: at})
	if err != nil {
		t.Fatal(err)
	}
	far, _ := json.Marshal(notes{Port: 70000, Peers: at})
	for name, tc := range map[string]struct {
		text  []byte
		port  int
		addrs int
	}{
		"whole":  {whole, 4001, 1},
		"cut":    {whole[:len(whole)/2], 0, 0},
		"empty":  {nil, 0, 0},
		"a port": {far, 0, 0},
	} {
		file := filepath.Join(t.TempDir(), "places")
		if err := os.WriteFile(file, tc.text, 0o600); err != nil {
			t.Fatal(err)
		}
		p, b := openPlaces(file), newAddressBook()
		p.tell(b)
		if got := b.of(id); p.kept.Port != tc.port || len(got) != tc.addrs {
			t.Errorf("%s: port %d, %v", name, p.kept.Port, got)
		}
		p.note(4002, []note{{ID: "somebody", Addrs: []string{"10.0.0.9:4001"}}})
		if again := openPlaces(file); again.kept.Port != 4002 || again.kept.Peers[0].ID != "somebody" {
			t.Errorf("%s: then %+v", name, again.kept)
		}
	}
}

// What is kept stays bounded, those played with last first, and nobody is
// forgotten for being nowhere now.
func TestPlacesAreBounded(t *testing.T) {
	p := openPlaces(filepath.Join(t.TempDir(), "places"))
	for i := range maxPlaces + 5 {
		p.note(1, []note{{ID: fmt.Sprint(i), Addrs: []string{"10.0.0.7:4001"}}})
	}
	p.note(1, []note{{ID: "7"}, {ID: "8", Addrs: []string{"10.0.0.8:4001"}}})
	kept := openPlaces(p.file).kept.Peers
	if len(kept) != maxPlaces || kept[0].ID != "8" || kept[1].ID != fmt.Sprint(maxPlaces+4) {
		t.Errorf("%d kept, first %v", len(kept), kept[:2])
	}
	if !slices.ContainsFunc(kept, func(k note) bool { return k.ID == "7" && len(k.Addrs) == 1 }) {
		t.Error("somebody who is nowhere now is forgotten")
	}
}
