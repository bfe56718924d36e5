// Opens one of the person's projects as a tool on the work project.
import { useState } from "preact/hooks";
import { askTool, candidates, makeTool, readCandidates, templatesOf } from "../store/roles";
import { open, projects } from "../store/state";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";
import { Menu, type Item } from "./Menu";

export function OpenWith() {
  const [at, setAt] = useState<DOMRect | null>(null);
  const meant = candidates.value.filter((c) => c.kind === "tool" && c.id !== open.value?.id).map((c) => c.id);
  const others = projects.value.filter((id) => !meant.includes(id) && id !== open.value?.id);
  const item = (id: string): Item => ({ label: id, run: () => attempt(() => askTool(id)) });
  const items: (Item | "line")[] = [
    ...meant.map(item),
    ...templatesOf("tool").map((t): Item => ({ label: `New: ${t.title}`, icon: "plus", run: () => attempt(() => makeTool(t.id)) })),
    ...(others.length && meant.length ? ["line" as const] : []),
    ...others.slice(0, 12).map(item),
  ];
  if (!items.length) items.push({ label: "No other project to open", run: () => {} });
  return (
    <span class="push openwith">
      <button class="btn ghost small" aria-haspopup="menu" aria-expanded={!!at} onClick={(e) => {
        const box = e.currentTarget.getBoundingClientRect();
        void attempt(async () => {
          await readCandidates();
          setAt(at ? null : box);
        });
      }}>Open with <Icon name="down" small /></button>
      {at && <Menu at={at} items={items} label="Tools" close={() => setAt(null)} />}
    </span>
  );
}
