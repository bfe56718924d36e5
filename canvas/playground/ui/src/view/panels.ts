// The panels of the dock, in order. A panel is a file of view/ and a row here.
import type { ComponentType } from "preact";
import type { Mark } from "../store/dock";
import { auditPanel } from "./Audit";
import { checkpointsPanel } from "./Checkpoints";
import { consolePanel } from "./Console";
import { dataPanel } from "./Data";
import { javascriptPanel, pythonPanel, shellPanel } from "./Terminal";

/** A panel of the dock. Its view is made when it is first shown, and then kept while the project is open. */
export interface DockPanel {
  id: string;
  title: string;
  View: ComponentType; // scrolls by itself
  Tools?: ComponentType; // beside the tabs, while the panel is shown
  there?: () => boolean; // read from signals; without it the panel always is
  mark?: () => Mark | null; // read from signals, so that it is always true
}

const all: readonly DockPanel[] = [consolePanel, shellPanel, pythonPanel, javascriptPanel, dataPanel, checkpointsPanel, auditPanel];

/** The panels that there are. */
export const panels = (): readonly DockPanel[] => all.filter((p) => p.there?.() ?? true);
