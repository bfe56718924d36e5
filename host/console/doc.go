// Package console carries what apps print and what goes wrong in them.
//
// A [Buffer] holds the newest entries of one project. Whoever runs code or
// serves pages adds to it; an agent waits for an entry, a panel follows it:
//
//	var seen uint64
//	for {
//		changed := buf.Changed()
//		for e := range buf.Since(seen) {
//			seen = e.Seq
//			show(e)
//		}
//		select {
//		case <-changed:
//		case <-ctx.Done():
//			return
//		}
//	}
//
// # Limits
//
// A buffer never grows beyond its number of entries and [MaxBytes]: the oldest
// entries go first. Long fields of an entry are cut when it is added, and say
// by how much. A gap in Seq tells a reader that entries were lost to it.
package console
