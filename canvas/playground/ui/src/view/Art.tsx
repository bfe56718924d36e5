// Line drawings for the cards of templates.
import type { JSX } from "preact";

const art: Record<string, JSX.Element> = {
  notes: <><path d="M64 20h122v90H64zM76 36h42M75 48h100v10H75zM75 65h100v10H75zM75 82h100v10H75z" /><rect class="ac fill" x="142" y="31" width="32" height="10" rx="5" /></>,
  static: <><path d="M64 20h122v90H64zM76 36h56M76 48h100M76 56h86M76 64h92M76 78h38" /><path class="ac" d="M76 92h22" /></>,
  api: <><path d="M56 36h54v32H56zM66 52h34M156 36h54v32h-54zM166 48h32M166 56h22" /><path d="M110 46h42m-5-4 5 4-5 4" /><path class="ac" d="M156 58h-42m5-4-5 4 5 4" /></>,
  game: <><path d="M40 78h170M60 78V64h24v14M106 78V54h20v24M160 78V68h28v10" /><path class="ac" stroke-dasharray="3 4" d="M64 56c10-30 34-30 44-6 8 18 20 20 40-8" /><circle class="ac fill" cx="152" cy="38" r="5" /></>,
  blank: <><rect stroke-dasharray="4 4" x="64" y="20" width="122" height="64" rx="3" /><path class="ac" d="M125 42v20M115 52h20" /></>,
};

export function Art({ id }: { id: string }) {
  return <svg class="art" viewBox="0 0 250 104" preserveAspectRatio="xMidYMid slice" aria-hidden="true">{art[id] ?? art.static}</svg>;
}
