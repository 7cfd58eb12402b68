//go:build !race

package browser

const racing = false
