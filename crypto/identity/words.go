package identity

const (
	consonants = "bdfghjklmnprstvz"
	vowels     = "aiou"
)

// Words turns the first 64 bits of a hash into four proquints (Wilkerson,
// "A Proposal for Proquints", 2009): pronounceable words of five letters with
// 16 bits each. They belong to no language, so friends who share none can
// still read them to each other. What they are a hash of must have been fixed
// by commitments before it was known (see the charter), since 64 bits alone do
// not withstand somebody who can try many.
func Words(h [32]byte) [4]string {
	var words [4]string
	for i := range words {
		words[i] = proquint(uint16(h[2*i])<<8 | uint16(h[2*i+1]))
	}
	return words
}

func proquint(v uint16) string {
	return string([]byte{
		consonants[v>>12&15],
		vowels[v>>10&3],
		consonants[v>>6&15],
		vowels[v>>4&3],
		consonants[v&15],
	})
}
