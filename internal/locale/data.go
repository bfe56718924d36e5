package locale

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// data is what generate.mjs wrote.
//
//go:embed data.bin
var data []byte

// maxSection bounds a section, of which the largest have 12 KB.
const maxSection = 1 << 16

func inflate(b, dictionary []byte) ([]byte, error) {
	r := flate.NewReaderDict(bytes.NewReader(b), dictionary)
	return io.ReadAll(io.LimitReader(r, maxSection))
}

// An Index knows which locales there are. It takes about 10 KB.
type Index struct {
	names, places string // the lines of the index
	sections      []byte
}

// Open reads the index.
func Open() (*Index, error) {
	n := int(binary.BigEndian.Uint16(data))
	text, err := inflate(data[2:2+n], nil)
	if err != nil {
		return nil, fmt.Errorf("locale: index: %w", err)
	}
	names, places, _ := strings.Cut(string(text), "\n")
	return &Index{names, places, data[2+n:]}, nil
}

// Find returns the name that there is data for which is the tag's base or, with fewer and fewer
// of its parts, the closest to it, and under which name the data is. Both are empty if there is none.
// Only what is the same in the data goes by another name: de-DE is de, but de-LU is not.
func (x *Index) Find(base string) (name, data string) {
	for name = base; name != ""; {
		if _, after, found := strings.Cut(x.names, " "+name+"="); found {
			data, _, _ = strings.Cut(after, " ")
			return name, data
		}
		if strings.Contains(x.names, " "+name+" ") {
			return name, name
		}
		name = name[:max(strings.LastIndexByte(name, '-'), 0)]
	}
	return "", ""
}

// Section returns a section of a locale's data as JSON.
func (x *Index) Section(name, section string) ([]byte, error) {
	_, place, found := strings.Cut(x.places, " "+name+"/"+section+":")
	if !found {
		return nil, fmt.Errorf("locale: no section %q of %q", section, name)
	}
	place, _, _ = strings.Cut(place, " ")
	fields := strings.SplitN(place, ":", 3)
	offset, err := strconv.Atoi(fields[0])
	if err != nil {
		return nil, fmt.Errorf("locale: %s/%s: %w", name, section, err)
	}
	length, err := strconv.Atoi(fields[1])
	if err != nil {
		return nil, fmt.Errorf("locale: %s/%s: %w", name, section, err)
	}
	var dictionary []byte
	if from := fields[2]; from != "" {
		if dictionary, err = x.Section(from, section); err != nil {
			return nil, err
		}
	}
	text, err := inflate(x.sections[offset:offset+length], dictionary)
	if err != nil {
		return nil, fmt.Errorf("locale: %s/%s: %w", name, section, err)
	}
	return text, nil
}
