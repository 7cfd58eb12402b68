//go:build race

package browser

// racing says that these tests look for races, too.
const racing = true
