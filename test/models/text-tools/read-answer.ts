import { withTextTools } from '../../../src/models/text-tools/text-tools.ts';
import { eventsOf, request } from '../ask.ts';
import { ends, SteppingModel, says } from '../stepping-model.ts';

/** What came of an answer that a model without function calling has written. */
export type ReadAnswer = Awaited<ReturnType<typeof readAnswer>>;

/** A model that says these pieces, and keeps what it was asked. */
export function saying(pieces: readonly string[]): SteppingModel {
  return new SteppingModel([[...pieces.map(says), ends({ type: 'text', text: pieces.join('') })]]);
}

/** Reads an answer that comes in these pieces. */
export async function readAnswer(...pieces: readonly string[]) {
  const events = await eventsOf(withTextTools(saying(pieces)), request('go'));
  const last = events.at(-1);
  if (last?.type !== 'finish') throw new Error('the answer has no end');
  const { parts } = last.answer;
  return {
    shown: events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join(''),
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    calls: parts.flatMap((part) =>
      part.type === 'call' ? [{ name: part.name, arguments: part.arguments, modelCallId: part.modelCallId }] : [],
    ),
    partial: events.flatMap((event) => (event.type === 'partial-call' ? [event] : [])),
  };
}

/** A call as the model is taught to write it. */
export function written(name: string, args: unknown): string {
  return `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
}

/** A text in pieces. */
export function inPieces(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}
