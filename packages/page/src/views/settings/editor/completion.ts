/* What may be written at the cursor, as the schema knows it. */

import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import { descriptionOf, emptyValueOf, keysAt, type Schema, valuesAt } from './config-schema.ts';
import { type JsonPlace, placeIn } from './json-place.ts';

/** Completes keys and values of the config. */
export function completionFor(schema: Schema) {
  return (context: CompletionContext): CompletionResult | null => {
    const text = context.state.doc.toString();
    const place = placeIn(text, context.pos);
    if (place === undefined || (!context.explicit && place.from === context.pos)) return null;
    const options = place.isKey ? keyOptions(schema, place) : valueOptions(schema, place);
    return options.length === 0 ? null : { from: place.from, options, validFor: /^"?[\w.-]*$/ };
  };
}

function keyOptions(schema: Schema, { path, present }: JsonPlace): readonly Completion[] {
  return [...keysAt(schema, path)]
    .filter(([name]) => !present.includes(name))
    .map(([name, of]) => ({
      label: JSON.stringify(name),
      displayLabel: name,
      type: 'property',
      detail: typeof of.type === 'string' ? of.type : '',
      info: descriptionOf(of),
      apply: (view: EditorView, _completion: Completion, from: number, to: number) =>
        writeKey(view, { name, value: emptyValueOf(of) }, { from, to }),
    }));
}

function valueOptions(schema: Schema, { path }: JsonPlace): readonly Completion[] {
  return valuesAt(schema, path).map((value) => ({
    label: JSON.stringify(value),
    type: 'constant',
    apply: (view: EditorView, completion: Completion, from: number, to: number) =>
      writeWord(view, completion.label, { from, to }),
  }));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The key, and where no value follows yet, an empty one with the cursor in it. */
function writeKey(
  view: EditorView,
  { name, value }: { readonly name: string; readonly value: string },
  range: Range,
): void {
  const to = behindWord(view, range.to);
  const isFollowed = /^\s*:/.test(view.state.sliceDoc(to, to + 20));
  const key = JSON.stringify(name);
  const insert = isFollowed ? key : `${key}: ${value}`;
  const anchor = range.from + insert.length - (isFollowed || value === '' ? 0 : 1);
  view.dispatch({ changes: { from: range.from, to, insert }, selection: { anchor }, userEvent: 'input.complete' });
}

function writeWord(view: EditorView, insert: string, { from, to }: Range): void {
  const anchor = from + insert.length;
  const changes = { from, to: behindWord(view, to), insert };
  view.dispatch({ changes, selection: { anchor }, userEvent: 'input.complete' });
}

/** Editors close quotation marks: what is left of the word goes, too. */
function behindWord(view: EditorView, at: number): number {
  const [rest = ''] = /^[\w.-]*"?/.exec(view.state.sliceDoc(at, at + 200)) ?? [];
  return at + rest.length;
}
