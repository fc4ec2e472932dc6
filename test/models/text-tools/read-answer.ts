import type { LanguageModel, ModelEvent, ModelRequest } from '../../../src/models/language-model.ts';
import { withTextTools } from '../../../src/models/text-tools/text-tools.ts';
import { eventsOf, request } from '../ask.ts';

/** What came of an answer that a model without function calling has written. */
export interface ReadAnswer {
  /** What people saw while it was written. */
  readonly shown: string;
  /** What was stored of it as text. */
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly arguments: unknown; readonly modelCallId: string }[];
  readonly partial: readonly Extract<ModelEvent, { type: 'partial-call' }>[];
}

/** A model that says these pieces, and keeps what it was asked. */
export class PiecesModel implements LanguageModel {
  readonly label = 'pieces';
  readonly seesImages = true;
  readonly requests: ModelRequest[] = [];
  readonly #pieces: readonly string[];

  constructor(pieces: readonly string[]) {
    this.#pieces = pieces;
  }

  async *stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
    this.requests.push(asked);
    for (const delta of this.#pieces) yield { type: 'text', delta };
    const parts = [{ type: 'text', text: this.#pieces.join('') }] as const;
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 1, outputTokens: 1 } } };
  }
}

/** Reads an answer that comes in these pieces. */
export async function readAnswer(...pieces: readonly string[]): Promise<ReadAnswer> {
  const events = await eventsOf(withTextTools(new PiecesModel(pieces)), request('go'));
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
