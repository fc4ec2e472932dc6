import type { JsonValue } from '../lib/json.ts';
import type { AnswerPart, LanguageModel, ModelEvent, ModelMessage, ModelRequest } from './language-model.ts';
import type { PhraseCall } from './offline-clauses.ts';
import { readPhrase } from './offline-phrases.ts';
import { eventWords, resultWords } from './offline-results.ts';
import { helpWords, missingToolWords, unknownWords } from './offline-words.ts';

/**
 * Stands in where no model is set up: turns a few plain sentences into calls of the tools that are there, says what came
 * of them, and says that it is no AI. Needs no network and takes time in proportion to what it reads.
 */
export const offlineModel: LanguageModel = {
  label: 'offline (pattern matching, no AI)',
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

interface Answer {
  readonly said: readonly string[];
  readonly calls: readonly PhraseCall[];
}

/** Answers everything that came in since the last turn, in its order. */
function answer({ messages, tools }: ModelRequest): Answer {
  const lastTurn = messages.findLastIndex((message) => message.role === 'assistant');
  const answers = messages
    .slice(lastTurn + 1)
    .map((message) => answerOne(message, argumentsOf(messages[lastTurn]), new Set(tools.map((tool) => tool.name))));
  return { said: answers.flatMap(({ said }) => said), calls: answers.flatMap(({ calls }) => calls) };
}

function answerOne(
  message: ModelMessage,
  args: ReadonlyMap<string, JsonValue>,
  toolNames: ReadonlySet<string>,
): Answer {
  switch (message.role) {
    case 'assistant':
      return { said: [], calls: [] };
    case 'results': {
      const limit = Math.floor(mostShown / Math.max(1, message.results.length));
      const said = message.results.map((result) => resultWords(result, args.get(result.modelCallId) ?? {}, limit));
      return { said, calls: [] };
    }
    case 'user':
      return answerPerson(message.text, toolNames);
  }
}

function answerPerson(text: string, toolNames: ReadonlySet<string>): Answer {
  if (text.startsWith('<keyturn_event')) return { said: [eventWords(text, mostShown)], calls: [] };
  const phrase = readPhrase(text);
  switch (phrase.type) {
    case 'help':
      return { said: [helpWords()], calls: [] };
    case 'unknown':
      return { said: [unknownWords()], calls: [] };
    case 'calls': {
      // All or nothing: what is asked second may need what is asked first.
      const missing = phrase.calls.find((call) => !toolNames.has(call.name));
      return missing === undefined
        ? { said: [], calls: phrase.calls }
        : { said: [missingToolWords(missing.name)], calls: [] };
    }
  }
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
