// The part of the API's client that is about a project's data.
import { at, call } from "./api";
import type { DataReply, KVReply, KVValue, QueryReply, SecretsReply, TablesReply } from "./wire";

export interface Put {
  text: boolean;
  data: string;
  metadata: string;
  expires: string | null;
  new: boolean;
}

export interface Query {
  db: string;
  sql: string;
  args: string[];
  write: boolean;
  plan: boolean;
}

const value = (id: string, ns: string, key: string) => at(id, "/kv/value?") + new URLSearchParams({ ns, key });
const secret = (id: string, name: string) => at(id, "/secrets/") + encodeURIComponent(name);

export const names = (id: string) => call<DataReply>("GET", at(id, "/data"));
export const keys = (id: string, ns: string, prefix: string, cursor: string) => call<KVReply>("GET", at(id, "/kv?") + new URLSearchParams({ ns, prefix, cursor }));
export const readKey = (id: string, ns: string, key: string) => call<KVValue>("GET", value(id, ns, key));
export const putKey = (id: string, ns: string, key: string, put: Put) => call<void>("PUT", value(id, ns, key), put);
export const deleteKey = (id: string, ns: string, key: string) => call<void>("DELETE", value(id, ns, key));
export const tables = (id: string, db: string) => call<TablesReply>("GET", at(id, "/db?") + new URLSearchParams({ db }));
export const query = (id: string, q: Query, signal: AbortSignal) => call<QueryReply>("POST", at(id, "/db"), q, signal);
export const secrets = (id: string) => call<SecretsReply>("GET", at(id, "/secrets"));
export const setSecret = (id: string, name: string, value: string) => call<void>("PUT", secret(id, name), { value });
export const deleteSecret = (id: string, name: string) => call<void>("DELETE", secret(id, name));
