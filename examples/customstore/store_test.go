package main

import (
	"testing"

	"samkit.dev/sam"
	"samkit.dev/sam/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(testing.TB) sam.Store { return newStore() })
}
