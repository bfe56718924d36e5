package sam

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"slices"
	"syscall"
)

// remove removes the space: first its log, in one step, then people's files.
func (sp *dirSpace) remove() error {
	trash := trashDir + "/" + rand.Text()
	if err := sp.s.meta.Rename(spacesDir+"/"+sp.dir, trash); err != nil {
		return err
	}
	sp.reset()
	sp.unnamed = false
	sp.trash = append(sp.trash, trash)
	// The trash is not emptied before it is durable that this is trash.
	if err := errors.Join(syncDir(sp.s.meta, trashDir), syncDir(sp.s.meta, spacesDir)); err != nil {
		return err
	}
	return sp.emptyTrash()
}

// emptyTrash finishes what remove began. A space of the same name must not be
// made before: its files would go with those of the old one.
func (sp *dirSpace) emptyTrash() error {
	for len(sp.trash) > 0 {
		if err := sp.s.empty(sp.trash[0]); err != nil {
			return err
		}
		sp.trash = slices.Delete(sp.trash, 0, 1)
	}
	return nil
}

// emptyTrash finishes what a crash interrupted in dirSpace.remove.
func (s *dirStore) emptyTrash() error {
	dropped, err := fs.ReadDir(s.meta.FS(), trashDir)
	if err != nil {
		return err
	}
	for _, d := range dropped {
		if err := s.empty(trashDir + "/" + d.Name()); err != nil {
			return err
		}
	}
	return nil
}

// empty removes people's files that are keys of a removed space, then all else.
func (s *dirStore) empty(trash string) error {
	name, err := s.nameInLog(trash + "/log")
	if err == nil {
		sp := &dirSpace{s: s, name: name, dir: dirName(name)}
		var pending []logChange
		if pending, err = sp.readLog(trash + "/log"); err == nil {
			err = sp.removeFiles(pending)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil {
		err = s.meta.RemoveAll(trash)
	}
	if err == nil {
		err = syncDir(s.meta, trashDir)
	}
	return err
}

// removeFiles removes people's files that are keys of the space or of a commit
// that was not finished, and its folder if nothing else is in it.
func (sp *dirSpace) removeFiles(pending []logChange) error {
	dir, err := sp.s.openFolder(sp.dir, false)
	if isDiskError(err) {
		return err
	}
	if err != nil || dir == nil {
		return nil
	}
	defer dir.close()
	var names, gone []string
	for key, k := range sp.keys {
		if k.file != nil {
			names = append(names, fileName(key))
		}
	}
	for _, c := range pending {
		names = append(names, fileName(c.key))
	}
	for _, name := range names {
		err := dir.remove(name)
		if isDiskError(err) {
			return err
		}
		if err == nil {
			gone = append(gone, name)
		}
	}
	if err := dir.sync(gone); err != nil {
		return err
	}
	if err := sp.s.root.Remove(sp.dir); isDiskError(err) {
		return err
	}
	return nil
}

// isDiskError reports whether err is of the disk, and not of something that
// people did to a file.
func isDiskError(err error) bool {
	for _, e := range []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
