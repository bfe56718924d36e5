// Projects: the list, the one that is open, and the stream of its news.
import { batch } from "@preact/signals";
import * as api from "../api";
import type { ConsoleEvent, FilesEvent, PromptsEvent, ReadyEvent } from "../wire";
import { auditChanged } from "./audit";
import { presentChanged, timelineChanged } from "./checkpoints";
import { add, readConsole, turnPage } from "./console";
import { changedElsewhere, closeAll, refreshAll } from "./docs";
import { active, area, begun, files, isolation, online, open, person, projects, repos, rows, templates, tool } from "./state";
import { chooseAgent, prompted, refreshRoles } from "./roles";
import { stored } from "./live";
import { holding, openTabs } from "./tabs";
import { kinds } from "./terminal";
import { attempt, follow, toast } from "./toasts";

/** Reads what the page begins with, and opens the project that the address or the bench names. */
export async function begin(): Promise<void> {
  try {
    await firstProject();
  } finally {
    begun.value = true;
  }
}

async function firstProject(): Promise<void> {
  const asked = new URL(location.href).searchParams.get("project");
  const [s, t, p] = await Promise.all([api.session(), api.templates(), api.projects()]);
  isolation.value = s.isolation;
  repos.value = s.repos;
  kinds.value = s.terminals;
  person.value = s.principal;
  templates.value = t;
  projects.value = p.projects;
  const id = asked ?? p.work;
  if (id && p.projects.includes(id)) await openProject(id, "replace");
  else {
    if (asked) toast(`There is no project ${asked}.`, { danger: true });
    listen("");
  }
}

export async function refreshProjects(): Promise<void> {
  const p = await api.projects();
  projects.value = p.projects.filter((id) => !leaving.has(id));
}

/** Opens a project and makes it the work project. */
export async function openProject(id: string, history: "push" | "replace" | "keep" = "push"): Promise<void> {
  await holding(() => change(id, history));
}

async function change(id: string, history: "push" | "replace" | "keep"): Promise<void> {
  await closeAll();
  const p = await api.project(id);
  batch(() => {
    open.value = { id, canvas: p.canvas };
    files.value = new Map(p.files.map((f) => [f.name, f]));
    rows.value = [];
    active.value = "";
    tool.value = "";
    area.value = "canvas";
  });
  remember(id, history);
  listen(id);
  void attempt(() => api.setWork(id));
  await openTabs(id);
}

/** Shows the gallery. The work project stays what it is. */
export async function leaveProject(history: "push" | "keep" = "push"): Promise<void> {
  await holding(closeAll);
  open.value = null;
  files.value = new Map();
  rows.value = [];
  remember("", history);
  listen("");
}

function remember(id: string, how: "push" | "replace" | "keep"): void {
  const url = new URL(location.href);
  if (id) url.searchParams.set("project", id);
  else url.searchParams.delete("project");
  document.title = id ? `${id} · Playground` : "Playground";
  if (how === "push" && url.href !== location.href) history.pushState(null, "", url);
  else if (how !== "keep") history.replaceState(null, "", url);
}

/** Follows the browser's back and forward. */
export function followHistory(): void {
  addEventListener("popstate", () => {
    const id = new URL(location.href).searchParams.get("project") ?? "";
    if (id === (open.value?.id ?? "")) return;
    void attempt(() => (id ? openProject(id, "keep") : leaveProject("keep")));
  });
}

/** Makes a project from a template and opens it. An empty name is chosen here. */
export async function create(template: string, name: string): Promise<void> {
  const id = name || freeName(template);
  const p = await api.createProject(id, template);
  await joined(p.id);
  if (templates.value.some((t) => t.id === template && t.kind === "agent")) {
    toast(`${p.id} can be the agent`, { who: "agent", action: { label: "Make it the agent", run: () => chooseAgent(p.id) } });
  }
}

/** Opens a project that there was not before. */
export async function joined(id: string): Promise<void> {
  if (!projects.value.includes(id)) projects.value = [...projects.value, id].sort();
  await openProject(id);
}

/** A name like stem that no project has. */
export function freeName(stem: string): string {
  const taken = new Set([...projects.value, ...leaving]);
  for (let n = 1; ; n++) {
    const id = n === 1 ? stem : `${stem}-${n}`;
    if (!taken.has(id)) return id;
  }
}

const leaving = new Set<string>(); // deleted, but it can still be undone

/** Deletes a project when the time to undo it is over. */
export async function remove(id: string): Promise<void> {
  leaving.add(id);
  projects.value = projects.value.filter((p) => p !== id);
  if (open.value?.id === id) await leaveProject();
  toast(`Deleted ${id}`, {
    action: {
      label: "Undo",
      run: async () => {
        leaving.delete(id);
        await refreshProjects();
      },
    },
    then: () =>
      attempt(async () => {
        await api.deleteProject(id);
        leaving.delete(id);
      }),
  });
}

let stream: EventSource | null = null;
let again = 0;

/** Follows the news of a project, "" meaning the list of projects alone. */
function listen(id: string): void {
  stream?.close();
  clearTimeout(again);
  const s = (stream = api.events(id));
  // One after the other: news that comes while the page catches up is newer than
  // what it reads, and must not be overwritten by it.
  let before: Promise<unknown> = Promise.resolve();
  const on = <T>(kind: string, f: (data: T) => unknown) =>
    s.addEventListener(kind, (e) => {
      const data = JSON.parse((e as MessageEvent).data);
      before = before.then(() => (s === stream ? follow(() => f(data)) : undefined));
    });
  on<ReadyEvent>("ready", async (e) => {
    online.value = true;
    if (e.missed) await catchUp(id);
    await refreshRoles();
  });
  on<FilesEvent>("files", (e) => {
    const next = new Map(files.value);
    for (const f of e.files) {
      if (f.hash) next.set(f.name, f);
      else next.delete(f.name);
    }
    files.value = next;
    turnPage();
    presentChanged();
    for (const f of e.files) void changedElsewhere(f.name, f.hash);
  });
  on<ConsoleEvent>("console", (e) => add(e.first, e.entries));
  on("checkpoints", timelineChanged);
  on("data", stored);
  on("audit", auditChanged);
  on("projects", () => {
    auditChanged(); // which grants can be given
    return Promise.all([refreshProjects(), refreshRoles()]);
  });
  on("trust", refreshRoles);
  on<PromptsEvent>("prompts", prompted);
  s.onerror = () => {
    if (s !== stream) return;
    online.value = false;
    if (s.readyState !== EventSource.CLOSED) return; // the browser tries again
    again = window.setTimeout(() => void relisten(id), 2000);
  };
}

/** Listens again after the stream was refused: the program restarts, or the project is gone. */
async function relisten(id: string): Promise<void> {
  try {
    await refreshProjects();
    if (id && !projects.value.includes(id)) {
      toast(`${id} was deleted.`);
      await leaveProject();
      return;
    }
    if (id) open.value = { id, canvas: (await api.project(id)).canvas };
    listen(id);
  } catch {
    again = window.setTimeout(() => void relisten(id), 2000);
  }
}

async function catchUp(id: string): Promise<void> {
  auditChanged();
  await refreshProjects();
  if (!id) return;
  const p = await api.project(id);
  if (open.value?.id !== id) return;
  files.value = new Map(p.files.map((f) => [f.name, f]));
  await Promise.all([readConsole(id), refreshAll()]);
  stored();
  timelineChanged();
}
