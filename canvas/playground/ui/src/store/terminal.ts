// Terminals: sessions in the program that take lines and print. The page edits the line; it comes and goes while the session stays.
import { signal } from "@preact/signals";
import * as api from "../api";
import type { JobInfo, ScreenReply } from "../wire";
import { load, save } from "./prefs";
import { Screen } from "./screen";
import { messageOf } from "./state";

export const kinds = signal<readonly string[]>([]); // what the program has

const keep = 500; // lines of the history

/** A terminal that the page shows. */
export class Terminal {
  readonly screen = new Screen();
  readonly version = signal(0); // of the screen
  readonly prompt = signal("");
  readonly code = signal(0);
  readonly busy = signal(false);
  readonly waits = signal(false);
  readonly jobs = signal<readonly JobInfo[]>([]);
  readonly trouble = signal(""); // why it is not heard
  readonly history: string[];
  private at = "";
  private socket: WebSocket | null = null;
  private stop = new AbortController();
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    readonly project: string,
    readonly kind: string,
  ) {
    this.history = read(load(this.key()));
    void this.follow();
  }

  private key(): string {
    return `history.${this.kind}.${this.project}`;
  }

  close(): void {
    this.stop.abort();
    this.socket?.close();
  }

  /** Listens until it is closed: by a WebSocket or, where none comes through, by answers that wait. */
  private async follow(): Promise<void> {
    for (let failed = 0; !this.stop.signal.aborted; ) {
      const heard = failed < 2 && (await this.listen());
      if (heard) failed = 0;
      else if (failed++ >= 1) await this.poll();
      await this.rest(heard ? 300 : 1000);
    }
  }

  private rest(ms: number): Promise<void> {
    return new Promise((yes) => setTimeout(yes, this.stop.signal.aborted ? 0 : ms));
  }

  /** Listens by a WebSocket until that ends, and tells whether anything came. */
  private listen(): Promise<boolean> {
    return new Promise((yes) => {
      let heard = false;
      try {
        const s = (this.socket = new WebSocket(api.terminalSocket(this.project, this.kind, this.at)));
        s.onmessage = (e) => {
          heard = true;
          this.take(JSON.parse(e.data as string));
        };
        s.onclose = () => yes(heard);
      } catch {
        yes(false);
      }
    });
  }

  private async poll(): Promise<void> {
    try {
      while (!this.stop.signal.aborted) this.take(await api.terminal(this.project, this.kind, this.at, this.stop.signal));
    } catch (e) {
      if (!this.stop.signal.aborted) this.trouble.value = messageOf(e);
    }
  }

  private take(s: ScreenReply): void {
    if (this.stop.signal.aborted) return;
    this.trouble.value = "";
    this.at = s.at;
    if (s.fresh) this.screen.reset();
    for (const p of s.prints) this.screen.print(p);
    this.prompt.value = s.prompt;
    this.code.value = s.code;
    this.busy.value = s.busy;
    this.waits.value = s.waits;
    this.jobs.value = s.jobs;
    if (s.fresh || s.prints.length) this.version.value++;
  }

  /** Tells the session what the person does, in order. */
  private send(what: Parameters<typeof api.type>[2]): Promise<void> {
    const sent = this.sending.then(() => api.type(this.project, this.kind, what));
    this.sending = sent.catch((e) => (this.trouble.value = messageOf(e)));
    return sent.catch(() => undefined);
  }

  enter(line: string): void {
    if (!this.busy.value) this.remember(line);
    void this.send({ do: "enter", line });
  }

  interrupt(line: string): void {
    void this.send({ do: "interrupt", line });
  }

  endInput(): void {
    void this.send({ do: "end" });
  }

  clear(): void {
    void this.send({ do: "clear" });
  }

  resize(columns: number, rows: number): void {
    void this.send({ do: "resize", columns, rows });
  }

  complete(line: string) {
    return api.completions(this.project, this.kind, line);
  }

  /** Keeps a line, unless it begins with a space or is the last one again. */
  private remember(line: string): void {
    if (!line.trim() || (line.startsWith(" ") && this.kind === "shell")) return; // as bash keeps none of those
    const h = this.history;
    if (h[h.length - 1] !== line) h.push(line);
    if (h.length > keep) h.splice(0, h.length - keep);
    save(this.key(), JSON.stringify(h));
  }
}

function read(kept: string | null): string[] {
  try {
    const h = JSON.parse(kept ?? "[]");
    return Array.isArray(h) ? h.filter((l) => typeof l === "string").slice(-keep) : [];
  } catch {
    return [];
  }
}
