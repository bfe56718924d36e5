package box

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// paths returns the directories in which commands are found.
func (j *job) paths() ([]string, error) {
	text := defaultPath()
	for _, v := range j.env {
		if value, ok := strings.CutPrefix(v, "PATH="); ok {
			text = value
		}
	}
	dirs := filepath.SplitList(text)
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			return nil, fmt.Errorf("PATH holds %q, which is no absolute path", dir)
		}
	}
	return dirs, nil
}

func extensions() []string {
	if runtime.GOOS == "windows" {
		return []string{".exe", ".com", ".bat", ".cmd", ""}
	}
	return []string{""}
}

// environment is all that a command sees: what every program needs, the way to the proxy, and what the caller gave. Git
// reads no configuration of the machine's, and asks nobody.
func (j *job) environment(home, temp, proxy string) []string {
	env := append(systemEnvironment(),
		"PATH="+defaultPath(), "HOME="+home, "TMPDIR="+temp, "LANG=C.UTF-8", "USER=box", "LOGNAME=box",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
	if proxy != "" {
		for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"} {
			env = append(env, name+"="+proxy)
		}
		env = append(env, "NODE_USE_ENV_PROXY=1")
	}
	return merge(append(env, j.env...))
}

// merge keeps the last value of each name.
func merge(env []string) []string {
	at := make(map[string]int)
	var out []string
	for _, v := range env {
		name, _, ok := strings.Cut(v, "=")
		if !ok {
			continue
		}
		if i, seen := at[name]; seen {
			out[i] = v
			continue
		}
		at[name] = len(out)
		out = append(out, v)
	}
	return out
}
