package isolate

import (
	"errors"
	"time"
)

func closeLink(l *Link) error {
	err := l.t.(*pipeTransport).out.Close()
	time.Sleep(time.Minute)
	return err
}

func middle() { panic(errors.ErrUnsupported) }
