package browser

import (
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/chromedp/chromedp"
)

var (
	gallery  = flag.String("gallery", "", "a folder for pictures of all screens")
	pictures = flag.String("pictures", "", "the folder of the pictures that the README shows")
)

// The sizes of the README's pictures.
var (
	broad  = look{width: 1280, height: 800}
	narrow = look{width: 360, height: 740, dark: true}
)

// picture keeps what is in view for the README, if that was asked for.
func (w *window) picture(name string, l look) {
	w.t.Helper()
	if *pictures != "" {
		w.wear(l)
		w.shoot(filepath.Join(*pictures, name+".png"), compact)
		w.wear(desktop)
	}
}

// shoot keeps a picture of what is in view once nothing moves.
func (w *window) shoot(file string, finish func(png []byte) ([]byte, error)) {
	w.t.Helper()
	w.run("settle", chromedp.Evaluate[chromedp.Void](`(() => {
		scrollTo(0, 0);
		if (document.activeElement && !document.querySelector("#sure[open]")) document.activeElement.blur();
		return Promise.allSettled(document.getAnimations().map(a => a.finished)); })()`, chromedp.EvalAwaitPromise))
	ctx, cancel := w.limit()
	defer cancel()
	shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		shot, err = finish(shot)
	}
	if err == nil {
		err = os.WriteFile(file, shot, 0o644)
	}
	if err != nil {
		w.fail("a picture", err)
	}
}

func asItIs(shot []byte) ([]byte, error) { return shot, nil }

// compact draws a picture with the 256 colours that it has most of. These pages are
// drawn in few, and the rest is the rim of letters.
func compact(shot []byte) ([]byte, error) {
	src, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		return nil, err
	}
	count := map[color.RGBA]int{}
	at := src.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			count[color.RGBAModel.Convert(src.At(x, y)).(color.RGBA)]++
		}
	}
	common := slices.SortedFunc(maps.Keys(count), func(a, b color.RGBA) int {
		return cmp.Or(count[b]-count[a], cmp.Compare(key(a), key(b)))
	})
	var p color.Palette
	for _, c := range common[:min(len(common), 256)] {
		p = append(p, c)
	}
	out := image.NewPaletted(at, p)
	draw.Draw(out, at, src, at.Min, draw.Src)
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	err = enc.Encode(&b, out)
	return b.Bytes(), err
}

func key(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }
