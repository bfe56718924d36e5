// The page of a workbench: what it begins with, and how its areas stand.
import "./css/tokens.css";
import "./css/base.css";
import "./css/frame.css";
import "./css/areas.css";
import "./css/dock.css";
import "./css/console.css";
import "./css/grid.css";
import "./css/checkpoints.css";
import "./css/data.css";
import "./css/terminal.css";
import "./css/gallery.css";
import "./css/roles.css";
import "./css/narrow.css";
import { render } from "preact";
import { followKeys } from "./keys";
import { followAgent } from "./store/agentlink";
import { saveAll } from "./store/docs";
import { panelOpen, sizes } from "./store/layout";
import { followData } from "./store/live";
import { left } from "./store/left";
import { followTheme } from "./store/prefs";
import { followDrops } from "./store/packages";
import { begin, followHistory } from "./store/projects";
import { followClock } from "./store/roles";
import { followFind } from "./store/search";
import { area, begun, docs, open } from "./store/state";
import { followTabs } from "./store/tabs";
import { attempt, flushToasts } from "./store/toasts";
import { CanvasPane } from "./view/CanvasPane";
import { Dock } from "./view/Dock";
import { EditorSlot } from "./view/EditorSlot";
import { Gallery } from "./view/Gallery";
import { LeftPane } from "./view/LeftPane";
import { Palette } from "./view/Palette";
import { Switcher } from "./view/Switcher";
import { Toasts } from "./view/Toasts";
import { TopBar } from "./view/TopBar";

function Bench() {
  const style = { "--width-left": (left.value === "agent" ? sizes.agent : sizes.left).value + "px", "--width-canvas": sizes.canvas.value + "px", "--height-panel": sizes.panel.value + "px" };
  return (
    <main class="bench" data-panel={panelOpen.value ? "open" : "closed"} style={style}>
      <h1 class="vh">Workbench: {open.value!.id}</h1>
      <LeftPane />
      <EditorSlot />
      <CanvasPane />
      <Dock />
    </main>
  );
}

function App() {
  return (
    <div class="app" data-area={area.value}>
      <TopBar />
      {open.value ? <><Bench /><Switcher /></> : begun.value && <Gallery />}
      <Palette />
      <Toasts />
    </div>
  );
}

// What is not written yet must not be lost with the page.
addEventListener("beforeunload", (e) => {
  if (docs.value.some((d) => d.dirty.value)) {
    void saveAll();
    e.preventDefault();
  }
});
addEventListener("pagehide", flushToasts);
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void saveAll();
});

followTheme();
followKeys();
followHistory();
followDrops();
followClock();
followData();
followAgent();
followFind();
followTabs();
render(<App />, document.getElementById("root")!);
void attempt(begin);
