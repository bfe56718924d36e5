package appconfig

import (
	"slices"
	"strings"
)

// An Absence is a binding to a product that there is not here.
type Absence struct {
	Binding string
	Product string // such as "R2"
}

// An absentKey is a key of a wrangler file that binds such a product.
type absentKey struct {
	product string
	list    string // of the key, where the bindings are listed; "" is the key itself
	name    string // of a binding
}

func absentKeys() map[string]absentKey {
	return map[string]absentKey{
		"ai":                        {"Workers AI", "", "binding"},
		"analytics_engine_datasets": {"Analytics Engine", "", "binding"},
		"browser":                   {"Browser Rendering", "", "binding"},
		"containers":                {"Containers", "", ""},
		"dispatch_namespaces":       {"Workers for Platforms", "", "binding"},
		"durable_objects":           {"Durable Objects", "bindings", "name"},
		"hyperdrive":                {"Hyperdrive", "", "binding"},
		"images":                    {"Cloudflare Images", "", "binding"},
		"media":                     {"Media Transformations", "", "binding"},
		"mtls_certificates":         {"mTLS", "", "binding"},
		"pipelines":                 {"Pipelines", "", "binding"},
		"queues":                    {"Queues", "producers", "binding"},
		"r2_buckets":                {"R2", "", "binding"},
		"ratelimits":                {"rate limiting", "", "name"},
		"secrets_store_secrets":     {"Secrets Store", "", "binding"},
		"send_email":                {"Email Routing", "", "name"},
		"vectorize":                 {"Vectorize", "", "binding"},
		"version_metadata":          {"Version Metadata", "", "binding"},
		"worker_loaders":            {"Worker Loaders", "", "binding"},
		"workflows":                 {"Workflows", "", "binding"},
	}
}

// absent notes the bindings of a product that there is not. It is lenient: their names
// mean nothing but what to say of them.
func (r *reader) absent(d *document, key string, k absentKey) {
	r.ignore(d, key+": no "+k.product+" here")
	v := d.root[key]
	if m, ok := v.(map[string]any); ok && k.list != "" {
		v = m[k.list]
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, e := range list {
		m, _ := e.(map[string]any)
		name, _ := m[k.name].(string)
		if len(name) <= maxBindingName && bindingName().MatchString(name) && name != "__proto__" && !reserved(name) && len(r.c.Absent) < MaxEntries {
			r.c.Absent = append(r.c.Absent, Absence{name, k.product})
		}
	}
}

// settled drops absences whose names something else has.
func (r *reader) settled() {
	seen := map[string]bool{}
	r.c.Absent = slices.DeleteFunc(r.c.Absent, func(a Absence) bool {
		drop := seen[a.Binding] || r.bindings[a.Binding] != ""
		seen[a.Binding] = true
		return drop
	})
}

// irrelevant are the keys of a wrangler file that say how a Worker is built, deployed and
// watched there, and mean nothing here.
func irrelevant(key string) bool {
	return slices.Contains(strings.Fields(`account_id cache cloudchamber compliance_region dev find_additional_modules first_party_worker
		base_dir preserve_file_names keep_names keep_vars legacy_env limits logfwdr logpush migrations minify observability placement
		preview_urls route routes send_metrics tail_consumers streaming_tail_consumers type upload_source_maps usage_model workers_dev zone_id`), key)
}
