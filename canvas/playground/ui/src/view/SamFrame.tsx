// A SAM in a role, in a well. Nothing that the host says stands inside it. Its framing page keeps its
// localStorage in this browser, and keeps it from leaving.
import { dragging } from "../store/layout";

export function SamFrame({ url, title }: { url: string; title: string }) {
  return (
    <div class="well">
      <iframe src={new URL(url + "~frame/", document.baseURI).href} title={title} referrerpolicy="no-referrer" style={{ flex: "1", width: "100%", pointerEvents: dragging.value ? "none" : "auto" }} />
    </div>
  );
}
