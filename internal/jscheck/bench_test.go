package jscheck

import (
	"strings"
	"testing"
)

// sample is a script such as an AI writes, a little under four kilobytes of TypeScript.
var sample = func() string {
	const unit = `
interface Invoice { id: string; customer: string; lines: { sku: string; price: number; count: number }[]; paid?: boolean }

async function totals(month: string, invoices: readonly Invoice[]): Promise<Map<string, number>> {
  const sums = new Map<string, number>();
  for (const { customer, lines, paid = false } of invoices) {
    if (!paid) continue;
    const sum = lines.reduce((all, l) => all + l.price * l.count, 0);
    sums.set(customer, (sums.get(customer) ?? 0) + sum);
  }
  console.log(` + "`${month}: ${sums.size} customers`" + `);
  return sums;
}

class Report<T extends { name: string }> {
  #rows: T[] = [];
  constructor(private readonly title: string) {}
  add(...rows: T[]): this { this.#rows.push(...rows); return this; }
  get text(): string {
    return [this.title, ...this.#rows.map((r, i) => (i + 1) + ". " + r?.name.trim())].join("\n");
  }
}

try {
  const { month = "2026-11", limit } = params as { month?: string; limit: number };
  const invoices = JSON.parse(await rtcAgent.readFile("/data/" + month + ".json")) as Invoice[];
  const report = new Report<{ name: string }>("Invoices");
  for (let i = 0; i < Math.min(limit, invoices.length); i++) report.add({ name: invoices[i]!.customer });
  await rtcAgent.writeFile("/reports/" + month + ".md", report.text);
  const found = await rtcAgent.crm.lookup({ ids: [...new Set(invoices.map((x) => x.id))] });
  if (found.some((f: any) => f["state"] === 'open')) await rtcAgent.system.delay(100);
} catch (e) {
  console.error("failed", e instanceof Error ? e.message : String(e));
}
`
	var b strings.Builder
	for _, name := range []string{"a", "b"} {
		b.WriteString(strings.NewReplacer("interface Invoice", "interface Invoice"+name, "function totals", "function totals"+name, "class Report", "class Report"+name, "new Report", "new Report"+name).Replace(unit))
	}
	return b.String() + strings.Repeat("// the rest of the four kilobytes is a comment that says what it does\n", (4<<10-b.Len())/70)
}()

func BenchmarkCheck(b *testing.B) {
	b.SetBytes(int64(len(sample)))
	b.ReportAllocs()
	for b.Loop() {
		if p, problems := Check([]byte(sample), nil); p == nil {
			b.Fatal(problems)
		}
	}
}
