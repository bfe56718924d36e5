// Made from wire.go by go test -run TestWireTypes -update. Don't edit.

export interface SessionReply {
  token: string;
  principal: string;
  isolation: string;
  repos: boolean;
  terminals: string[];
}

export interface TemplateInfo {
  id: string;
  kind: string;
  title: string;
  about: string;
}

export interface ProjectsReply {
  projects: string[];
  work: string;
}

export interface FileInfo {
  name: string;
  size: number;
  hash: string;
}

export interface ProjectReply {
  id: string;
  canvas: string;
  files: FileInfo[];
}

export interface FileReply {
  name: string;
  size: number;
  hash: string;
  text: boolean;
  data: string;
}

export interface EditRequest {
  name: string;
  text?: string;
  base64?: string;
  rename?: string;
  remove?: boolean;
  expected: string;
}

export interface ConflictDetails {
  name: string;
  hash: string;
  text: boolean;
  data: string;
}

export interface ConnectReply {
  origins: string[];
}

export interface ConnectInfo {
  project: string;
  origins: string[];
}

export interface Entry {
  seq: number;
  time: string;
  level: string;
  origin?: string;
  source?: string;
  text: string;
  stack?: string;
  request?: string;
}

export interface ConsoleReply {
  first: number;
  last: number;
  entries: Entry[];
}

export interface CheckpointInfo {
  id: string;
  label: string;
  by: string;
  time: string;
  state: boolean;
  files: number;
  bytes: number;
  changed: number;
}

export interface CheckpointsReply {
  checkpoints: CheckpointInfo[];
  more: boolean;
  changed: number;
}

export interface ChangeInfo {
  kind: string;
  part: string;
  name: string;
  from: string;
  size: number;
  was: number;
  counted: boolean;
  added: number;
  removed: number;
}

export interface DiffReply {
  changes: ChangeInfo[];
  large: boolean;
}

export interface Hunk {
  before: number;
  after: number;
  lines: string[];
}

export interface FileDiffReply {
  text: boolean;
  long: boolean;
  cut: boolean;
  hunks: Hunk[];
}

export interface ImportReply {
  id: string;
  wants?: string[];
  secrets?: string[];
  dropped?: string[];
}

export interface FailedInfo {
  code: string;
  message: string;
}

export interface ProgressEvent {
  step: string;
  done: number;
  total: number;
  imported?: ImportReply;
  failed?: FailedInfo;
}

export interface Match {
  path: string;
  line: number;
  column: number;
  text: string;
  before?: string[];
  after?: string[];
}

export interface Found {
  matches: Match[];
  more?: boolean;
  skipped?: string[];
}

export interface DataReply {
  kv: string[];
  db: string[];
}

export interface KVEntry {
  key: string;
  size: number;
  preview: string;
  text: boolean;
  metadata: string;
  expires?: string;
}

export interface KVReply {
  entries: KVEntry[];
  next: string;
}

export interface KVValue {
  key: string;
  size: number;
  text: boolean;
  whole: boolean;
  data: string;
  metadata: string;
  expires?: string;
}

export interface ColumnInfo {
  name: string;
  type: string;
  key: boolean;
}

export interface TableInfo {
  name: string;
  kind: string;
  sql: string;
  rows: number;
  many: boolean;
  columns: ColumnInfo[];
}

export interface TablesReply {
  tables: TableInfo[];
  size: number;
}

export interface Cell {
  kind: string;
  text: string;
  cut: boolean;
}

export interface QueryReply {
  columns: string[];
  rows: Cell[][];
  more: boolean;
  read: number;
  written: number;
  changes: number;
  ms: number;
}

export interface SQLDetails {
  sqlite: string;
  offset: number;
}

export interface SecretsReply {
  names: string[];
}

export interface MayInfo {
  do: string;
  what: string[];
  where: string;
}

export interface AuditEntry {
  id: string;
  time: string;
  actor: string;
  project: string;
  func: string;
  on: string;
  answer: string;
  code: string;
  ms: number;
  refusal: string;
  may: MayInfo;
  want: GrantInfo;
  session: string;
  holds: boolean;
}

export interface AuditReply {
  entries: AuditEntry[];
  more: boolean;
  denied: number;
}

export interface TerminalPrint {
  kind: string;
  text: string;
  code: number;
}

export interface JobInfo {
  id: string;
  agent: boolean;
  project: string;
  command: string;
}

export interface ScreenReply {
  at: string;
  fresh: boolean;
  prints: TerminalPrint[];
  prompt: string;
  code: number;
  busy: boolean;
  waits: boolean;
  jobs: JobInfo[];
}

export interface TypedRequest {
  do: string;
  line: string;
  columns: number;
  rows: number;
}

export interface CompleteReply {
  from: number;
  words: string[];
}

export interface ReadyEvent {
  missed: boolean;
}

export interface FilesEvent {
  files: FileInfo[];
}

export interface ConsoleEvent {
  first: number;
  entries: Entry[];
}

export interface GrantInfo {
  project: string;
  paths: string[];
  mode: string;
  uses: string[];
  maxCalls: number;
  expires?: string;
  confirm: boolean;
}

export interface ActInfo {
  func: string;
  on: string;
  time: string;
  code: string;
}

export interface SessionInfo {
  id: string;
  project: string;
  canvas: string;
  grant: GrantInfo;
  added: GrantInfo[];
  words: string;
  since: string;
  calls: number;
  last?: ActInfo;
  wrote: string[];
  byAgent: boolean;
}

export interface Candidate {
  id: string;
  kind: string;
  size: number;
  wants: GrantInfo;
}

export interface ApprovalInfo {
  id: string;
  session: string;
  project: string;
  role: string;
  func: string;
  doc: string;
  args: string;
  why: string;
  grant: GrantInfo;
  until: string;
}

export interface PromptInfo {
  id: string;
  act: string;
  agent: string;
  project?: string;
  path?: string;
  line?: number;
  column?: number;
  text?: string;
  level?: string;
  origin?: string;
  choices?: string[];
  until?: string;
  panel?: string;
}

export interface PromptsEvent {
  prompts: PromptInfo[];
}

export interface DenialInfo {
  id: string;
  session: string;
  project: string;
  role: string;
  func: string;
  message: string;
  want: GrantInfo;
  can: boolean;
  count: number;
  time: string;
}

export interface TurnInfo {
  agent: string;
  project: string;
  checkpoint: string;
  label: string;
  state: boolean;
  began: string;
  last: string;
  running: boolean;
  undone: boolean;
  redo: string;
  files: string[];
  changed: number;
}

export interface RolesReply {
  work: string;
  agent?: SessionInfo;
  tools: SessionInfo[];
  approvals: ApprovalInfo[];
  questions: PromptInfo[];
  denials: DenialInfo[];
  turn?: TurnInfo;
  connects: ConnectInfo[];
  now: string;
}

export interface DecisionRequest {
  allow: boolean;
  scope: string;
  seconds: number;
}
