// One field for going to a file, opening a project or running a command, told apart by the key that opened it.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { commands, type Command } from "../store/commands";
import { openFile } from "../store/docs";
import { openProject } from "../store/projects";
import { fileNames, palette, projects } from "../store/state";
import { attempt } from "../store/toasts";
import { Icon } from "./Icon";

function choices(): Command[] {
  switch (palette.value) {
    case "files":
      return fileNames.value.map((n) => ({ label: n, icon: "file" as const, run: () => openFile(n) }));
    case "projects":
      return projects.value.map((id) => ({ label: id, icon: "folder" as const, run: () => openProject(id) }));
    default:
      return commands();
  }
}

/** Matches letters in order; better is closer together and nearer to the end of the path. */
function score(label: string, words: string): number {
  const s = label.toLowerCase();
  const direct = s.lastIndexOf(words);
  if (direct >= 0) return 1000 - (s.length - direct - words.length);
  let at = -1;
  let gaps = 0;
  for (const c of words) {
    const next = s.indexOf(c, at + 1);
    if (next < 0) return -1;
    gaps += next - at - 1;
    at = next;
  }
  return 500 - gaps;
}

export function Palette() {
  return palette.value ? <Box key={palette.value} /> : null;
}

function Box() {
  const words = useSignal("");
  const at = useSignal(0);
  const before = useRef<Element | null>(document.activeElement);
  const list = useRef<HTMLUListElement>(null);
  const w = words.value.trim().toLowerCase();
  const found = (w ? choices().map((c) => ({ c, n: score(c.label, w) })).filter((x) => x.n >= 0).sort((a, b) => b.n - a.n).map((x) => x.c) : choices()).slice(0, 50);
  const close = () => (palette.value = "");
  // Before the next key, which may close it again.
  useLayoutEffect(() => () => {
    setTimeout(() => document.activeElement === document.body && (before.current as HTMLElement | null)?.focus?.());
  }, []);
  useEffect(() => {
    list.current?.children[at.value]?.scrollIntoView({ block: "nearest" });
  }, [at.value]);
  const take = (c: Command | undefined) => {
    if (!c) return;
    close();
    void attempt(async () => {
      await c.run();
    });
  };
  const label = { files: "Go to file", projects: "Open a project", commands: "Run a command", "": "" }[palette.value];
  return (
    <div class="scrim clear" onPointerDown={(e) => e.target === e.currentTarget && close()}>
      <div class="pop palette" role="dialog" aria-modal="true" aria-label={label}>
        <label class="field">
          <Icon name="search" />
          <input role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant={found.length ? `choice-${at.value}` : undefined}
            aria-label={label} placeholder={label} value={words.value} ref={(el) => el?.focus()}
            onInput={(e) => {
              words.value = e.currentTarget.value;
              at.value = 0;
            }}
            onBlur={close}
            onKeyDown={(e) => {
              if (e.key === "ArrowDown") at.value = Math.min(at.value + 1, found.length - 1);
              else if (e.key === "ArrowUp") at.value = Math.max(at.value - 1, 0);
              else if (e.key === "Enter") take(found[at.value]);
              else if (e.key === "Escape") close();
              else return;
              e.preventDefault();
              e.stopPropagation();
            }} />
        </label>
        <ul id="palette-list" role="listbox" aria-label={label} ref={list}>
          {found.map((c, i) => (
            <li key={c.label} id={`choice-${i}`} role="option" aria-selected={i === at.value} onPointerDown={(e) => e.preventDefault()} onClick={() => take(c)}>
              <Icon name={c.icon} />
              <span class="clip">{c.label}</span>
              {c.key && <span class="k">{c.key}</span>}
            </li>
          ))}
        </ul>
        {!found.length && <p class="quiet">Nothing has that in its name.</p>}
      </div>
    </div>
  );
}
