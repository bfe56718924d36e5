// The editor: one CodeMirror view that shows one of many open texts. It knows nothing of the page.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { css } from "@codemirror/lang-css";
import { html } from "@codemirror/lang-html";
import { javascript } from "@codemirror/lang-javascript";
import { json } from "@codemirror/lang-json";
import { markdown } from "@codemirror/lang-markdown";
import { python } from "@codemirror/lang-python";
import { sql, SQLite } from "@codemirror/lang-sql";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { diff, MergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, type Extension, Transaction } from "@codemirror/state";
import {
  crosshairCursor, drawSelection, dropCursor, EditorView, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers, rectangularSelection,
} from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

export interface Hooks {
  /** The person changed a text. */
  changed(name: string): void;
  /** The cursor is at a line and column, from 1. */
  moved(line: number, column: number): void;
}

const nonce = document.querySelector<HTMLMetaElement>("meta[name=style-nonce]")?.nonce ?? "";

// Colours are the page's tokens, so one style serves both themes.
const style = syntaxHighlighting(
  HighlightStyle.define([
    { tag: [t.keyword, t.modifier, t.operatorKeyword, t.controlKeyword, t.moduleKeyword, t.self, t.null, t.bool], color: "var(--syn-keyword)" },
    { tag: [t.string, t.special(t.string), t.regexp, t.attributeValue, t.url, t.character], color: "var(--syn-string)" },
    { tag: [t.number, t.unit, t.color, t.escape, t.atom], color: "var(--syn-number)" },
    { tag: [t.function(t.variableName), t.function(t.propertyName), t.heading, t.link], color: "var(--syn-function)" },
    { tag: [t.propertyName, t.attributeName, t.labelName, t.definition(t.propertyName)], color: "var(--syn-property)" },
    { tag: [t.comment, t.docComment, t.meta], color: "var(--syn-comment)", fontStyle: "italic" },
    { tag: [t.tagName, t.typeName, t.className, t.namespace], color: "var(--syn-tag)" },
    { tag: [t.punctuation, t.bracket, t.operator], color: "var(--text-2)" },
    { tag: [t.strong, t.heading], fontWeight: "600" },
    { tag: t.emphasis, fontStyle: "italic" },
    { tag: t.invalid, color: "var(--danger)" },
  ]),
);

const look = EditorView.theme({
  "&": { height: "100%", color: "var(--text-1)", backgroundColor: "var(--surface-1)", fontSize: "var(--size-sm)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "var(--leading-code)", overflow: "auto" },
  ".cm-content": { padding: "var(--space-2) 0", caretColor: "var(--accent)" },
  ".cm-line": { padding: "0 var(--space-3) 0 var(--space-1)" },
  ".cm-gutters": { backgroundColor: "var(--surface-1)", color: "var(--text-3)", border: "0" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 12px", minWidth: "34px", fontVariantNumeric: "tabular-nums" },
  ".cm-foldGutter .cm-gutterElement": { width: "14px", color: "var(--text-3)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface-hover)" },
  ".cm-activeLineGutter": { color: "var(--text-1)" },
  ".cm-cursor": { borderLeft: "2px solid var(--accent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 16%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", boxShadow: "inset 0 0 0 1px var(--line-control)", borderRadius: "2px" },
  ".cm-foldPlaceholder": { background: "var(--surface-active)", border: "0", color: "var(--text-2)", padding: "0 6px" },
  ".cm-panels": { backgroundColor: "var(--surface-0)", color: "var(--text-1)", borderColor: "var(--line-soft)" },
  ".cm-panels-top, .cm-panels-bottom": { borderColor: "var(--line-soft)" },
  ".cm-panel.cm-search": { padding: "6px 8px", fontFamily: "var(--font-ui)", fontSize: "var(--size-sm)" },
  ".cm-panel.cm-search label": { fontSize: "var(--size-sm)" },
  ".cm-textfield": { background: "var(--surface-2)", border: "1px solid var(--line-control)", borderRadius: "var(--radius-control)", color: "var(--text-1)", padding: "2px 6px" },
  ".cm-button": { background: "var(--surface-2)", border: "1px solid var(--line-firm)", borderRadius: "var(--radius-control)", color: "var(--text-1)", padding: "2px 8px" },
  ".cm-searchMatch": { backgroundColor: "var(--warn-wash)", outline: "1px solid var(--warn)" },
  ".cm-searchMatch-selected": { backgroundColor: "var(--accent-wash)", outline: "1px solid var(--accent)" },
  ".cm-tooltip": { backgroundColor: "var(--surface-3)", color: "var(--text-1)", border: "1px solid var(--line-firm)", borderRadius: "var(--radius-control)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent-wash)", color: "var(--text-1)" },
  ".cm-changedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--accent-wash)" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "var(--warn-wash)" },
  "&.cm-merge-a .cm-changedText": { background: "color-mix(in srgb, var(--warn) 30%, transparent)" },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--accent) 30%, transparent)" },
});

function language(name: string): Extension {
  switch (name.slice(name.lastIndexOf(".") + 1).toLowerCase()) {
    case "js": case "mjs": case "cjs": case "jsx": return javascript({ jsx: true });
    case "ts": case "mts": case "cts": return javascript({ typescript: true });
    case "tsx": return javascript({ jsx: true, typescript: true });
    case "html": case "htm": case "svg": case "xml": return html();
    case "css": return css();
    case "json": case "webmanifest": case "map": return json();
    case "md": case "markdown": return markdown();
    case "py": return python();
    case "sql": return sql({ dialect: SQLite });
    default: return [];
  }
}

const base: Extension = [
  EditorView.cspNonce.of(nonce),
  lineNumbers(), foldGutter(), highlightSpecialChars(), history(), drawSelection(), dropCursor(),
  EditorState.allowMultipleSelections.of(true), indentOnInput(), bracketMatching(), closeBrackets(), autocompletion(),
  rectangularSelection(), crosshairCursor(), highlightActiveLine(), highlightActiveLineGutter(), highlightSelectionMatches(),
  search({ top: true }), indentUnit.of("  "), EditorState.tabSize.of(2), style, look,
  keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, indentWithTab]),
];

const fromOutside = Annotation.define<true>();

export class Editor {
  private readonly view: EditorView;
  private readonly states = new Map<string, EditorState>();
  private readonly scrolls = new Map<string, number>();
  private shown = "";

  constructor(private readonly hooks: Hooks) {
    this.view = new EditorView({ state: EditorState.create({ extensions: base }) });
  }

  /** Puts the editor below an element of the page. */
  attach(parent: HTMLElement): void {
    parent.append(this.view.dom);
    this.view.requestMeasure();
  }

  add(name: string, text: string): void {
    this.states.set(name, this.state(name, text));
  }

  private state(name: string, text: string): EditorState {
    return EditorState.create({
      doc: text,
      extensions: [
        base, language(name),
        EditorView.contentAttributes.of({ "aria-label": name, tabindex: "0" }),
        EditorView.updateListener.of((u) => {
          if (u.docChanged && !u.transactions.some((tr) => tr.annotation(fromOutside))) this.hooks.changed(this.shown);
          if (u.docChanged || u.selectionSet) this.tellCursor();
        }),
      ],
    });
  }

  private tellCursor(): void {
    const head = this.view.state.selection.main.head;
    const line = this.view.state.doc.lineAt(head);
    this.hooks.moved(line.number, head - line.from + 1);
  }

  private keep(): void {
    if (!this.states.has(this.shown)) return;
    this.states.set(this.shown, this.view.state);
    this.scrolls.set(this.shown, this.view.scrollDOM.scrollTop);
  }

  show(name: string): void {
    if (name === this.shown) return;
    this.keep();
    const state = this.states.get(name);
    if (!state) return;
    this.shown = name;
    this.view.setState(state);
    const top = this.scrolls.get(name) ?? 0;
    requestAnimationFrame(() => (this.view.scrollDOM.scrollTop = top));
    this.tellCursor();
  }

  text(name: string): string {
    const state = name === this.shown ? this.view.state : this.states.get(name);
    return state?.doc.toString() ?? "";
  }

  /** Makes a text what it became elsewhere: only what differs is touched, so the cursor stays. */
  replace(name: string, text: string): void {
    const old = this.text(name);
    if (old === text) return;
    const spec = {
      changes: diff(old, text, { scanLimit: 500 }).map((c) => ({ from: c.fromA, to: c.toA, insert: text.slice(c.fromB, c.toB) })),
      annotations: [fromOutside.of(true), Transaction.addToHistory.of(true)],
    };
    if (name === this.shown) this.view.dispatch(spec);
    else {
      const state = this.states.get(name);
      if (state) this.states.set(name, state.update(spec).state);
    }
  }

  goTo(line: number, column: number, focus = true): void {
    const doc = this.view.state.doc;
    const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const pos = Math.min(at.from + Math.max(column - 1, 0), at.to);
    this.view.dispatch({ selection: { anchor: pos }, effects: EditorView.scrollIntoView(pos, { y: "center" }) });
    this.scrolls.delete(this.shown);
    if (focus) this.focus();
  }

  focus(): void {
    this.view.focus();
  }

  rename(from: string, to: string): void {
    const text = this.text(from);
    const was = this.shown === from;
    this.states.delete(from);
    this.scrolls.delete(from);
    this.states.set(to, this.state(to, text));
    if (was) {
      this.shown = "";
      this.show(to);
    }
  }

  remove(name: string): void {
    this.states.delete(name);
    this.scrolls.delete(name);
    if (this.shown === name) {
      this.shown = "";
      this.view.setState(EditorState.create({ extensions: base }));
    }
  }
}

/** Two versions of a text, side by side; the right one can be edited. */
export class Comparison {
  private readonly merge: MergeView;

  constructor(parent: HTMLElement, name: string, theirs: string, mine: string) {
    const shared: Extension = [base, language(name), EditorView.lineWrapping];
    this.merge = new MergeView({
      parent,
      a: { doc: theirs, extensions: [shared, EditorState.readOnly.of(true), EditorView.contentAttributes.of({ "aria-label": "The other version", tabindex: "0" })] },
      b: { doc: mine, extensions: [shared, EditorView.contentAttributes.of({ "aria-label": "Your version", tabindex: "0" })] },
      revertControls: "a-to-b",
      collapseUnchanged: { margin: 3, minSize: 6 },
    });
  }

  text(): string {
    return this.merge.b.state.doc.toString();
  }

  close(): void {
    this.merge.destroy();
  }
}
