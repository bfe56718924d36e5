// What a module that defines a task has beside the language: tasks/upgrade.ts, whose default export is a task.

/** JSON, as it passes between stages. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** Patterns of paths: "package.json", "src/**", "*.md". "**" does not reach what is in .git, nor definitions of tasks. */
type PathPattern = string;

/** A command: the list of its arguments, or a line that is split at blanks and is no line for a shell. */
type Command = string | readonly string[];

interface TaskPolicy {
  /** Files that the task may write. None by default. */
  writablePaths?: readonly PathPattern[];
  /** Files that it neither reads nor writes, whatever else is permitted. */
  denyPaths?: readonly PathPattern[];
  /** Commands that it may run. "*" stands for one argument, "**" at the end for the rest. None by default. */
  allowedCommands?: readonly Command[];
  /** Hosts that its commands may reach: "registry.example.com", "*.example.com", "127.0.0.1:8080". None by default. */
  network?: { allow?: readonly string[] };
  /** Of a stage without its own; two minutes by default. */
  timeoutMs?: number;
}

interface StageOptions {
  /** Files that the stage writes, within the policy's writablePaths; by default the same. */
  writes?: readonly PathPattern[];
  /** Names of what it makes by ctx.artifact. If one is missing the task is incomplete. */
  artifacts?: readonly string[];
  timeoutMs?: number;
  /** JSON Schemas of what it gets and returns. */
  input?: object | boolean;
  output?: object | boolean;
}

interface ExecOptions {
  /** Where the command starts; the root of the files by default. */
  cwd?: string;
  stdin?: string;
  env?: { readonly [name: string]: string };
}

interface ExecResult {
  /** The exit code. One other than zero is no error. */
  code: number;
  /** The first 256 KiB. */
  stdout: string;
  stderr: string;
  durationMs: number;
}

/** A stage's hands. What the policy refuses throws an error with the code "denied", and stands in the report. */
interface TaskContext<Input = any, Prev = any> {
  /** The task's input. */
  readonly input: Input;
  /** What the stage before returned; null in the first. */
  readonly prev: Prev;
  /** The run's ID, and the stage's name. */
  readonly run: string;
  readonly stage: string;
  readFile(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  writeFile(path: string, contents: string | ArrayBuffer | ArrayBufferView): Promise<void>;
  removeFile(path: string): Promise<void>;
  renameFile(path: string, to: string): Promise<void>;
  /** Names in a folder; those of folders end in "/". */
  listDir(path?: string): Promise<string[]>;
  exec(command: Command, options?: ExecOptions): Promise<ExecResult>;
  /** Records files, by default those that the stage may write, and returns what restore takes. */
  snapshot(paths?: readonly PathPattern[]): Promise<string>;
  /** Makes the files of a snapshot what they were: contents come back, and what was added goes. */
  restore(id: string): Promise<void>;
  /** Keeps a result. What is neither a string nor bytes is kept as JSON. */
  artifact(name: string, contents: unknown): Promise<void>;
  /** What the task has changed so far, with a unified patch for each file. */
  diff(): Promise<{ name: string; diff: string }[]>;
}

declare class Policy { private readonly policy: never; }
declare class Stage { private readonly stage: never; }
declare class Task { private readonly task: never; }

declare function definePolicy(policy: TaskPolicy): Policy;
declare function defineStage<Input = any, Prev = any>(name: string, run: (ctx: TaskContext<Input, Prev>) => unknown, options?: StageOptions): Stage;
declare function defineTask(task: {
  name: string;
  /** For people. */
  description?: string;
  policy: Policy;
  /** A JSON Schema of the task's input. */
  input?: object | boolean;
  stages: readonly Stage[];
}): Task;
