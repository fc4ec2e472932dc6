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
      theme,
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

const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--back)', fontSize: '14px', maxHeight: '70vh' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto', minHeight: '12rem' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { color: 'var(--faint)', backgroundColor: 'var(--raised)', borderRight: '1px solid var(--line)' },
  '.cm-json-key': { color: 'var(--accent)' },
  '.cm-json-text': { color: 'var(--good)' },
  '.cm-json-word': { color: 'var(--warning)' },
  '.cm-json-comment': { color: 'var(--faint)', fontStyle: 'italic' },
  '.cm-activeLine': { backgroundColor: 'transparent', boxShadow: 'inset 0 0 0 1px var(--line)' },
  '.cm-activeLineGutter': { color: 'var(--text)', backgroundColor: 'var(--hover)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--accent-soft)',
  },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-panels': { color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-textfield': { color: 'var(--text)', backgroundColor: 'var(--back)', border: '1px solid var(--control)' },
  '.cm-button': {
    color: 'var(--text)',
    backgroundColor: 'var(--back)',
    backgroundImage: 'none',
    border: '1px solid var(--control)',
  },
  '.cm-tooltip': { color: 'var(--text)', backgroundColor: 'var(--raised)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { color: 'var(--on-accent)', backgroundColor: 'var(--accent)' },
  '.cm-completionInfo': { maxWidth: '28rem', padding: '6px 10px' },
  '.cm-completionDetail': { color: 'inherit', marginLeft: '1em' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--danger)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--danger)' },
  '.cm-searchMatch': { backgroundColor: 'var(--warning-soft)', outline: '1px solid var(--warning)' },
});
