import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { isTooDeep, type PartialArguments, partialArguments } from '../partial-json.ts';
import type { AnswerPiece, CallEnd } from './answer-parser.ts';

/** A call that is being written. */
interface OpenCall {
  readonly modelCallId: string;
  readonly written: PartialArguments;
  /** The arguments that were shown last. */
  shown: string;
}

type CallPart = Extract<AnswerPart, { type: 'call' }>;

export type TextAnswer = ReturnType<typeof createTextAnswer>;

/** Puts an answer together from the pieces of its text. */
export function createTextAnswer() {
  const parts: (CallPart | { readonly type: 'text'; text: string })[] = [];
  let calls = 0;
  let open: OpenCall | undefined;

  /** Takes the next pieces. Returns what can be shown of them. */
  function take(pieces: readonly AnswerPiece[]): readonly ModelEvent[] {
    return pieces.flatMap((piece) => takeOne(piece) ?? []);
  }

  function takeOne(piece: AnswerPiece): ModelEvent | undefined {
    switch (piece.type) {
      case 'text': {
        const last = parts.at(-1);
        if (last?.type === 'text') last.text += piece.delta;
        else parts.push({ type: 'text', text: piece.delta });
        return { type: 'text', delta: piece.delta };
      }
      case 'call-begin':
        calls += 1;
        open = { modelCallId: `call_${calls}`, written: partialArguments(), shown: '{}' };
        return undefined;
      case 'call': {
        const value = open?.written.add(piece.delta);
        const soFar = value && readPartialCall(value);
        return open && soFar && partialCall(open, soFar);
      }
      case 'call-end':
        return open && endCall(open, piece.end);
    }
  }

  function endCall(call: OpenCall, end: CallEnd): ModelEvent | undefined {
    const { modelCallId, written } = call;
    const made = readCall(written.text(), end);
    parts.push({ type: 'call', modelCallId, ...made });
    open = undefined;
    return typeof made.arguments === 'string' ? undefined : partialCall(call, made);
  }

  return {
    take,
    endsInCall: () => parts.at(-1)?.type === 'call',
    /** The parts as they stand. What is only space between calls is none. */
    parts: (): readonly AnswerPart[] => parts.filter((part) => part.type === 'call' || part.text.trim() !== ''),
  };
}

/** Undefined if it would show nothing new. */
function partialCall(call: OpenCall, soFar: Pick<CallPart, 'name' | 'arguments'>): ModelEvent | undefined {
  const shown = JSON.stringify(soFar.arguments);
  if (shown === call.shown) return undefined;
  call.shown = shown;
  return { type: 'partial-call', modelCallId: call.modelCallId, name: soFar.name, arguments: soFar.arguments };
}

interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonValue;
}

/**
 * The call that stands in a tag. One that cannot be read, or has not ended as it should, has a text as its arguments that
 * is no JSON, begins with the reason, and is never empty: the validation of the tool tells the model, and nothing runs.
 */
function readCall(text: string, end: CallEnd): WrittenCall {
  const value = end === 'closed' && !isTooDeep(text) ? parseLeniently(text) : undefined;
  const call = isJsonObject(value) ? readEnvelope(value) : undefined;
  return call ?? { name: guessName(text), arguments: `${faults[end]} ${text}` };
}

/** None of them may begin like JSON. */
const faults = {
  closed: '(no call as JSON:)',
  broken: '(no call as JSON:)',
  unclosed: '(not closed with </tool_call>:)',
  unfinished: '(cut off:)',
} as const;

/**
 * The call of which these are the arguments so far. Undefined while its name may still grow.
 */
function readPartialCall(value: JsonObject): { readonly name: string; readonly arguments: JsonObject } | undefined {
  const call = readEnvelope(value);
  const isNameLast = /^(?:name|tool|function)$/.test(Object.keys(value).at(-1) ?? '');
  return call === undefined || isNameLast || !isJsonObject(call.arguments)
    ? undefined
    : { name: call.name, arguments: call.arguments };
}

/** In the words of this protocol, or in those that models know from elsewhere. Undefined where anything is unclear. */
function readEnvelope(value: JsonObject): WrittenCall | undefined {
  const { function: inner, ...outer } = value;
  const envelope: JsonObject = isJsonObject(inner) ? { ...outer, ...inner } : value;
  const name = [envelope.name, envelope.tool, envelope.function].find((word) => typeof word === 'string');
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const key = argumentKeys.find((word) => Object.hasOwn(envelope, word));
  if (key !== undefined) return { name, arguments: readArguments(envelope[key] ?? {}) };
  // Arguments without their key: to run it without any would be another call.
  return Object.keys(envelope).every((word) => otherKeys.has(word)) ? { name, arguments: {} } : undefined;
}

const argumentKeys = ['arguments', 'parameters', 'args'] as const;
const otherKeys: ReadonlySet<string> = new Set(['name', 'tool', 'function', 'id', 'type']);

/** Some models write the arguments as JSON in a string, as they come over the wire elsewhere. */
function readArguments(written: JsonValue): JsonValue {
  const inner = typeof written === 'string' && !isTooDeep(written) ? parseJson(written) : undefined;
  return isJsonObject(inner) ? inner : written;
}

function parseLeniently(text: string): JsonValue | undefined {
  const value = parseJson(text);
  return value === undefined && hasControls.test(text) ? parseJson(escapeControls(text)) : value;
}

const hasControls = /\p{Cc}/u;

/** Line breaks and the like within strings, which JSON wants to be escaped: what they mean is plain. */
function escapeControls(text: string): string {
  const pieces: string[] = [];
  let isString = false;
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isString = !isString;
    else if (isString && character === '\\') at += 1;
    else if (isString && character < ' ') {
      pieces.push(text.slice(begin, at), `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
      begin = at + 1;
    }
  }
  return [...pieces, text.slice(begin)].join('');
}

/** So that the model is told by the tool that it meant. */
function guessName(text: string): string {
  const found = /"(?:name|tool|function)"\s*:\s*"([^"\\]{1,64})"/.exec(text.slice(0, 1000))?.[1];
  return found ?? 'unnamed';
}
