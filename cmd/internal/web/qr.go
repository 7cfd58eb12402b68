package web

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrCode is a QR code as the path of an SVG drawing.
type qrCode struct {
	Size int // with the quiet zone
	Path string
}

// quiet is how many modules stay light around a code (ISO/IEC 18004, 6.3.8).
const quiet = 4

// newCode draws a short text; what is too long for a code gives none.
func newCode(text string) qrCode {
	c, err := qr.Encode(text, qr.M)
	if err != nil {
		return qrCode{}
	}
	var path strings.Builder
	for y := range c.Size {
		for x := 0; x < c.Size; x++ {
			from := x
			for x < c.Size && c.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	return qrCode{Size: c.Size + 2*quiet, Path: path.String()}
}
