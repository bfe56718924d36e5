import { computed, signal, useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { openFile } from "../store/docs";
import { keyName } from "../keys";
import { addFiles, createFile, createFolder, dropped, emptyFolders, moveInto, nameTrouble, remove, rename } from "../store/files";
import { isCode, kindOf, size } from "../store/kinds";
import { exact, find, regex } from "../store/search";
import { isPackage } from "../store/packages";
import { active, fileNames, files, open } from "../store/state";
import { attempt, toast } from "../store/toasts";
import { FoundLines } from "./FoundLines";
import { Icon } from "./Icon";
import { marks } from "../store/roles";
import { Menu } from "./Menu";
import { Who } from "./Who";
import { rowsOf, type Node } from "./tree";

const closed = signal<ReadonlySet<string>>(new Set()); // folders
const focused = signal(""); // the row that Tab reaches
const editing = signal<{ path: string; value: string; create: boolean; folder?: boolean } | null>(null);

const rows = computed(() => {
  const words = find.value.trim().toLowerCase();
  const names = words ? fileNames.value.filter((n) => n.toLowerCase().includes(words)) : fileNames.value;
  const folders = words ? [] : [...emptyFolders.value].map((f) => f + "/");
  return rowsOf([...names, ...folders].sort(), (folder) => !!words || !closed.value.has(folder));
});

function toggle(folder: string, on = closed.value.has(folder)) {
  const next = new Set(closed.value);
  if (on) next.delete(folder);
  else next.add(folder);
  closed.value = next;
}

function startCreate(inside = "", folder = false) {
  if (inside) toggle(inside, true);
  editing.value = { path: "", value: inside ? inside + "/" : "", create: true, folder };
}

export function FileTree() {
  const over = useSignal(false);
  const picker = useRef<HTMLInputElement>(null);
  const total = [...files.value.values()].reduce((n, f) => n + f.size, 0);
  return (
    <div
      class={`col grow files${over.value ? " over" : ""}`}
      onDragOver={(e) => {
        if (!e.dataTransfer?.types.some((t) => t === "Files" || t === moving)) return;
        e.preventDefault();
        over.value = e.dataTransfer.types.includes("Files");
      }}
      onDragLeave={(e) => {
        if (!e.currentTarget.contains(e.relatedTarget as globalThis.Node | null)) over.value = false;
      }}
      onDrop={(e) => {
        e.preventDefault();
        over.value = false;
        const into = (e.target as HTMLElement).closest<HTMLElement>("[data-folder]")?.dataset.folder ?? "";
        const transfer = e.dataTransfer!;
        const path = transfer.getData(moving);
        if (path) {
          void attempt(() => moveInto(path, into));
          return;
        }
        if ([...transfer.files].every((f) => isPackage(f.name))) return; // a project of its own: see followDrops
        void attempt(async () => addFiles(into, await dropped(transfer)));
      }}
    >
      <div class="tools">
        <label class="field soft">
          <Icon name="search" />
          <input id="find" title={keyName("mod+shift+f")} placeholder={`Find in ${open.value?.id ?? "files"}`} aria-label="Find in files" aria-keyshortcuts="Control+Shift+F" value={find.value} onInput={(e) => (find.value = e.currentTarget.value)}
            onKeyDown={(e) => {
              if (e.key === "Escape") find.value = "";
              if (e.key === "ArrowDown") e.currentTarget.closest(".files")?.querySelector<HTMLElement>(".hit[tabindex='0'], .trow[tabindex='0']")?.focus();
            }} />
          {find.value ? (
            <>
              <button class="opt" aria-label="Match case" title="Match case" aria-pressed={exact.value} onClick={() => (exact.value = !exact.value)}>Aa</button>
              <button class="opt" aria-label="Regular expression" title="Regular expression" aria-pressed={regex.value} onClick={() => (regex.value = !regex.value)}>.*</button>
            </>
          ) : null}
        </label>
        <AddButton pick={(folders) => {
          picker.current!.webkitdirectory = folders;
          picker.current!.click();
        }} />
        <button class="btn ghost icon" aria-label="New file" title="New file" onClick={() => startCreate()}><Icon name="plus" /></button>
        <input ref={picker} type="file" multiple hidden aria-label="Files to add"
          onChange={(e) => {
            const chosen = [...(e.currentTarget.files ?? [])].map((f) => ({ name: f.webkitRelativePath || f.name, data: f }));
            e.currentTarget.value = "";
            void attempt(() => addFiles("", chosen));
          }} />
      </div>
      <Rows />
      {find.value && <FoundLines />}
      <div class="foot">
        <span class="num">{files.value.size === 1 ? "1 file" : `${files.value.size} files`} · {size(total)}</span>
        <span class="push">{over.value ? "Drop to add" : "Drop files to add"}</span>
      </div>
    </div>
  );
}

const moving = "application/x-playground-path"; // of a row that is dragged

function AddButton({ pick }: { pick: (folders: boolean) => void }) {
  const at = useSignal<DOMRect | null>(null);
  return (
    <>
      <button class="btn ghost icon" aria-label="Add" title="Add files and folders" aria-haspopup="menu" aria-expanded={!!at.value} onClick={(e) => (at.value = at.value ? null : e.currentTarget.getBoundingClientRect())}><Icon name="up" /></button>
      {at.value && (
        <Menu at={at.value} label="Add" close={() => (at.value = null)}
          items={[
            { label: "Add files", icon: "file", run: () => pick(false) },
            { label: "Add a folder", icon: "folder", run: () => pick(true) },
            "line",
            { label: "New file", icon: "plus", run: () => startCreate() },
            { label: "New folder", icon: "folder", run: () => startCreate("", true) },
          ]} />
      )}
    </>
  );
}

function Rows() {
  const ref = useRef<HTMLDivElement>(null);
  const all = rows.value;
  const stop = all.some((r) => r.path === focused.value) ? focused.value : (all.find((r) => r.path === active.value) ?? all[0])?.path;

  const focus = (path: string | undefined) => {
    if (path === undefined) return;
    focused.value = path;
    requestAnimationFrame(() => ref.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus());
  };

  const onKey = (e: KeyboardEvent) => {
    if (editing.value) return;
    const at = all.findIndex((r) => r.path === stop);
    const row = all[at];
    if (!row) return;
    switch (e.key) {
      case "ArrowDown": focus(all[at + 1]?.path); break;
      case "ArrowUp": focus(all[at - 1]?.path); break;
      case "Home": focus(all[0].path); break;
      case "End": focus(all[all.length - 1].path); break;
      case "ArrowRight":
        if (row.folder && closed.value.has(row.path)) toggle(row.path, true);
        else if (row.folder) focus(all[at + 1]?.path);
        break;
      case "ArrowLeft":
        if (row.folder && !closed.value.has(row.path)) toggle(row.path, false);
        else focus(row.path.includes("/") ? row.path.slice(0, row.path.lastIndexOf("/")) : undefined);
        break;
      case "Enter": case " ": choose(row); break;
      case "F2": editing.value = { path: row.path, value: row.path, create: false }; break;
      case "Delete": focus(all[at + 1]?.path ?? all[at - 1]?.path); void attempt(() => remove(row.path)); break;
      default: return;
    }
    e.preventDefault();
  };

  return (
    <div class="tree" role={all.length || editing.value ? "tree" : "group"} aria-label="Files" ref={ref} onKeyDown={onKey}>
      {editing.value?.create && <NameField />}
      {all.map((row) =>
        editing.value && !editing.value.create && editing.value.path === row.path ? (
          <NameField key={row.path} />
        ) : (
          <Row key={row.path} row={row} stop={row.path === stop} />
        ),
      )}
      {all.length === 0 && !editing.value && <p class="none">{find.value ? "No file has that in its name." : "No files yet."}</p>}
    </div>
  );
}

function choose(row: Node) {
  focused.value = row.path;
  if (row.folder) toggle(row.path);
  else void attempt(() => openFile(row.path));
}

const notes: Record<string, string> = { "index.html": "entry", "functions.js": "runs on the server", "functions.ts": "runs on the server" };

function Row({ row, stop }: { row: Node; stop: boolean }) {
  const menu = useSignal<DOMRect | null>(null);
  const mark = marks.value.get(row.path);
  const isOpen = row.folder && !closed.value.has(row.path);
  const folder = row.folder ? row.path : row.path.includes("/") ? row.path.slice(0, row.path.lastIndexOf("/")) : "";
  return (
    <div
      class="trow" role="treeitem" tabIndex={stop ? 0 : -1} data-path={row.path} data-folder={folder || undefined} aria-level={row.depth + 1}
      aria-expanded={row.folder ? isOpen : undefined} aria-selected={row.path === active.value} style={{ "--d": row.depth }}
      onFocus={(e) => e.target === e.currentTarget && (focused.value = row.path)}
      onClick={() => choose(row)}
      draggable
      onDragStart={(e) => {
        e.dataTransfer!.setData(moving, row.path);
        e.dataTransfer!.effectAllowed = "move";
      }}
      onContextMenu={(e) => {
        e.preventDefault();
        menu.value = new DOMRect(e.clientX, e.clientY, 0, 0);
      }}
    >
      {row.folder ? <Icon name={isOpen ? "down" : "right"} class="tw" /> : <span class="sp" />}
      <Icon name={row.folder ? "folder" : isCode(row.path) ? "code" : kindOf(row.path).kind === "image" ? "image" : "file"} />
      <span class="clip">{row.label}</span>
      {(notes[row.path] || mark) && <small>{notes[row.path]} {mark && <span title={mark === "agent" ? "Changed in the agent's turn" : "Changed by an open tool"}><Who kind={mark} /></span>}</small>}
      <button class="more" tabIndex={-1} aria-label={`Actions for ${row.path}`}
        onClick={(e) => {
          e.stopPropagation();
          menu.value = e.currentTarget.getBoundingClientRect();
        }}>
        <Icon name="dots" />
      </button>
      {menu.value && (
        <span onClick={(e) => e.stopPropagation()} onKeyDown={(e) => e.stopPropagation()}>
          <Menu at={menu.value} label={row.path} close={() => (menu.value = null)}
            items={[
              { label: "New file here", icon: "plus", run: () => startCreate(folder) },
              { label: "New folder here", icon: "folder", run: () => startCreate(folder, true) },
              { label: "Rename", icon: "edit", key: "F2", run: () => (editing.value = { path: row.path, value: row.path, create: false }) },
              { label: "Delete", icon: "trash", key: "Del", run: () => attempt(() => remove(row.path)) },
            ]} />
        </span>
      )}
    </div>
  );
}

/** The field in which a file gets its name, at its place in the tree. */
function NameField() {
  const e = editing.value!;
  const value = e.value;
  const trouble = value === e.path && !e.create ? "" : value && !value.endsWith("/") ? nameTrouble(value) : "";
  const finish = (take: boolean) => {
    const now = editing.value;
    if (!now) return;
    const name = now.value.trim();
    editing.value = null;
    if (!take || !name || name === now.path) return;
    const why = nameTrouble(name);
    if (why) toast(why, { danger: true });
    else void attempt(() => (now.folder ? createFolder(name) : now.create ? createFile(name) : rename(now.path, name)));
  };
  return (
    <div class="naming-row" role="treeitem" aria-selected={false} aria-label={e.folder ? "New folder" : e.create ? "New file" : e.path}>
      <span class="field small">
        <input aria-label={e.folder ? "Name of the new folder" : e.create ? "Name of the new file" : `New name of ${e.path}`} value={value} spellcheck={false} autocomplete="off" placeholder={e.folder ? "src" : "src/app.js"} aria-invalid={!!trouble} title={trouble}
          ref={(el) => {
            if (!el || el === document.activeElement) return;
            el.focus();
            const slash = value.lastIndexOf("/") + 1;
            const dot = value.lastIndexOf(".");
            el.setSelectionRange(slash, dot > slash ? dot : value.length);
          }}
          onInput={(ev) => (editing.value = { ...e, value: ev.currentTarget.value })}
          onKeyDown={(ev) => {
            ev.stopPropagation();
            if (ev.key === "Enter") finish(true);
            else if (ev.key === "Escape") finish(false);
          }}
          onBlur={() => finish(true)} />
      </span>
      {trouble && <small class="danger" role="status">{trouble}</small>}
    </div>
  );
}
