// The panels of the dock, in order. A panel is a file of view/ and a row here.
import type { ComponentType } from "preact";
import type { Mark } from "../store/dock";
import { auditPanel } from "./Audit";
import { checkpointsPanel } from "./Checkpoints";
import { consolePanel } from "./Console";
import { dataPanel } from "./Data";

/** A panel of the dock. Its view is made when it is first shown, and then kept while the project is open. */
export interface DockPanel {
  id: string;
  title: string;
  View: ComponentType; // scrolls by itself
  Tools?: ComponentType; // beside the tabs, while the panel is shown
  mark?: () => Mark | null; // read from signals, so that it is always true
}

export const panels: readonly DockPanel[] = [consolePanel, dataPanel, checkpointsPanel, auditPanel];
