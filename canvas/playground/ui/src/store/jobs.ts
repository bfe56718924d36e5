// What takes long: each has a card that says how far it is, and that ends it.
import { signal } from "@preact/signals";
import { size } from "./kinds";

/** What is done of a job, in words and as a share of 1, or -1 if that can't be known. */
export interface Step {
  text: string;
  left: string;
  share: number;
}

export class Job {
  readonly step = signal<Step>({ text: "Working", left: "", share: -1 });
  readonly past = signal<readonly string[]>([]); // steps that are done
  private readonly abort = new AbortController();
  private name = "";
  private began = 0;

  constructor(
    readonly title: string,
    private readonly words: Record<string, string>,
  ) {}

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Says how many bytes of a step are done. words has what a step is called. */
  readonly tell = (name: string, done: number, total: number): void => {
    const words = this.words[name];
    if (!words) return;
    if (name !== this.name) {
      if (this.name) this.past.value = [...this.past.value, this.step.value.text];
      this.name = name;
      this.began = performance.now();
    }
    const share = total > 0 ? Math.min(done / total, 1) : -1;
    this.step.value = { text: done > 0 || total > 0 ? `${words} ${size(done)}${total > 0 ? ` of ${size(total)}` : ""}` : words, left: this.left(share), share };
  };

  private left(share: number): string {
    const took = (performance.now() - this.began) / 1000;
    if (share <= 0.02 || took < 1) return "";
    const s = Math.ceil((took / share) * (1 - share));
    return s > 90 ? `about ${Math.round(s / 60)} min left` : `about ${s} s left`;
  }

  readonly cancel = (): void => this.abort.abort(new Cancelled());
}

/** What a job ends with that a person ended. It is no failure. */
export class Cancelled extends Error {}

export const jobs = signal<readonly Job[]>([]);

const patience = 500; // ms until a card is shown

/** Runs f as a job. It returns undefined if the person cancels it. */
export async function job<T>(title: string, words: Record<string, string>, f: (j: Job) => Promise<T>): Promise<T | undefined> {
  const j = new Job(title, words);
  const timer = setTimeout(() => (jobs.value = [...jobs.value, j]), patience);
  try {
    return await f(j);
  } catch (e) {
    if (j.signal.aborted) return undefined;
    throw e;
  } finally {
    clearTimeout(timer);
    jobs.value = jobs.value.filter((x) => x !== j);
  }
}
