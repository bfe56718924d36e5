// The typed client of the page's JSON API. Nothing else in the page calls fetch.
import type { CompleteReply, ScreenReply, TypedRequest } from "./wire";
import type { AuditReply, CheckpointInfo, CheckpointsReply, DiffReply, FileDiffReply } from "./wire";
import type { Candidate, DecisionRequest, GrantInfo, RolesReply, SessionInfo } from "./wire";
import type {
  ConflictDetails, ConsoleReply, EditRequest, FileInfo, FileReply, Found, ImportReply, ProgressEvent, ProjectReply, ProjectsReply, SessionReply, TemplateInfo,
} from "./wire";

const base = new URL("api/", document.baseURI);

/** A Failure is an answer of the API that says what went wrong. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: unknown,
  ) {
    super(message);
  }

  /** What the file is now, if the failure is a conflict about one. */
  get conflict(): ConflictDetails | null {
    return this.code === "conflict" && this.details ? (this.details as ConflictDetails) : null;
  }
}

let token = "";

export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, retry = true): Promise<T> {
  const raw = body instanceof Blob;
  const headers: Record<string, string> = {};
  if (method !== "GET") headers["X-Playground-Token"] = token || (await session()).token;
  if (body !== undefined) headers["Content-Type"] = raw ? "application/octet-stream" : "application/json";
  let answer: Response;
  try {
    answer = await fetch(new URL(path, base), {
      method, headers, signal, keepalive: method === "DELETE", body: raw ? body : body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    signal?.throwIfAborted();
    throw silent();
  }
  if (answer.ok) {
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
  const failure = await failureOf(answer);
  // The program was started anew and has forgotten the token.
  if (retry && failure.code === "denied" && method !== "GET") {
    await session();
    return call<T>(method, path, body, signal, false);
  }
  throw failure;
}

const silent = () => new Failure(0, "unavailable", "The playground does not answer. Is its program still running?");

async function failureOf(answer: Response): Promise<Failure> {
  try {
    const e = await answer.json();
    return new Failure(answer.status, e.code ?? "internal", e.message ?? answer.statusText, e.details);
  } catch {
    return new Failure(answer.status, "internal", `The answer was ${answer.status} ${answer.statusText}.`);
  }
}

export function at(id: string, what = ""): string {
  return `projects/${encodeURIComponent(id)}${what}`;
}

function named(name: string, more: Record<string, string> = {}): string {
  return "?" + new URLSearchParams({ name, ...more });
}

export async function session(): Promise<SessionReply> {
  const s = await call<SessionReply>("GET", "session");
  token = s.token;
  return s;
}

export const templates = () => call<TemplateInfo[]>("GET", "templates");
export const projects = () => call<ProjectsReply>("GET", "projects");
export const project = (id: string) => call<ProjectReply>("GET", at(id));
export const createProject = (id: string, template: string) => call<ProjectReply>("POST", "projects", { id, template });
export const deleteProject = (id: string) => call<void>("DELETE", at(id));
export const setWork = (id: string) => call<void>("PUT", "work", { id });
export const readFile = (id: string, name: string) => call<FileReply>("GET", at(id, "/file") + named(name));
export const writeFile = (id: string, name: string, text: string, expected: string) =>
  call<FileInfo>("PUT", at(id, "/file") + named(name), { text, expected });
export const upload = (id: string, name: string, data: Blob, expected: string, signal: AbortSignal) =>
  call<FileInfo>("PUT", at(id, "/raw") + named(name, { expected }), data, signal);
export const edit = (id: string, edits: EditRequest[]) => call<void>("POST", at(id, "/edits"), { edits });
export const roles = () => call<RolesReply>("GET", "roles");
export const candidates = () => call<Candidate[]>("GET", "roles/candidates");
export const setAgent = (id: string) => call<void>("PUT", "agent", { id });
export const openTool = (project: string, grant: GrantInfo) => call<SessionInfo>("POST", "tools", { project, grant });
export const widenTool = (session: string, grant: GrantInfo) => call<SessionInfo>("POST", `tools/${encodeURIComponent(session)}/grants`, { grant });
export const closeTool = (session: string) => call<void>("DELETE", `tools/${encodeURIComponent(session)}`);
export const decide = (id: string, decision: DecisionRequest) => call<void>("POST", `approvals/${encodeURIComponent(id)}`, decision);
export const answer = (id: string, text: string) => call<void>("POST", `questions/${encodeURIComponent(id)}`, { text });
export const setConnects = (id: string, origins: readonly string[]) => call<unknown>("PUT", at(id, "/connect"), { origins });
export const dismissDenial = (id: string) => call<void>("DELETE", `denials/${encodeURIComponent(id)}`);
export const undoTurn = (checkpoint: string) => call<void>("POST", "turn/undo", { checkpoint });
export const redoTurn = (checkpoint: string) => call<void>("POST", "turn/redo", { checkpoint });
export const reload = (id: string) => call<void>("POST", at(id, "/reload"));
export const consoleOf = (id: string) => call<ConsoleReply>("GET", at(id, "/console"));
export const clearConsole = (id: string) => call<void>("DELETE", at(id, "/console"));

export const clone = (id: string, to: string, state: boolean, signal: AbortSignal) => call<ImportReply>("POST", at(id, "/clone"), { id: to, state }, signal);
export const search = (id: string, q: { q: string; regex: boolean; case: boolean }, signal: AbortSignal) =>
  call<Found>("GET", at(id, "/search?") + new URLSearchParams({ q: q.q, regex: q.regex ? "1" : "", case: q.case ? "1" : "" }), undefined, signal);

/** How far something is that takes long: bytes, and of how many if that is known. */
export type Tell = (step: string, done: number, total: number) => void;

/** Makes a project of a package. */
export const importPackage = (id: string, data: Blob, signal: AbortSignal, tell: Tell) =>
  bring("packages?" + new URLSearchParams({ id }), data, signal, tell);

/** Makes a project of files in a repository. */
export const importRepo = (id: string, source: string, signal: AbortSignal, tell: Tell) =>
  bring("repos", JSON.stringify({ id, source }), signal, tell);

/** Sends what takes long, and reads its answer as it comes. Only this kind of request knows how much was sent. */
async function bring(path: string, body: Blob | string, signal: AbortSignal, tell: Tell): Promise<ImportReply> {
  await session(); // what is large is sent once
  return new Promise((yes, no) => {
    const x = new XMLHttpRequest();
    const stop = () => x.abort();
    const end = (f: () => void) => {
      signal.removeEventListener("abort", stop);
      f();
    };
    x.open("POST", new URL(path, base));
    x.setRequestHeader("X-Playground-Token", token);
    x.setRequestHeader("Content-Type", typeof body === "string" ? "application/json" : "application/octet-stream");
    x.upload.onprogress = (e) => body instanceof Blob && tell("send", e.loaded, e.total);
    let read = 0;
    let last: ProgressEvent | null = null;
    const lines = () => {
      if (x.status !== 200) return;
      for (let nl; (nl = x.responseText.indexOf("\n", read)) >= 0; read = nl + 1) {
        last = JSON.parse(x.responseText.slice(read, nl)) as ProgressEvent;
        tell(last.step, last.done, last.total);
      }
    };
    x.onprogress = lines;
    x.onload = () => {
      lines();
      end(() => {
        if (last?.imported) return yes(last.imported);
        if (last?.failed) return no(new Failure(x.status, last.failed.code, last.failed.message));
        const e = parsed(x.responseText);
        no(new Failure(x.status, e?.code ?? "internal", e?.message ?? `The answer was ${x.status} ${x.statusText}.`));
      });
    };
    x.onerror = () => end(() => no(silent()));
    x.onabort = () => end(() => no(signal.reason));
    signal.addEventListener("abort", stop);
    x.send(body);
    if (signal.aborted) stop();
  });
}

function parsed(text: string): { code?: string; message?: string } | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A project as a package. */
export async function exportPackage(id: string, state: boolean, signal: AbortSignal, tell: Tell): Promise<Blob> {
  const answer = await fetch(new URL(at(id, "/package") + (state ? "?state=1" : ""), base), { signal }).catch(() => {
    signal.throwIfAborted();
    throw silent();
  });
  if (!answer.ok) throw await failureOf(answer);
  const parts: BlobPart[] = [];
  let done = 0;
  for (const reader = answer.body!.getReader(); ; ) {
    const { value, done: end } = await reader.read();
    if (end) return new Blob(parts, { type: "application/octet-stream" });
    parts.push(value as Uint8Array<ArrayBuffer>);
    tell("receive", (done += value.length), 0);
  }
}
export const checkpoints = (id: string, before: string) => call<CheckpointsReply>("GET", at(id, "/checkpoints") + (before ? "?" + new URLSearchParams({ before }) : ""));
export const createCheckpoint = (id: string, label: string, state: boolean) => call<CheckpointInfo>("POST", at(id, "/checkpoints"), { label, state });
export const deleteCheckpoint = (id: string, checkpoint: string) => call<void>("DELETE", at(id, "/checkpoints/") + encodeURIComponent(checkpoint));
export const restore = (id: string, checkpoint: string, state: boolean) => call<CheckpointInfo>("POST", at(id, "/restore"), { checkpoint, state });
export const fork = (id: string, checkpoint: string, name: string, state: boolean) => call<ProjectReply>("POST", at(id, "/fork"), { checkpoint, id: name, state });
export const diff = (id: string, before: string, after: string, state: boolean) => call<DiffReply>("GET", at(id, "/diff?") + new URLSearchParams({ before, after, state: state ? "1" : "" }));
export const diffFile = (id: string, before: string, after: string, of: { part: string; name: string; from: string }) =>
  call<FileDiffReply>("GET", at(id, "/diff/file") + named(of.name, { before, after, from: of.from, part: of.part }));

const terminalAt = (id: string, kind: string) => at(id, "/terminals/") + encodeURIComponent(kind);
export const terminal = (id: string, kind: string, after: string, signal: AbortSignal) =>
  call<ScreenReply>("GET", terminalAt(id, kind) + "?" + new URLSearchParams({ after }), undefined, signal);
export const type = (id: string, kind: string, what: { do: TypedRequest["do"] } & Partial<TypedRequest>) => call<void>("POST", terminalAt(id, kind), what);
export const completions = (id: string, kind: string, line: string) => call<CompleteReply>("POST", terminalAt(id, kind) + "/completions", { line });
export const interruptJob = (id: string) => call<void>("DELETE", "jobs/" + encodeURIComponent(id));

/** Where a WebSocket hears what a terminal prints. */
export function terminalSocket(id: string, kind: string, after: string): URL {
  const url = new URL(terminalAt(id, kind) + "/socket?" + new URLSearchParams({ after }), base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}

export const audit = (query: Record<string, string>) => call<AuditReply>("GET", "audit?" + new URLSearchParams(query));

/** The bytes of a file. */
export async function raw(id: string, name: string): Promise<Blob> {
  const answer = await fetch(new URL(at(id, "/raw") + named(name), base));
  if (!answer.ok) throw await failureOf(answer);
  return answer.blob();
}

/** The news of a project, or of the bench alone if id is "". Close it when done. */
export function events(id: string): EventSource {
  return new EventSource(new URL(id ? `events?project=${encodeURIComponent(id)}` : "events", base));
}
