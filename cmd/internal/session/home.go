package session

import (
	"path/filepath"

	"github.com/adrg/xdg"
)

func home(getenv func(string) string) string {
	if h := getenv("ALIBI_HOME"); h != "" {
		return h
	}
	return filepath.Join(xdg.StateHome, "alibi")
}
