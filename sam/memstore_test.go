package sam_test

import (
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sam/storetest"
)

func TestMemStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) sam.Store { return sam.NewMemStore() })
}
