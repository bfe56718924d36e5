package box

// A diskWatch notices that the file system of a workspace loses space.
type diskWatch struct {
	root  string
	start int64 // bytes that were free
	max   int64
}

func newDiskWatch(root string, limit int64) *diskWatch {
	free, ok := freeBytes(root)
	if !ok {
		return nil
	}
	return &diskWatch{root, free, limit}
}

// over reports whether more is gone than the limit. Others write to the same file system: who runs commands on a machine whose
// disk fills quickly by itself raises the limit.
func (d *diskWatch) over() bool {
	if d == nil {
		return false
	}
	free, ok := freeBytes(d.root)
	return ok && d.start-free > d.max
}
