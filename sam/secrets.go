package sam

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Bounds of a project's secrets.
const (
	maxSecrets     = 100
	maxSecretBytes = 64 << 10
)

// ErrNoSecretKey reports a workspace that was not given a key for secrets.
var ErrNoSecretKey = errors.New("sam: Options.SecretKey is not set, so there are no secrets")

// Secrets are sealed values that only the project's functions.js reads. They
// are encrypted with AES-256-GCM and bound to their project and name, so that
// one copied elsewhere in the store does not open. A project has up to 100, each
// up to 64 KiB. Secrets is safe for concurrent use.
type Secrets struct{ p *Project }

// Secrets returns the project's secrets.
func (p *Project) Secrets() *Secrets { return &Secrets{p} }

// CheckSecretName returns a [*NameError] if name does not match
// [A-Za-z_][A-Za-z0-9_]*, which are the names that JavaScript reads as env.NAME.
func CheckSecretName(name string) error {
	reason := ""
	switch {
	case name == "":
		reason = "is empty"
	case len(name) > 256:
		reason = "is longer than 256 bytes"
	case name[0] >= '0' && name[0] <= '9':
		reason = "starts with a digit"
	}
	for i := range len(name) {
		c := name[i]
		if reason == "" && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			reason = `holds something else than A-Z, a-z, 0-9 and "_"`
		}
	}
	if reason == "" {
		return nil
	}
	return &NameError{Name: name, Reason: reason}
}

// Set seals a value, or removes it if value is "".
func (s *Secrets) Set(ctx context.Context, name, value string) error {
	if err := CheckSecretName(name); err != nil {
		return err
	}
	aead, err := s.p.ws.sealer(ctx)
	if err != nil {
		return err
	}
	if _, err := s.p.index(ctx); err != nil {
		return err
	}
	if value == "" {
		return s.commit(ctx, name, Op{Key: secretPrefix + name, Delete: true, If: Any})
	}
	if len(value) > maxSecretBytes {
		return &LimitError{Limit: "SecretBytes", Max: maxSecretBytes, Name: name}
	}
	names, err := s.Names(ctx)
	if err != nil {
		return err
	}
	others := 0
	for _, n := range names {
		if n != name {
			others++
		}
	}
	if others >= maxSecrets {
		return &LimitError{Limit: "Secrets", Max: maxSecrets}
	}
	return s.commit(ctx, name, Op{Key: secretPrefix + name, Value: s.p.seal(aead, name, value), If: Any})
}

func (s *Secrets) commit(ctx context.Context, name string, op Op) error {
	if _, err := s.p.space.Commit(ctx, op); err != nil {
		return fmt.Errorf("sam: set secret %s: %w", name, err)
	}
	return nil
}

// Names lists the secrets, sorted. It needs no key.
func (s *Secrets) Names(ctx context.Context) ([]string, error) {
	if _, err := s.p.index(ctx); err != nil {
		return nil, err
	}
	var names []string
	for e, err := range s.p.space.List(ctx, secretPrefix, "") {
		if err != nil {
			return nil, err
		}
		names = append(names, strings.TrimPrefix(e.Key, secretPrefix))
	}
	return names, nil
}

// Value unseals one, or returns an error matching fs.ErrNotExist. It is for
// the engine; no sandboxed code reaches it.
func (s *Secrets) Value(ctx context.Context, name string) (string, error) {
	if err := CheckSecretName(name); err != nil {
		return "", err
	}
	aead, err := s.p.ws.sealer(ctx)
	if err != nil {
		return "", err
	}
	if _, err := s.p.index(ctx); err != nil {
		return "", err
	}
	sealed, _, err := s.p.space.Get(ctx, secretPrefix+name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("sam: secret %s: %w", name, fs.ErrNotExist)
	}
	if err != nil {
		return "", fmt.Errorf("sam: secret %s: %w", name, err)
	}
	return s.p.unseal(aead, name, sealed)
}

// sealer returns the cipher of the workspace's key, which is asked for each time
// so that the program may keep it elsewhere.
func (w *Workspace) sealer(ctx context.Context) (cipher.AEAD, error) {
	if w.secretKey == nil {
		return nil, ErrNoSecretKey
	}
	key, err := w.secretKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("sam: key for secrets: %w", err)
	}
	if len(key) != 32 {
		return nil, fmt.Errorf("sam: key for secrets has %d bytes, want 32", len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("sam: key for secrets: %w", err)
	}
	return cipher.NewGCM(block)
}

// bound is what a sealed value is bound to.
func (p *Project) bound(name string) []byte { return []byte(p.name + "\x00" + name) }

// seal returns a nonce and the sealed value.
func (p *Project) seal(aead cipher.AEAD, name, value string) []byte {
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	return aead.Seal(nonce, nonce, []byte(value), p.bound(name))
}

func (p *Project) unseal(aead cipher.AEAD, name string, sealed []byte) (string, error) {
	n := aead.NonceSize()
	if len(sealed) < n {
		return "", fmt.Errorf("sam: secret %s is damaged", name)
	}
	value, err := aead.Open(nil, sealed[:n], sealed[n:], p.bound(name))
	if err != nil {
		return "", fmt.Errorf("sam: secret %s does not open: another key sealed it, or it is damaged", name)
	}
	return string(value), nil
}
