import { useRef, useState } from "preact/hooks";
import { keyName } from "../keys";
import { create } from "../store/checkpoints";
import { cloneProject, exportProject, importFile } from "../store/packages";
import { leaveProject, openProject, remove } from "../store/projects";
import { toggleTheme } from "../store/prefs";
import { isolation, online, open, palette, projects, theme } from "../store/state";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";
import { Menu, type Item } from "./Menu";
import { RolesMenu } from "./RolesMenu";

export function TopBar() {
  return (
    <header class="topbar">
      <div>
        <svg class="mark" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
          <path d="M3 3h14v14H3zM7 17V7h10" />
          <path d="M10.5 10.5h3v3h-3z" fill="currentColor" stroke="none" />
        </svg>
        <ProjectSwitcher />
        <span class="sep-v wide" />
        <button class="btn ghost wide" aria-pressed={!open.value} onClick={() => void attempt(() => leaveProject())}>
          <Icon name="grid" />
          <span class="lbl">Templates</span>
        </button>
        <ImportButton />
        {open.value && <ExportButton />}
      </div>
      <div>
        <button class="btn jump" onClick={() => (palette.value = open.value ? "files" : "projects")}>
          <Icon name="search" />
          {open.value ? "Go to file" : "Open a project"}
          <span class="k">{keyName(open.value ? "mod+p" : "mod+o")}</span>
        </button>
      </div>
      <div>
        {!online.value && <span class="tag warn" role="status">Reconnecting</span>}
        {open.value && (
          <button class="btn ghost wide" title={keyName("mod+shift+s")} onClick={() => void attempt(create)}>
            <Icon name="flag" />
            <span class="lbl">Checkpoint</span>
          </button>
        )}
        {isolation.value && (
          <span class="iso wide" title="How functions.js is kept apart from this program">
            <Icon name="shield" small />
            {isolation.value}
          </span>
        )}
        <RolesMenu />
        <button class="btn ghost icon" aria-label={theme.value === "dark" ? "Use the light theme" : "Use the dark theme"} onClick={toggleTheme}>
          <Icon name={theme.value === "dark" ? "sun" : "moon"} />
        </button>
      </div>
    </header>
  );
}

function ImportButton() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <button class="btn ghost wide" onClick={() => picker.current!.click()}>
        <Icon name="in" />
        <span class="lbl">Import</span>
      </button>
      <input ref={picker} type="file" accept=".sam" hidden aria-label="Package to import" onChange={(e) => {
        const file = e.currentTarget.files?.[0];
        e.currentTarget.value = "";
        if (file) void attempt(() => importFile(file));
      }} />
    </>
  );
}

function ExportButton() {
  const [at, setAt] = useState<DOMRect | null>(null);
  return (
    <>
      <button class="btn ghost wide" aria-haspopup="menu" aria-expanded={!!at} onClick={(e) => setAt(at ? null : e.currentTarget.getBoundingClientRect())}>
        <Icon name="out" />
        <span class="lbl">Export</span>
      </button>
      {at && <Menu at={at} items={exports()} label="Export" close={() => setAt(null)} />}
    </>
  );
}

/** How a project leaves or is copied. */
function exports(): (Item | "line")[] {
  return [
    { label: "Export files", icon: "out", run: () => attempt(() => exportProject(false)) },
    { label: "Export files and data", icon: "out", run: () => attempt(() => exportProject(true)) },
    "line",
    { label: "Copy files", icon: "copy", run: () => attempt(() => cloneProject(false)) },
    { label: "Copy files and data", icon: "copy", run: () => attempt(() => cloneProject(true)) },
  ];
}

function ProjectSwitcher() {
  const [at, setAt] = useState<DOMRect | null>(null);
  const current = open.value?.id;
  const items: (Item | "line")[] = [
    ...projects.value.slice(0, 12).map((id): Item => ({ label: id, checked: id === current, run: () => attempt(() => openProject(id)) })),
    ...(projects.value.length > 12 ? [{ label: `All ${projects.value.length} projects`, icon: "search" as const, key: keyName("mod+o"), run: () => (palette.value = "projects") }] : []),
    ...(projects.value.length ? ["line" as const] : []),
    { label: "New or imported project", icon: "plus", run: () => attempt(() => leaveProject()) },
    ...(current ? [...exports(), "line" as const, { label: `Delete ${current}`, icon: "trash" as const, run: () => attempt(() => remove(current)) }] : []),
  ];
  return (
    <>
      <button class="btn ghost project" aria-haspopup="menu" aria-expanded={!!at} onClick={(e) => setAt(at ? null : e.currentTarget.getBoundingClientRect())}>
        <span class="clip">{current ?? "No project"}</span>
        <Icon name="down" small />
      </button>
      {at && <Menu at={at} items={items} label="Projects" close={() => setAt(null)} />}
    </>
  );
}
