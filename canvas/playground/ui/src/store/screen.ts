// What a terminal shows: printed text with its colours, line by line. Only what commands without a screen of their own
// print is understood: colours, carriage return, backspace, and clearing. See RATIONALE.md, "No xterm".
import type { TerminalPrint } from "../wire";

/** A piece of a line that looks the same. */
export interface Piece {
  text: string;
  look: string; // classes
}

export interface Line {
  readonly id: number;
  pieces: Piece[];
  version: number; // counts changes
}

const keep = 4000; // lines

const colours = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

export class Screen {
  lines: Line[] = [];
  private next = 0;
  private rest = ""; // an escape sequence that is not whole yet
  private bold = false;
  private underline = false;
  private colour = "";
  private back = false; // a carriage return came: what follows replaces the line

  reset(): void {
    this.lines = [];
    this.rest = "";
    this.plain();
    this.back = false;
  }

  print(p: TerminalPrint): void {
    if (p.kind === "prompt" || p.kind === "in") {
      this.rest = "";
      this.plain();
      this.prompt(p);
    } else this.write(p.text);
    if (this.lines.length > keep) this.lines.splice(0, this.lines.length - keep);
  }

  private prompt(p: TerminalPrint): void {
    if (p.kind === "in") return this.put(p.text, "typed");
    const { where, code, sign } = promptParts(p.text, p.code);
    this.put(where, "pmt");
    if (code) this.put(" " + code, "danger");
    this.put(sign, "");
  }

  private write(text: string): void {
    text = this.rest + text;
    this.rest = "";
    let from = 0;
    for (const m of text.matchAll(/[\r\b\x07\x00\x0e\x0f]|\x1b(?:\[([0-?]*)[ -/]*([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[^[\]])/g)) {
      this.put(text.slice(from, m.index), this.look());
      from = m.index + m[0].length;
      if (m[0] === "\r") this.back = true;
      else if (m[0] === "\b") this.erase();
      else if (m[2]) this.control(m[1], m[2]);
    }
    text = text.slice(from);
    const open = text.lastIndexOf("\x1b");
    if (open >= 0 && text.length - open < 4096) {
      this.rest = text.slice(open);
      text = text.slice(0, open);
    }
    this.put(text, this.look());
  }

  private control(args: string, letter: string): void {
    if (letter === "m") return this.colours(args.split(";").map(Number));
    if (letter === "J" && (args === "2" || args === "3")) this.lines = [];
    if (letter === "K") this.back = false;
  }

  private colours(codes: number[]): void {
    for (let i = 0; i < codes.length; i++) {
      const c = codes[i];
      if (c === 0) this.plain();
      else if (c === 1) this.bold = true;
      else if (c === 22) this.bold = false;
      else if (c === 4) this.underline = true;
      else if (c === 24) this.underline = false;
      else if (c === 39) this.colour = "";
      else if (c >= 30 && c <= 37) this.colour = colours[c - 30];
      else if (c >= 90 && c <= 97) this.colour = colours[c - 90];
      else if (c === 38 || c === 48) i += codes[i + 1] === 5 ? 2 : 4; // of 256 or more: there are eight
    }
  }

  private plain(): void {
    this.bold = this.underline = false;
    this.colour = "";
  }

  private look(): string {
    return [this.colour && "c-" + this.colour, this.bold && "b", this.underline && "u"].filter(Boolean).join(" ");
  }

  private last(): Line {
    let l = this.lines[this.lines.length - 1];
    if (!l) this.lines.push((l = { id: this.next++, pieces: [], version: 0 }));
    return l;
  }

  private put(text: string, look: string): void {
    for (let from = 0; from < text.length; ) {
      const nl = text.indexOf("\n", from);
      const part = text.slice(from, nl < 0 ? undefined : nl);
      if (part) {
        const line = this.last();
        if (this.back) line.pieces = [];
        this.back = false;
        const end = line.pieces[line.pieces.length - 1];
        if (end?.look === look) end.text += part;
        else line.pieces.push({ text: part, look });
        line.version++;
      }
      if (nl < 0) return;
      this.back = false;
      this.last();
      this.lines.push({ id: this.next++, pieces: [], version: 0 });
      from = nl + 1;
    }
  }

  private erase(): void {
    const line = this.last();
    const end = line.pieces[line.pieces.length - 1];
    if (!end) return;
    end.text = end.text.slice(0, -1);
    if (!end.text) line.pieces.pop();
    line.version++;
  }
}

/** A prompt in parts: "notes/src", how the last command ended unless well, and " $ ". */
export function promptParts(prompt: string, code: number): { where: string; code: string; sign: string } {
  const m = /^(.*?)( ?\S+ )$/.exec(prompt);
  const where = m?.[1] ?? "";
  return { where, code: code && where ? String(code) : "", sign: m?.[2] ?? prompt }; // the others print why
}
