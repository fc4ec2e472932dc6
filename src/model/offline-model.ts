import type { JsonValue } from '../lib/json.ts';
import type {
  AnswerPart,
  LanguageModel,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelToolResult,
} from './language-model.ts';
import { readUserText, type UserPiece } from './offline-messages.ts';
import { answerPeople, type OfflineAnswer } from './offline-people.ts';
import { eventWords, resultWords } from './offline-results.ts';
import { fileWords } from './offline-words.ts';

/**
 * Stands in where no model is set up: turns a few plain sentences into calls of the tools that are there, says what came
 * of them, and says that it is no AI. Needs no network and takes time in proportion to what it reads.
 */
export const offlineModel: LanguageModel = {
  label: 'offline (pattern matching, no AI)',
  seesImages: false,
  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const { said, calls } = answer(request);
    const text = said.join('\n\n');
    for (const delta of inPieces(text)) {
      if (request.signal.aborted) return;
      yield { type: 'text', delta };
    }
    if (request.signal.aborted) return;

    const parts: AnswerPart[] = text === '' ? [] : [{ type: 'text', text }];
    calls.forEach((call, index) => {
      parts.push({ type: 'call', modelCallId: `offline_${index + 1}`, ...call });
    });
    yield { type: 'finish', answer: { parts, usage: { inputTokens: 0, outputTokens: 0 } } };
  },
};

/** Answers everything that came in since the last turn, in its order. */
function answer({ messages, tools }: ModelRequest): OfflineAnswer {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  const pieces = waiting(messages.slice(lastTurn + 1).flatMap(toPieces));
  const reports = pieces.filter(({ type }) => type !== 'said').length;
  const limit = Math.floor(mostShown / Math.max(1, reports));
  const args = argumentsOf(messages[lastTurn]);
  const said = pieces.flatMap((piece) => reportWords(piece, args, limit));
  const sentences = pieces.flatMap((piece) => (piece.type === 'said' ? [piece.text] : []));
  const toPeople = answerPeople(sentences, new Set(tools.map((tool) => tool.name)));
  return { said: [...said, ...toPeople.said], calls: toPeople.calls };
}

type Piece = UserPiece | { readonly type: 'result'; readonly result: ModelToolResult };

function toPieces(message: ModelMessage): readonly Piece[] {
  switch (message.role) {
    case 'assistant':
      return [];
    case 'results':
      return message.results.map((result) => ({ type: 'result', result }));
    case 'user':
      return readUserText(message.text);
  }
}

function reportWords(piece: Piece, args: ReadonlyMap<string, JsonValue>, limit: number): readonly string[] {
  switch (piece.type) {
    case 'result':
      return [resultWords(piece.result, args.get(piece.result.modelCallId) ?? {}, limit)];
    case 'file':
      return [fileWords(piece.text)];
    case 'news':
    case 'run-ended':
      return [eventWords(piece.text, limit)];
    case 'said':
      return [];
  }
}

/** Of a run that has ended, only news is left: what was asked in it was called off, and must not be done after all. */
function waiting(pieces: readonly Piece[]): readonly Piece[] {
  const end = pieces.findLastIndex(({ type }) => type === 'run-ended');
  if (end < 0) return pieces;
  const left = pieces.filter(({ type }, at) => at > end || type === 'news');
  return left.length === 0 ? pieces.slice(end) : left;
}

/** In characters, over all the results of a turn. */
const mostShown = 3000;

function argumentsOf(turn: ModelMessage | undefined): ReadonlyMap<string, JsonValue> {
  if (turn?.role !== 'assistant') return new Map();
  return new Map(turn.parts.flatMap((part) => (part.type === 'call' ? [[part.modelCallId, part.arguments]] : [])));
}

/** A few pieces, so that a channel which shows an answer while it is written has something to show. */
function inPieces(text: string): string[] {
  const size = Math.max(smallestPiece, Math.ceil(text.length / mostPieces));
  const characters = Array.from(text);
  const pieces: string[] = [];
  for (let from = 0; from < characters.length; from += size) pieces.push(characters.slice(from, from + size).join(''));
  return pieces;
}

const smallestPiece = 40;
const mostPieces = 4;
