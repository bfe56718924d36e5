// Who may do what: work project, agent, tool sessions, and what waits for the person. The program
// says how it is; the page asks again whenever it hears that something changed.
import { computed, signal } from "@preact/signals";
import * as api from "../api";
import type { ApprovalInfo, Candidate, DenialInfo, GrantInfo, PromptInfo, PromptsEvent, RolesReply, SessionInfo } from "../wire";
import { showPanel } from "./dock";
import { openFile } from "./docs";
import { showLeft } from "./left";
import { freeName, openProject, refreshProjects } from "./projects";
import { area, files, open, templates, tool } from "./state";
import { attempt, toast } from "./toasts";

const nothing: RolesReply = { work: "", tools: [], approvals: [], questions: [], denials: [], connects: [], now: "" };

export const roles = signal<RolesReply>(nothing);
export const now = signal(Date.now()); // by the program's clock; moves every few seconds

/** A tool session that has ended while its tab was open. */
export interface Ended {
  session: SessionInfo;
  why: string;
}

export const ended = signal<readonly Ended[]>([]);

/** The grant that the person is asked for. */
export interface Asking {
  project: string; // the tool
  size: number;
  kind: string;
  grant: GrantInfo;
  wished: readonly string[]; // functions that its sam.json would like
  replaces: string; // the session that this one narrows, or ""
}

export const asking = signal<Asking | null>(null);

/** The tool sessions that have a tab: those on the open project, and those on none. */
export const tabs = computed(() => roles.value.tools.filter((t) => !t.grant.project || t.grant.project === open.value?.id));
export const endedTabs = computed(() => ended.value.filter((e) => !e.session.grant.project || e.session.grant.project === open.value?.id));

/** How many things wait for the person's answer. */
export const waiting = computed(() => roles.value.approvals.length + roles.value.questions.length);

/** Who changed a file last, besides the person: by its name, in the open project. */
export const marks = computed(() => {
  const by = new Map<string, "agent" | "tool">();
  const turn = roles.value.turn;
  if (turn && turn.project === open.value?.id && !turn.undone) for (const f of turn.files) by.set(f, "agent");
  for (const t of tabs.value) if (t.grant.project) for (const f of t.wrote) by.set(f, "tool");
  return by;
});

const closing = new Set<string>(); // by this page
const paths = new Map<string, string>(); // of sessions
const known = new Set<string>(); // denials that were shown
let reading = false;
let stale = false;

/** Reads the roles anew. Of many calls at once two are made. */
export async function refreshRoles(): Promise<void> {
  stale = true;
  if (reading) return;
  reading = true;
  try {
    while (stale) {
      stale = false;
      take(await api.roles());
      if (stale) await new Promise((done) => setTimeout(done, 100)); // who is refused all the time
    }
  } finally {
    reading = false;
  }
}

function take(next: RolesReply): void {
  const before = roles.value;
  next.tools = next.tools.filter((t) => !closing.has(t.id));
  // A path is sealed anew each time; the first one stays, or the frame would load again.
  for (const s of [...next.tools, ...(next.agent ? [next.agent] : [])]) {
    s.canvas = paths.get(s.id) ?? s.canvas;
    paths.set(s.id, s.canvas);
  }
  now.value = Date.parse(next.now);
  const gone = before.tools.filter((t) => !closing.has(t.id) && !next.tools.some((n) => n.id === t.id));
  roles.value = next;
  if (gone.length) ended.value = [...ended.value, ...gone.map((session) => ({ session, why: whyEnded(session) }))];
  if (tool.value && tool.value !== "ask" && ![...next.tools, ...ended.value.map((e) => e.session)].some((t) => t.id === tool.value)) leaveTool();
  for (const d of next.denials) if (!known.has(d.id)) announce(d);
}

function whyEnded(s: SessionInfo): string {
  if (s.grant.expires && Date.parse(s.grant.expires) <= now.value + 1000) return "Its time is over.";
  if (s.grant.maxCalls > 0 && s.calls >= s.grant.maxCalls) return "All its calls are used.";
  if (s.byAgent && !roles.value.agent) return "The agent that opened it has lost its role.";
  return "It was revoked.";
}

/** Shows a refusal, unless it stands beside what was refused. */
function announce(d: DenialInfo): void {
  known.add(d.id);
  if (tool.value === d.session && area.value !== "agent") return;
  const shown = d.can ? { label: "Show", run: () => showDenial(d) } : undefined;
  toast(d.role === "agent" ? `${d.message} No grant can allow it.` : d.message, { who: d.role, name: d.project, action: shown });
}

function showDenial(d: DenialInfo): void {
  if (roles.value.tools.some((t) => t.id === d.session)) showTool(d.session);
}

/** Keeps the times true, and the counts of what is looked at. */
export function followClock(): void {
  let turns = 0;
  setInterval(() => {
    now.value += 5000;
    turns++;
    const busy = roles.value.turn?.running || (tool.value && tool.value !== "ask") || roles.value.tools.some((t) => Date.parse(t.grant.expires ?? "") < now.value);
    if (document.visibilityState === "visible" && (busy || (roles.value.agent && turns % 2 === 0))) void refreshRoles().catch(() => {});
  }, 5000);
}

// ── the agent

/** Makes a project the agent, "" meaning none. */
export async function chooseAgent(id: string): Promise<void> {
  const before = roles.value.agent?.project ?? "";
  if (before === id) return;
  await api.setAgent(id);
  await refreshRoles();
  if (id) showLeft("agent");
  toast(id ? `${id} is the agent` : `${before} is the agent no more`, {
    who: "person",
    action: { label: "Undo", run: async () => { await api.setAgent(before); await refreshRoles(); } },
  });
}

/** Makes an agent from a template, and the agent. The open project stays open. */
export async function makeAgent(template: string): Promise<void> {
  const p = await api.createProject(freeName(template), template);
  await refreshProjects();
  await chooseAgent(p.id);
}

// ── tools

export const candidates = signal<readonly Candidate[]>([]);

export async function readCandidates(): Promise<void> {
  candidates.value = await api.candidates();
}

/** Asks the person what a project may do as a tool on the open one. */
export async function askTool(id: string): Promise<void> {
  await readCandidates();
  const c = candidates.value.find((c) => c.id === id);
  if (!c || !open.value) return;
  const paths = c.wants.paths.length ? c.wants.paths : [files.value.has("index.html") && files.value.size === 1 ? "index.html" : "**"];
  asking.value = {
    project: id, size: c.size, kind: c.kind, wished: c.wants.uses, replaces: "",
    grant: { project: open.value.id, paths, mode: c.wants.mode || "read", uses: [], maxCalls: 1000, expires: inMinutes(60), confirm: false },
  };
  showAsk();
}

/** Makes a tool from a template and asks about it. */
export async function makeTool(template: string): Promise<void> {
  const p = await api.createProject(freeName(template), template);
  await refreshProjects();
  await askTool(p.id);
}

export function narrow(s: SessionInfo): void {
  asking.value = { project: s.project, size: 0, kind: "tool", wished: [], replaces: s.id, grant: { ...s.grant, maxCalls: Math.max(1, s.grant.maxCalls - s.calls) } };
  showAsk();
}

export function again(e: Ended): void {
  asking.value = { project: e.session.project, size: 0, kind: "tool", wished: [], replaces: "", grant: { ...e.session.grant, expires: inMinutes(60) } };
  forget(e.session.id);
  showAsk();
}

export function inMinutes(n: number): string {
  return new Date(now.value + n * 60_000).toISOString();
}

function showAsk(): void {
  tool.value = "ask";
  area.value = "editor";
}

export function showTool(id: string): void {
  tool.value = id;
  area.value = "editor";
}

/** Goes from a tool's tab to the file that was shown before. */
function leaveTool(): void {
  tool.value = "";
}

export function cancelAsk(): void {
  const back = asking.value?.replaces ?? "";
  asking.value = null;
  tool.value = back;
}

/** Opens the tool that is asked about. A session that it narrows ends. */
export async function openAsked(grant: GrantInfo): Promise<void> {
  const a = asking.value;
  if (!a) return;
  const s = await api.openTool(a.project, grant);
  asking.value = null;
  if (a.replaces) await revoke(a.replaces);
  await refreshRoles();
  showTool(s.id);
}

/** Closes a tool's tab, which revokes its rights. */
export async function closeTool(id: string): Promise<void> {
  const gone = ended.value.find((e) => e.session.id === id);
  if (gone) return forget(id);
  const s = roles.value.tools.find((t) => t.id === id);
  if (!s) return;
  await revoke(id);
  toast(`Closed ${s.project} and revoked its rights`, {
    who: "person",
    action: { label: "Undo", run: async () => {
      const left = { ...s.grant, maxCalls: Math.max(1, s.grant.maxCalls - s.calls) };
      const again = await api.openTool(s.project, left);
      for (const g of s.added) await api.widenTool(again.id, g);
      await refreshRoles();
      showTool(again.id);
    } },
  });
}

/** Ends a session: first here, so that it goes dark whatever the program says. */
async function revoke(id: string): Promise<void> {
  closing.add(id);
  roles.value = { ...roles.value, tools: roles.value.tools.filter((t) => t.id !== id) };
  if (tool.value === id) leaveTool();
  try {
    await api.closeTool(id);
  } catch (e) {
    if (e instanceof api.Failure && e.code === "not_found") return; // it has ended by itself
    closing.delete(id);
    await refreshRoles();
    throw e;
  }
}

function forget(id: string): void {
  ended.value = ended.value.filter((e) => e.session.id !== id);
  if (tool.value === id) leaveTool();
}

/** Asks about a tool with the grant that a refusal names, and no more. */
export function askGranted(id: string, want: GrantInfo): void {
  asking.value = { project: id, size: 0, kind: "tool", wished: [], replaces: "", grant: { ...want, maxCalls: 1000, expires: inMinutes(60), confirm: false } };
  showAsk();
}

// ── whom pages may talk to

/** Takes an origin from a project's pages. */
export async function disconnect(id: string, origin: string): Promise<void> {
  const before = roles.value.connects.find((c) => c.project === id)?.origins ?? [];
  const put = async (origins: readonly string[]) => {
    await api.setConnects(id, origins);
    await refreshRoles();
  };
  await put(before.filter((o) => o !== origin));
  toast(`${id} may talk to ${origin} no more`, {
    who: "person",
    action: { label: "Undo", run: () => put([...(roles.value.connects.find((c) => c.project === id)?.origins ?? []), origin]) },
  });
}

// ── answers

export const grantDenied = (d: DenialInfo) => grantWanted(d.session, d.want);

/** Gives a session what a call was refused for want of. */
export async function grantWanted(session: string, want: GrantInfo): Promise<void> {
  await api.widenTool(session, want);
  await refreshRoles();
}

export async function dismissDenial(d: DenialInfo): Promise<void> {
  roles.value = { ...roles.value, denials: roles.value.denials.filter((o) => o.id !== d.id) };
  await settled(api.dismissDenial(d.id));
}

/** Decides about a call. seconds says how long that is remembered, 0 meaning as long as the session lives. */
export async function decide(a: ApprovalInfo, allow: boolean, scope: "once" | "session" = "once", seconds = 0): Promise<void> {
  roles.value = { ...roles.value, approvals: roles.value.approvals.filter((o) => o.id !== a.id) };
  await settled(api.decide(a.id, { allow, scope, seconds }));
}

export async function answer(q: PromptInfo, text: string): Promise<void> {
  roles.value = { ...roles.value, questions: roles.value.questions.filter((o) => o.id !== q.id) };
  await settled(api.answer(q.id, text));
}

/** Waits for an act whose object another window may have settled before. */
async function settled(act: Promise<void>): Promise<void> {
  try {
    await act;
  } catch (e) {
    if (!(e instanceof api.Failure) || e.code !== "not_found") throw e;
  } finally {
    await refreshRoles();
  }
}

// ── the agent's turn

export async function undoTurn(): Promise<void> {
  const turn = roles.value.turn;
  if (!turn) return;
  await api.undoTurn(turn.checkpoint);
  await refreshRoles();
  toast(`Undid the turn of ${turn.agent}`, { who: "person", action: { label: "Undo", run: redoTurn } });
}

export async function redoTurn(): Promise<void> {
  const turn = roles.value.turn;
  if (!turn) return;
  await api.redoTurn(turn.checkpoint);
  await refreshRoles();
}

// ── what the agent wants to be seen

export async function prompted(e: PromptsEvent): Promise<void> {
  for (const p of e.prompts) await attempt(() => show(p));
}

async function show(p: PromptInfo): Promise<void> {
  switch (p.act) {
    case "message":
      toast(p.text ?? "", { who: "agent", name: p.agent, danger: p.level === "error", warn: p.level === "warn" });
      return;
    case "open":
      if (p.project !== open.value?.id) {
        toast(`wants to show ${p.path} of ${p.project}`, {
          who: "agent", name: p.agent,
          action: { label: "Show", run: async () => { await openProject(p.project!); await openFile(p.path!, p.line, p.column); } },
        });
        return;
      }
      // Typing goes on where it is: what is shown takes no focus.
      tool.value = "";
      await openFile(p.path!, p.line, p.column, false);
      return;
    case "work":
      await follow(p.agent, p.project!);
      return;
    case "focus":
      if (!open.value) return;
      if (p.panel === "files" || p.panel === "agent") showLeft(p.panel);
      else if (p.panel === "console") showPanel("console");
      else {
        if (p.panel === "editor") tool.value = "";
        area.value = p.panel === "editor" ? "editor" : "canvas";
      }
      return;
    default:
      await refreshRoles();
  }
}

/** Goes where the agent works now. Who types goes on typing, and is told. */
async function follow(agent: string, id: string): Promise<void> {
  const before = open.value?.id ?? "";
  if (id === before || id === agent) return;
  const typing = document.activeElement?.closest("input, textarea, [contenteditable=true]");
  if (typing) {
    toast(`works on ${id} now`, { who: "agent", name: agent, action: { label: "Show", run: () => openProject(id) } });
    return;
  }
  await besideAgent(id);
  toast(`works on ${id} now`, { who: "agent", name: agent, action: before ? { label: "Undo", run: () => besideAgent(before) } : undefined });
}

/** Opens a project. A narrow page that shows the agent goes on showing it, and what it asks. */
async function besideAgent(id: string): Promise<void> {
  const shown = area.value;
  await openProject(id);
  if (shown === "agent") area.value = shown;
}

/** The agents' and tools' templates. */
export const templatesOf = (kind: string) => templates.value.filter((t) => t.kind === kind);
