// Package browser holds tests only: real browsers play whole games, each at the page
// of a program of its own, by clicks and by keys. They are driven over the DevTools
// protocol and know nothing but what stands on the page; nothing imports this.
//
// Where there is no Chromium they are skipped. Flags choose what is kept of them:
//
//	go test ./cmd/internal/browser -run Screens -args -pictures $PWD/docs/pictures
package browser
