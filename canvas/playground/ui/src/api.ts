// The typed client of the page's JSON API. Nothing else in the page calls fetch.
import type {
  ConflictDetails, ConsoleReply, EditRequest, FileInfo, FileReply, ProjectReply, ProjectsReply, SessionReply, TemplateInfo,
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

async function call<T>(method: string, path: string, body?: unknown, retry = true): Promise<T> {
  const raw = body instanceof Blob;
  const headers: Record<string, string> = {};
  if (method !== "GET") headers["X-Playground-Token"] = token || (await session()).token;
  if (body !== undefined) headers["Content-Type"] = raw ? "application/octet-stream" : "application/json";
  let answer: Response;
  try {
    answer = await fetch(new URL(path, base), {
      method, headers, keepalive: method === "DELETE", body: raw ? body : body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Failure(0, "unavailable", "The playground does not answer. Is its program still running?");
  }
  if (answer.ok) {
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }
  const failure = await failureOf(answer);
  // The program was started anew and has forgotten the token.
  if (retry && failure.code === "denied" && method !== "GET") {
    await session();
    return call<T>(method, path, body, false);
  }
  throw failure;
}

async function failureOf(answer: Response): Promise<Failure> {
  try {
    const e = await answer.json();
    return new Failure(answer.status, e.code ?? "internal", e.message ?? answer.statusText, e.details);
  } catch {
    return new Failure(answer.status, "internal", `The answer was ${answer.status} ${answer.statusText}.`);
  }
}

function at(id: string, what = ""): string {
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
export const upload = (id: string, name: string, data: Blob, expected: string) =>
  call<FileInfo>("PUT", at(id, "/raw") + named(name, { expected }), data);
export const edit = (id: string, edits: EditRequest[]) => call<void>("POST", at(id, "/edits"), { edits });
export const reload = (id: string) => call<void>("POST", at(id, "/reload"));
export const consoleOf = (id: string) => call<ConsoleReply>("GET", at(id, "/console"));
export const clearConsole = (id: string) => call<void>("DELETE", at(id, "/console"));

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
