// The areas of a narrow page, one at a time.
import { docs, area, type Area } from "../store/state";
import { waiting } from "../store/roles";
import { dockAlarm } from "./Dock";
import { Icon, type IconName } from "./Icon";

const areas: [Area, IconName, string][] = [["files", "files", "Files"], ["agent", "agent", "Agent"], ["editor", "code", "Editor"], ["canvas", "wide", "Canvas"], ["panel", "terminal", "Panel"]];

export function Switcher() {
  const dirty = docs.value.some((d) => d.dirty.value || d.conflict.value);
  const dot = (a: Area) => (a === "panel" ? dockAlarm() : a === "agent" ? (waiting.value ? "waits for you" : "") : a === "editor" && dirty ? "not saved" : "");
  return (
    <nav class="switcher" aria-label="Areas">
      {areas.map(([a, icon, label]) => (
        <button key={a} aria-current={area.value === a} onClick={() => (area.value = a)}>
          <Icon name={icon} />
          {label}
          {dot(a) && area.value !== a && <span class={`dot${a === "editor" || a === "agent" ? " a" : ""}`} role="img" aria-label={dot(a)} />}
        </button>
      ))}
    </nav>
  );
}
