import { useEffect } from "preact/hooks";
import { keyName, mac } from "../keys";
import {
  args, cancel, failure, offset, openTable, parameters, planned, readTables, result, rowsOfPage, run, running, schema, size as bytes, sql, table, tables,
} from "../store/db";
import { size } from "../store/kinds";
import { took } from "../store/time";
import { attempt } from "../store/toasts";
import type { Cell, QueryReply, TableInfo } from "../wire";
import { arrows } from "./arrows";
import { Icon } from "./Icon";

export function Database() {
  useEffect(() => void attempt(readTables), []);
  return (
    <div class="cols">
      <Tables />
      <div class="grow col">
        <Query />
        <Outcome />
      </div>
    </div>
  );
}

function Tables() {
  return (
    <div class="side tables">
      <ul aria-label="Tables" onKeyDown={arrows(".tables button")}>
        {tables.value?.map((t, i) => {
          const now = table.value === t.name;
          return (
            <li key={t.name}>
              <button aria-current={now} tabIndex={now || (!table.value && i === 0) ? 0 : -1} title={t.columns.map((c) => `${c.name} ${c.type}${c.key ? ", key" : ""}`).join("\n")} onClick={() => void openTable(t.name)}>
                <Icon name="table" small />
                <span class="clip grow">{t.name}</span>
                <span class="count">{t.rows < 0 ? t.kind : t.rows.toLocaleString("en") + (t.many ? "+" : "")}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {tables.value?.length === 0 && <p class="quiet">No table yet.</p>}
      {bytes.value > 0 && <p class="quiet num">{size(bytes.value)}</p>}
    </div>
  );
}

function Query() {
  const onKey = (e: KeyboardEvent) => {
    if (e.key !== "Enter" || !(mac ? e.metaKey : e.ctrlKey)) return;
    e.preventDefault();
    e.stopPropagation();
    void run();
  };
  const t = tables.value?.find((x) => x.name === table.value);
  return (
    <div class="query">
      <textarea class="box mono" rows={3} aria-label="SQL" placeholder="SELECT …" spellcheck={false} value={sql.value} onInput={(e) => (sql.value = e.currentTarget.value)} onKeyDown={onKey} />
      <div class="strip">
        {running.value ? (
          <button class="btn small" onClick={cancel}><Icon name="stop" small />Cancel</button>
        ) : (
          <button class="btn primary small" disabled={!sql.value.trim()} onClick={() => void run()}>Run <span class="k">{keyName("mod+⏎")}</span></button>
        )}
        <button class="btn ghost small" disabled={!sql.value.trim() || !!running.value} title="EXPLAIN QUERY PLAN" onClick={() => void run(false, true)}>Plan</button>
        {t && <button class="btn ghost small" aria-pressed={schema.value} onClick={() => (schema.value = !schema.value)}>Schema</button>}
        {Array.from({ length: parameters.value }, (_, i) => (
          <label class="field soft small param" key={i}>
            <span class="mono">?{i + 1}</span>
            <input class="mono" aria-label={`Parameter ${i + 1}`} value={args.value[i] ?? ""} onInput={(e) => {
              const next = [...args.value];
              next[i] = e.currentTarget.value;
              args.value = Array.from(next, (a) => a ?? "");
            }} />
          </label>
        ))}
        <span class="push" />
        {result.value && <Figures r={result.value} />}
        {t && result.value && <Pager t={t} r={result.value} />}
      </div>
    </div>
  );
}

function Figures({ r }: { r: QueryReply }) {
  const parts = [];
  if (planned.value) parts.push("plan");
  else if (r.columns.length) parts.push(`${r.rows.length}${r.more ? "+" : ""} ${r.rows.length === 1 ? "row" : "rows"}`);
  parts.push(`in ${took(r.ms)}`);
  if (!planned.value) parts.push(`· ${r.read.toLocaleString("en")} read`);
  if (r.written) parts.push(`· ${r.written.toLocaleString("en")} written`);
  if (r.changes) parts.push(`· ${r.changes.toLocaleString("en")} changed`);
  return <span class="muted num clip" role="status">{parts.join(" ")}</span>;
}

function Pager({ t, r }: { t: TableInfo; r: QueryReply }) {
  const more = r.rows.length === rowsOfPage;
  if (!offset.value && !more) return null;
  return (
    <>
      <button class="btn ghost small icon" aria-label="Rows before" disabled={!offset.value} onClick={() => void openTable(t.name, offset.value - rowsOfPage)}><Icon name="up" small /></button>
      <span class="faint num">from {offset.value + 1}</span>
      <button class="btn ghost small icon" aria-label="Rows after" disabled={!more} onClick={() => void openTable(t.name, offset.value + rowsOfPage)}><Icon name="down" small /></button>
    </>
  );
}

function Outcome() {
  const f = failure.value;
  const r = result.value;
  const t = tables.value?.find((x) => x.name === table.value);
  if (schema.value && t) return <pre class="grow scroll schema" tabIndex={0} role="region" aria-label={`Schema of ${t.name}`}>{t.sql || "It has none."}</pre>;
  if (f) {
    return (
      <div class="grow scroll" role="alert">
        <p class={`quiet ${f.writes ? "warn" : "danger"}`}><Icon name={f.writes ? "warn" : "error"} /> {f.message}</p>
        {f.writes && <p class="quiet"><button class="btn small" onClick={() => void run(true)}>Run and write</button></p>}
      </div>
    );
  }
  if (!r) return <div class="grow"><p class="quiet">{running.value ? "Running." : "A query reads unless you say otherwise, and the app does not wait for it."}</p></div>;
  if (!r.columns.length) return <div class="grow"><p class="quiet">Done. {r.changes} {r.changes === 1 ? "row" : "rows"} changed.</p></div>;
  if (planned.value) {
    return <div class="grow scroll plan" tabIndex={0} role="region" aria-label="Plan"><Plan r={r} /></div>;
  }
  return (
    <div class="grow scroll" tabIndex={0} role="region" aria-label="Rows">
      <table class="grid tight">
        <thead><tr>{r.columns.map((c, i) => <th key={i} class={numeric(r, i) ? "r" : ""}>{c}</th>)}</tr></thead>
        <tbody>{r.rows.map((row, i) => <tr key={i}>{row.map((c, j) => <Value key={j} c={c} />)}</tr>)}</tbody>
      </table>
      {r.more && <p class="quiet">There are more rows, which are not shown.</p>}
    </div>
  );
}

function numeric(r: QueryReply, column: number): boolean {
  const kind = r.rows[0]?.[column]?.kind;
  return kind === "integer" || kind === "real";
}

function Value({ c }: { c: Cell }) {
  if (c.kind === "null") return <td class="faint"><i>null</i></td>;
  if (c.kind === "blob") return <td class="mono faint" title="BLOB in hex">{c.text}{c.cut && "…"}</td>;
  return <td class={c.kind === "text" ? "" : "r"} title={c.text.length > 60 ? c.text : undefined}>{c.text}{c.cut && "…"}</td>;
}

/** EXPLAIN QUERY PLAN as a tree: its rows are id, parent, something unused and the step. */
function Plan({ r }: { r: QueryReply }) {
  const depth = new Map<string, number>([["0", -1]]);
  return (
    <ul class="mono">
      {r.rows.map((row, i) => {
        const d = (depth.get(row[1].text) ?? -1) + 1;
        depth.set(row[0].text, d);
        const step = row[3].text;
        return <li key={i} class={/^SCAN|TEMP B-TREE/.test(step) ? "warn" : ""}>{"  ".repeat(d)}{step}</li>;
      })}
    </ul>
  );
}
