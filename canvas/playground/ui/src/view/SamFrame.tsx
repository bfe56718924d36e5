// A SAM in a role, in a well. Nothing that the host says stands inside it. Its framing page keeps its
// localStorage in this browser, and keeps it from leaving.
import { dragging } from "../store/layout";

export function SamFrame({ url, title, link }: { url: string; title: string; link?: (f: HTMLIFrameElement | null) => void }) {
  return (
    <div class="well">
      <iframe ref={link} src={new URL(url + "~frame/", document.baseURI).href} title={title} referrerpolicy="no-referrer" style={{ flex: "1", width: "100%", pointerEvents: dragging.value ? "none" : "auto" }} />
    </div>
  );
}
