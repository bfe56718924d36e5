// Buttons that give rights work only once they could be seen: what runs in a frame can make one appear where it has somebody click.
import { useEffect, useState } from "preact/hooks";

const unarmed = 700; // ms without a press, since it appeared

/** Whether the buttons of something that has just appeared may work. A press that comes too early begins the time anew. */
export function useArmed(): boolean {
  const [armed, setArmed] = useState(false);
  useEffect(() => {
    let timer = 0;
    const wait = () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        stop();
        setArmed(true);
      }, unarmed);
    };
    const stop = () => {
      clearTimeout(timer);
      removeEventListener("pointerdown", wait, true);
    };
    addEventListener("pointerdown", wait, true);
    wait();
    return stop;
  }, []);
  return armed;
}
