//go:build !linux

package hostile

func rss() int64     { return 0 }
func openFiles() int { return 0 }
func children() int  { return 0 }
