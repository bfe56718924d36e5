// Line drawings for the cards of templates.
import type { JSX } from "preact";

const art: Record<string, JSX.Element> = {
  notes: <><path d="M64 20h122v90H64zM76 36h42M75 48h100v10H75zM75 65h100v10H75zM75 82h100v10H75z" /><rect class="ac fill" x="142" y="31" width="32" height="10" rx="5" /></>,
  static: <><path d="M64 20h122v90H64zM76 36h56M76 48h100M76 56h86M76 64h92M76 78h38" /><path class="ac" d="M76 92h22" /></>,
  api: <><path d="M56 36h54v32H56zM66 52h34M156 36h54v32h-54zM166 48h32M166 56h22" /><path d="M110 46h42m-5-4 5 4-5 4" /><path class="ac" d="M156 58h-42m5-4-5 4 5 4" /></>,
  game: <><path d="M40 78h170M60 78V64h24v14M106 78V54h20v24M160 78V68h28v10" /><path class="ac" stroke-dasharray="3 4" d="M64 56c10-30 34-30 44-6 8 18 20 20 40-8" /><circle class="ac fill" cx="152" cy="38" r="5" /></>,
  react: <><ellipse cx="125" cy="52" rx="44" ry="16" /><ellipse cx="125" cy="52" rx="44" ry="16" transform="rotate(60 125 52)" /><ellipse cx="125" cy="52" rx="44" ry="16" transform="rotate(120 125 52)" /><circle class="ac fill" cx="125" cy="52" r="5" /></>,
  hono: <><path d="M62 26h126v16H62zM62 50h126v16H62zM62 74h126v16H62z" /><path class="ac fill" d="M62 50h86v16H62z" /><path class="ac" d="M62 26h40v16M62 74h22v16" /></>,
  "agent-coder": <><path d="M56 30h72M56 44h56M56 70h64M56 84h40M46 20v74" /><path class="ac" d="M184 26l26 26-26 26-26-26zM175 52l7 7 12-14" /></>,
  "agent-data": <><path d="M50 26h82v54H50zM50 40h82M50 54h82M50 67h82M78 26v54M104 26v54" /><path class="ac" d="M184 26l26 26-26 26-26-26zM174 57v-6M184 61V44M194 57v-9" /></>,
  "tool-markdown": <><path d="M60 20h62v68H60zM70 34h20M70 46h42M70 56h36M70 66h42M138 20h56v68h-56z" /><path class="ac" d="M148 36h24M148 50h36M148 60h28M148 72h6v6h-6z" /></>,
  "tool-table": <><path d="M60 24h130v60H60zM60 39h130M60 54h130M60 69h130M103 24v60M147 24v60" /><path class="ac fill" d="M103 54h44v15h-44z" /></>,
  "tool-json": <><path d="M88 22c-12 0-12 6-12 14s0 16-10 16c10 0 10 8 10 16s0 14 12 14M162 22c12 0 12 6 12 14s0 16 10 16c-10 0-10 8-10 16s0 14-12 14" /><path class="ac" d="M100 40h34M108 52h40M108 64h26" /></>,
  blank: <><rect stroke-dasharray="4 4" x="64" y="20" width="122" height="64" rx="3" /><path class="ac" d="M125 42v20M115 52h20" /></>,
};

export function Art({ id }: { id: string }) {
  return <svg class="art" viewBox="0 0 250 104" preserveAspectRatio="xMidYMid slice" aria-hidden="true">{art[id] ?? art.static}</svg>;
}
