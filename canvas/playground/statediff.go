package playground

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"net/http"
	"slices"
	"strings"

	"samkit.dev/canvas"
	"samkit.dev/kv"
	"samkit.dev/sam"
	"samkit.dev/sqlshim"
)

// Bounds of what is compared of KV and databases.
const (
	pastBytes = 32 << 20 // of the state of a checkpoint
	diffRows  = 2000     // keys of a namespace, rows of a table
	diffValue = 300      // bytes of a line
)

// A stateText is a namespace or a table as lines: one for each key or row, in order. What is compared line by line of files
// is so of data.
type stateText struct {
	Part  string // "kv", "db"
	Name  string // "KV", "DB.notes"
	lines []string
}

// states returns the data at a moment. There is none if the moment is a checkpoint of files alone.
func (p *page) states(c *call, m *moment) (all []stateText, err error) {
	d, err := p.data(c)
	if err != nil {
		return nil, err
	}
	kvIDs, dbIDs := d.IDs()
	if m.id == "" {
		return p.presentStates(c, d)
	}
	past, err := m.project.CheckpointState(m.ctx, m.id, pastBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(kvIDs)) {
		lines, err := keyLines(m.ctx, kv.New(past, kvIDs[name]))
		if err != nil {
			return nil, err
		}
		all = append(all, stateText{"kv", name, lines})
	}
	for _, name := range slices.Sorted(maps.Keys(dbIDs)) {
		tables, err := pastTables(m.ctx, past, name, dbIDs[name])
		if err != nil {
			return nil, err
		}
		all = append(all, tables...)
	}
	return all, nil
}

func (p *page) presentStates(c *call, d *canvas.Data) (all []stateText, err error) {
	ctx := c.r.Context()
	for _, name := range slices.Sorted(maps.Keys(d.KV)) {
		lines, err := keyLines(ctx, d.KV[name])
		if err != nil {
			return nil, err
		}
		all = append(all, stateText{"kv", name, lines})
	}
	limits := readLimits
	limits.MaxRows = diffRows
	for _, name := range d.DB {
		var tables []stateText
		err := d.Read(ctx, name, limits, func(db *sqlshim.DB) (err error) {
			tables, err = tableLines(ctx, db, name)
			return err
		})
		if err != nil {
			return nil, sqlError(name, err)
		}
		all = append(all, tables...)
	}
	return all, nil
}

func pastTables(ctx context.Context, past sam.State, name, id string) ([]stateText, error) {
	limits := readLimits
	limits.MaxRows = diffRows
	db, err := sqlshim.Open(ctx, past, id, &limits)
	if err != nil {
		return nil, sqlError(name, err)
	}
	tables, err := tableLines(ctx, db, name)
	return tables, sqlError(name, errors.Join(err, db.Close()))
}

// keyLines are the keys of a namespace with the beginnings of their values.
func keyLines(ctx context.Context, ns *kv.Namespace) ([]string, error) {
	lines := []string{}
	for e, err := range ns.List(ctx, "", "") {
		if err != nil {
			return nil, kvError(err)
		}
		full, err := ns.Get(ctx, e.Key)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it has expired
		}
		if err != nil {
			return nil, kvError(err)
		}
		value, text := preview(full.Value)
		if !text {
			value = "0x" + value
		}
		line := e.Key + " │ " + value
		if len(e.Metadata) > 0 {
			line += " │ " + string(e.Metadata)
		}
		if len(full.Value) > kvPreview { // so that it differs if the rest does
			line += fmt.Sprintf(" │ %d bytes, %08x", len(full.Value), checksum(full.Value))
		}
		if lines = append(lines, oneLine(line)); len(lines) == diffRows {
			break
		}
	}
	return lines, nil
}

// tableLines are the rows of the tables of a database, below a line with the columns.
func tableLines(ctx context.Context, db *sqlshim.DB, name string) ([]stateText, error) {
	names, err := db.Query(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' AND name NOT LIKE '\_cf\_%' ESCAPE '\' ORDER BY name LIMIT ?1`, int64(dbTables))
	if err != nil {
		return nil, err
	}
	all := []stateText{}
	for _, row := range names.Rows {
		table := fmt.Sprint(row[0])
		res, err := db.Query(ctx, "SELECT * FROM "+quoteName(table))
		var failed *sqlshim.Error
		if errors.As(err, &failed) {
			continue // of a module that is not here, or too much
		}
		if err != nil {
			return nil, err
		}
		lines := []string{oneLine(strings.Join(res.Columns, " │ "))}
		for _, row := range res.Rows {
			cells := make([]string, len(row))
			for i, v := range row {
				c := cellOf(v)
				if cells[i] = c.Text; c.Kind == "null" {
					cells[i] = "null"
				}
			}
			lines = append(lines, oneLine(strings.Join(cells, " │ ")))
		}
		all = append(all, stateText{"db", name + "." + table, lines})
	}
	return all, nil
}

// oneLine is a text without breaks but at its end, of which what is too long to be shown is a checksum.
func oneLine(s string) string {
	s = strings.NewReplacer("\r", "␍", "\n", "␊").Replace(s)
	if len(s) > diffValue {
		s = strings.ToValidUTF8(s[:diffValue], "") + fmt.Sprintf("… %08x", checksum([]byte(s)))
	}
	return s + "\n"
}

func checksum(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

// diffStates tells of the data that differs between two moments, if both have some.
func (p *page) diffStates(c *call, before, after *moment) ([]changeInfo, error) {
	a, b, err := p.bothStates(c, before, after)
	if err != nil || a == nil || b == nil {
		return nil, err
	}
	var changes []changeInfo
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		was, before := a[key]
		now, after := b[key]
		if slices.Equal(was.lines, now.lines) && before == after {
			continue
		}
		info := changeInfo{Kind: "changed", Counted: true, Part: now.Part, Name: now.Name}
		switch {
		case !before:
			info.Kind = "added"
		case !after:
			info.Kind, info.Part, info.Name = "removed", was.Part, was.Name
		}
		for _, e := range diffTexts(was.lines, now.lines) {
			info.Added += e.b1 - e.b0
			info.Removed += e.a1 - e.a0
		}
		changes = append(changes, info)
	}
	return changes, nil
}

func (p *page) bothStates(c *call, before, after *moment) (a, b map[string]stateText, err error) {
	sides := [2]map[string]stateText{}
	for i, m := range []*moment{before, after} {
		all, err := p.states(c, m)
		if err != nil || all == nil {
			return nil, nil, err
		}
		sides[i] = make(map[string]stateText, len(all))
		for _, t := range all {
			sides[i][t.Part+" "+t.Name] = t
		}
	}
	return sides[0], sides[1], nil
}

func union(a, b map[string]stateText) map[string]bool {
	keys := make(map[string]bool, len(a)+len(b))
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// diffState answers with the keys or rows that differ.
func (p *page) diffState(c *call, part, name string) error {
	before, after, err := c.moments()
	if err != nil {
		return err
	}
	a, b, err := p.bothStates(c, before, after)
	if err != nil {
		return noCheckpoint(err)
	}
	was, now := a[part+" "+name].lines, b[part+" "+name].lines
	reply := fileDiffReply{Text: true, Hunks: []hunk{}}
	hunks, cut := hunksOf(was, now, diffTexts(was, now))
	reply.Hunks, reply.Cut = append(reply.Hunks, hunks...), cut
	return c.reply(http.StatusOK, reply)
}
