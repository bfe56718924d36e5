// What an error offers beside its lines: the agent repairs it.
import { askRepair } from "../store/agentlink";
import { roles } from "../store/roles";
import type { Entry } from "../wire";
import { Who } from "./Who";

export function Repair({ entry, class: cls }: { entry: Entry; class: string }) {
  const agent = roles.value.agent?.project;
  if (agent && agent === roles.value.work) return null;
  return <button class={cls} onClick={() => askRepair(entry)}><Who kind="agent" /> Ask {agent ?? "an agent"} to repair it</button>;
}
