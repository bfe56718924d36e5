package workbench

import (
	"context"

	"samkit.dev/host"
)

// defineSecrets registers env.HOST.secrets. There is no function for their values.
func defineSecrets(b *Bench, c *host.Capability) {
	host.Register(c, "names", "Lists the names of a project's secrets. Their values are for the project's functions.js alone.", secretNames, host.Reads)
}

type namesOut struct {
	Names []string `json:"names"`
}

func secretNames(ctx context.Context, in canvasIn) (namesOut, error) {
	_, p, err := onProject(ctx, in.Project)
	if err != nil {
		return namesOut{}, err
	}
	names, err := p.Secrets().Names(ctx)
	if names == nil {
		names = []string{}
	}
	return namesOut{names}, toHost(err)
}
