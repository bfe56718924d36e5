import { useRef } from "preact/hooks";

/** Keeps a box at its end while it fills, unless the reader has gone up. */
export function useEnd() {
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const was = useRef(0);
  const stick = () => {
    if (!follows.current || !box.current) return;
    box.current.scrollTop = box.current.scrollHeight;
    was.current = box.current.scrollTop;
  };
  // One is told of scrolling later than it was: the box may have more in it by now, which is not to say that somebody went up.
  const onScroll = (e: Event) => {
    const el = e.currentTarget as HTMLElement;
    if (el.scrollTop + el.clientHeight > el.scrollHeight - 24) follows.current = true;
    else if (el.scrollTop < was.current) follows.current = false;
    was.current = el.scrollTop;
  };
  return { box, stick, onScroll };
}
