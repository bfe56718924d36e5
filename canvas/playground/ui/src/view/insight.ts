import { useEffect, useRef } from "preact/hooks";

/** Keeps what is chosen of a row of tabs in sight: when it changes, and when there is less room. */
export function useInSight<T extends HTMLElement>(chosen: string, of: readonly unknown[]) {
  const ref = useRef<T>(null);
  const show = () => ref.current?.querySelector(chosen)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  useEffect(show, of);
  useEffect(() => {
    const seen = new ResizeObserver(show);
    seen.observe(ref.current!);
    return () => seen.disconnect();
  }, []);
  return ref;
}
