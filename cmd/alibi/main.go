// Alibi is Clue for friends on a network, without a server and without a dealer.
package main

import (
	"os"

	"alibi/cmd/internal/cli"
)

func main() { os.Exit(cli.Main()) }
