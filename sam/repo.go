package sam

import (
	"archive/tar"
	"bufio"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// A Fetcher gets public repositories from a code host. Package sam/github has one
// for GitHub; no other is used unless a program gives it.
type Fetcher interface {
	// Fetch returns the files of a repository at ref, which is a branch, a tag or a
	// commit, or "" for the default branch: a tar archive packed by gzip, with all
	// files in one folder. The caller closes it. A missing one matches fs.ErrNotExist.
	Fetch(ctx context.Context, owner, repo, ref string) (io.ReadCloser, error)
}

// A RepoSource names files in a repository.
type RepoSource struct {
	Owner, Repo string
	Ref         string // a branch, tag or commit; "" for the default branch
	Dir         string // the folder that is wanted; "" for all
}

// ParseRepoSource reads "owner/repo[@ref][:dir]", or returns a [*NameError].
func ParseRepoSource(source string) (RepoSource, error) {
	bad := func(reason string) (RepoSource, error) {
		return RepoSource{}, &NameError{Name: source, Reason: reason}
	}
	rest, dir, hasDir := strings.Cut(source, ":")
	rest, ref, hasRef := strings.Cut(rest, "@")
	owner, repo, ok := strings.Cut(rest, "/")
	switch {
	case !ok || !plainWord(owner, "-_") || !plainWord(repo, "-_.") || strings.Trim(repo, ".") == "":
		return bad("is no owner/repo[@ref][:folder]")
	case hasRef && !validRef(ref):
		return bad("has a ref that none can be")
	case hasDir && CheckFileName(dir) != nil:
		return bad("has a folder that none can be")
	}
	return RepoSource{owner, repo, ref, dir}, nil
}

func (s RepoSource) String() string {
	text := s.Owner + "/" + s.Repo
	if s.Ref != "" {
		text += "@" + s.Ref
	}
	if s.Dir != "" {
		text += ":" + s.Dir
	}
	return text
}

// plainWord reports whether s is of letters, digits and others, and not long.
func plainWord(s, others string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && !strings.Contains(others, s[i:i+1]) {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

// validRef follows git-check-ref-format, and is not long.
func validRef(ref string) bool {
	for i := range len(ref) {
		if c := ref[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`~^:?*[\`, c) >= 0 {
			return false
		}
	}
	for part := range strings.SplitSeq(ref, "/") {
		if part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.HasSuffix(part, ".") {
			return false
		}
	}
	return len(ref) <= 255 && ref[0] != '-' && ref != "@" && !strings.Contains(ref, "..") && !strings.Contains(ref, "@{")
}

// ImportRepo makes a project of the files that f gets of "owner/repo[@ref][:dir]",
// all or nothing. It keeps no link to where they came from. Symbolic links are left
// out: dropped has their names, for a person to know.
//
// The limits of the workspace hold, and those of packages: what is not wanted of the
// repository counts as well. Refusals are as those of [Workspace.Import]; if there is no
// such repository, ref or folder the error matches fs.ErrNotExist.
func (w *Workspace) ImportRepo(ctx context.Context, id ProjectID, f Fetcher, source string) (p *Project, dropped []string, err error) {
	from, err := ParseRepoSource(source)
	if err != nil {
		return nil, nil, err
	}
	if err := id.Check(); err != nil {
		return nil, nil, err
	}
	dst := newProject(w, id)
	if err := dst.mustBeFree(ctx); err != nil {
		return nil, nil, err
	}
	r := &repoReader{in: &intake{ctx: ctx, limits: w.limits, blobs: w.store.Blobs()}, dir: from.Dir}
	err = r.fetch(ctx, f, from)
	if err == nil {
		err = dst.create(ctx, r.in.files, nil)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("import project %q from %s: %w", id, from, err)
	}
	return dst, r.dropped, nil
}

// A repoReader reads an archive of a repository.
type repoReader struct {
	in      *intake
	dir     string // wanted
	top     string // the folder that holds all others; "" until it is known
	entries int
	found   bool // something in dir
	dropped []string
}

func (r *repoReader) fetch(ctx context.Context, f Fetcher, from RepoSource) error {
	body, err := f.Fetch(ctx, from.Owner, from.Repo, from.Ref)
	if err != nil {
		return err
	}
	defer body.Close()
	err = r.read(body)
	var corrupt flate.CorruptInputError
	switch {
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return &PackageError{"", "is cut short", err}
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, tar.ErrHeader), errors.As(err, &corrupt):
		return &PackageError{"", fmt.Sprintf("does not unpack (%v)", err), err}
	}
	if err == nil && r.dir != "" && !r.found {
		return fmt.Errorf("sam: the repository has no folder %q: %w", r.dir, fs.ErrNotExist)
	}
	return err
}

func (r *repoReader) read(body io.Reader) error {
	if _, err := r.in.read(nil); err != nil {
		return err
	}
	// An archive holds a header for each entry and fills files up to blocks.
	most := r.in.limits.ProjectBytes + maxPackageEntries*(4<<10)
	packed := &tally{r: body, left: most}
	src := bufio.NewReader(packed)
	gz, err := gzip.NewReader(src)
	if err != nil {
		return err
	}
	gz.Multistream(false)
	unpacked := &tally{r: gz, left: most, of: packed}
	archive := tar.NewReader(unpacked)
	for {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = r.entry(h, archive)
		}
		if err != nil {
			return r.over(err)
		}
	}
	// The end of the stream has the checksum.
	if _, err := io.Copy(io.Discard, contextReader{r.in.ctx, unpacked}); err != nil {
		return r.over(err)
	}
	if _, err := src.ReadByte(); err != io.EOF {
		if err == nil {
			err = refuse("", "is followed by something else")
		}
		return r.over(err)
	}
	return nil
}

// over says which limit errMetered is.
func (r *repoReader) over(err error) error {
	if errors.Is(err, errMetered) {
		return &LimitError{Limit: "ProjectBytes", Max: r.in.limits.ProjectBytes}
	}
	return err
}

func (r *repoReader) entry(h *tar.Header, contents io.Reader) error {
	if err := r.in.ctx.Err(); err != nil {
		return err
	}
	if r.entries++; r.entries > maxPackageEntries {
		return refuse("", "has more than %d entries", maxPackageEntries)
	}
	if h.Typeflag == tar.TypeXGlobalHeader {
		return nil
	}
	full := h.Name
	if h.Typeflag == tar.TypeDir {
		full = strings.TrimSuffix(full, "/")
	}
	top, name, below := strings.Cut(full, "/")
	if r.top == "" {
		if reason := badPart(top); reason != "" {
			return refuse(h.Name, "%s", reason)
		}
		r.top = top
	}
	if top != r.top || !below && h.Typeflag != tar.TypeDir {
		return refuse(h.Name, "is not in the folder %q, as the others are", r.top)
	}
	if name == "" {
		return nil
	}
	if name == r.dir && h.Typeflag != tar.TypeDir {
		return refuse(h.Name, "is the folder that is wanted, and is none")
	}
	if r.dir != "" {
		var ok bool
		if name, ok = strings.CutPrefix(name, r.dir+"/"); !ok {
			return nil
		}
	}
	r.found = true
	switch h.Typeflag {
	case tar.TypeDir:
		return nil
	case tar.TypeSymlink:
		r.dropped = append(r.dropped, name)
		return nil
	case tar.TypeReg:
	default:
		return refuse(h.Name, "is no regular file: its type is %q", h.Typeflag)
	}
	if err := r.in.admit(name); err != nil {
		return misnamed(err)
	}
	return r.in.take(nil, name, contents)
}

// errMetered reports more bytes than there may be.
var errMetered = errors.New("sam: too much to read")

// A tally reads so many bytes, and not many times those of another.
type tally struct {
	r    io.Reader
	n    int64
	left int64
	of   *tally // which it is unpacked from; or nil
}

func (m *tally) Read(p []byte) (int, error) {
	n, err := m.r.Read(p)
	m.n += int64(n)
	if m.left -= int64(n); m.left < 0 {
		return 0, errMetered
	}
	if m.of != nil && m.n > freePackageRatio && m.n > maxPackageRatio*m.of.n {
		return 0, refuse("", "unpacks to more than %d times its size", maxPackageRatio)
	}
	return n, err
}
