// The areas of a narrow page, one at a time.
import { counts } from "../store/console";
import { docs, area, type Area } from "../store/state";
import { Icon, type IconName } from "./Icon";

const areas: [Area, IconName, string][] = [["files", "files", "Files"], ["editor", "code", "Editor"], ["canvas", "wide", "Canvas"], ["panel", "terminal", "Console"]];

export function Switcher() {
  const dirty = docs.value.some((d) => d.dirty.value || d.conflict.value);
  const dot = (a: Area) => (a === "panel" && counts.value.error > 0 ? "errors" : a === "editor" && dirty ? "not saved" : "");
  return (
    <nav class="switcher" aria-label="Areas">
      {areas.map(([a, icon, label]) => (
        <button key={a} aria-current={area.value === a} onClick={() => (area.value = a)}>
          <Icon name={icon} />
          {label}
          {dot(a) && area.value !== a && <span class={`dot${a === "editor" ? " a" : ""}`} role="img" aria-label={dot(a)} />}
        </button>
      ))}
    </nav>
  );
}
