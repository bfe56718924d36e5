// Data: what functions.js of the project keeps in KV and databases, and the names of its secrets.
import { useEffect } from "preact/hooks";
import { choosePart, databases, namespaces, part, readNames, type Part } from "../store/data";
import { chooseDB, db, readTables } from "../store/db";
import { ns, readKeys } from "../store/kv";
import { attempt } from "../store/toasts";
import { Database } from "./Database";
import { Icon } from "./Icon";
import { KV } from "./KV";
import type { DockPanel } from "./panels";
import { Secrets } from "./Secrets";

export const dataPanel: DockPanel = { id: "data", title: "Data", View: Data, Tools };

function Tools() {
  const parts: [Part, string][] = [["kv", "KV"], ["db", "Database"], ["secrets", "Secrets"]];
  const several = part.value === "kv" ? namespaces.value : part.value === "db" ? databases.value : [];
  return (
    <div class="line">
      {several.length > 1 && (
        <label class="field soft small pick2">
          <select aria-label={part.value === "kv" ? "Namespace" : "Database"} value={part.value === "kv" ? ns.value : db.value} onChange={(e) => choose(e.currentTarget.value)}>
            {several.map((n) => <option key={n}>{n}</option>)}
          </select>
        </label>
      )}
      {part.value !== "secrets" && (
        <button class="btn ghost small icon" aria-label="Read again" title="Read again" onClick={() => void attempt(part.value === "kv" ? readKeys : readTables)}><Icon name="reload" small /></button>
      )}
      <div class="seg" role="group" aria-label="Data">
        {parts.map(([p, label]) => <button key={p} aria-pressed={part.value === p} onClick={() => choosePart(p)}>{label}</button>)}
      </div>
    </div>
  );
}

function choose(name: string): void {
  if (part.value === "kv") {
    ns.value = name;
    void attempt(readKeys);
  } else {
    chooseDB(name);
    void attempt(readTables);
  }
}

function Data() {
  useEffect(() => void attempt(readNames), []);
  return part.value === "kv" ? <KV /> : part.value === "db" ? <Database /> : <Secrets />;
}
