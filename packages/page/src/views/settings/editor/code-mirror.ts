/* The editor of the config: loaded when it is opened, within a shadow root, since the page's policy allows no style elements. */

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { FaultWire } from '../../../../../../src/features/page/wire/settings.ts';
import colours from './code-mirror.css?inline';
import { completionFor } from './completion.ts';
import type { Schema } from './config-schema.ts';
import { jsonLanguage } from './json-language.ts';

export interface EditorParts {
  readonly text: string;
  readonly schema: Schema;
  /** What it is, for readers of the screen. */
  readonly label: string;
  /** Its own words, by their English ones. */
  readonly phrases: Readonly<Record<string, string>>;
  readonly onChange: (text: string) => void;
}

/** An editor that is shown. */
export interface CodeEditor {
  /** The text is another one now, not typed. */
  setText(text: string): void;
  setFaults(faults: readonly FaultWire[]): void;
  goTo(line: number, column: number): void;
  destroy(): void;
}

export function createCodeEditor(host: HTMLElement, parts: EditorParts): CodeEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({ root, parent: root, state: stateOf(parts) });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(colours);
  // Behind the library's own, so that it counts more.
  root.adoptedStyleSheets.push(sheet);
  return {
    setText: (text) => {
      if (text !== view.state.doc.toString()) view.setState(stateOf({ ...parts, text }));
    },
    setFaults: (faults) => view.dispatch(setDiagnostics(view.state, diagnosticsOf(faults, view.state.doc))),
    goTo: (line, column) => {
      const anchor = offsetIn(view.state.doc, line, column);
      view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

function stateOf({ text, schema, label, phrases, onChange }: EditorParts): EditorState {
  return EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      drawSelection(),
      history(),
      indentUnit.of('  '),
      bracketMatching(),
      closeBrackets(),
      jsonLanguage,
      autocompletion({ override: [completionFor(schema)], icons: false }),
      search({ top: true }),
      highlightSelectionMatches(),
      EditorState.phrases.of(phrases),
      EditorState.lineSeparator.of(text.includes('\r\n') ? '\r\n' : '\n'),
      EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'off' }),
      EditorView.lineWrapping,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.sliceDoc());
      }),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        { key: 'Tab', run: acceptCompletion },
        ...searchKeymap,
        ...historyKeymap,
        ...lintKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
    ],
  });
}

function diagnosticsOf(faults: readonly FaultWire[], doc: Text): readonly Diagnostic[] {
  return faults
    .filter(({ line }) => line !== null)
    .map(({ line, column, key, text }) => {
      const from = offsetIn(doc, line ?? 1, column ?? 1);
      const [word = ''] = /^(?:"(?:[^"\\\n]|\\.)*"?|[\w.-]+)/.exec(doc.sliceString(from, from + 500)) ?? [];
      const to = Math.min(doc.length, from + Math.max(1, word.length));
      return { from, to, severity: 'error' as const, message: key === '' ? text : `${key}: ${text}` };
    })
    .toSorted((a, b) => a.from - b.from);
}

/** As near as the text has it. Both count from 1. */
function offsetIn(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(1, line), doc.lines));
  return Math.min(to, from + Math.max(0, column - 1));
}
