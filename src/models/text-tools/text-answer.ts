import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { AnswerPart, ModelEvent } from '../language-model.ts';
import { type PartialArguments, partialArguments, readJson } from '../partial-json.ts';
import type { CallEnd } from './answer-parser.ts';

/** A call that is being written. */
interface OpenCall {
  readonly modelCallId: string;
  readonly read: PartialArguments;
  text: string;
  /** The arguments shown last. */
  shown: string;
}

type CallPart = Extract<AnswerPart, { type: 'call' }>;

export type TextAnswer = ReturnType<typeof createTextAnswer>;

/** Assembles an answer from pieces of text: the sink of `answerParser`. */
export function createTextAnswer() {
  const parts: (CallPart | { readonly type: 'text'; text: string })[] = [];
  let calls = 0;
  let open: OpenCall | undefined;

  /** Events not taken yet. */
  let events: ModelEvent[] = [];

  function text(delta: string): void {
    const last = parts.at(-1);
    if (last?.type === 'text') last.text += delta;
    else parts.push({ type: 'text', text: delta });
    const before = events.at(-1);
    if (before?.type !== 'text') events.push({ type: 'text', delta });
    else events[events.length - 1] = { type: 'text', delta: before.delta + delta };
  }

  function beginCall(): void {
    calls += 1;
    open = { modelCallId: `call_${calls}`, read: partialArguments(), text: '', shown: '{}' };
  }

  function call(delta: string): void {
    if (open === undefined) return;
    open.text += delta;
    const value = open.read(open.text);
    const soFar = value && readPartialCall(value);
    if (soFar !== undefined) show(open, soFar);
  }

  function endCall(end: CallEnd): void {
    if (open === undefined) return;
    const made = readCall(open.text, end);
    parts.push({ type: 'call', modelCallId: open.modelCallId, ...made });
    if (typeof made.arguments !== 'string') show(open, made);
    open = undefined;
  }

  /** Skips arguments that have not changed. */
  function show(call: OpenCall, { name, arguments: args }: Pick<CallPart, 'name' | 'arguments'>): void {
    const shown = JSON.stringify(args);
    if (shown === call.shown) return;
    call.shown = shown;
    events.push({ type: 'partial-call', modelCallId: call.modelCallId, name, arguments: args });
  }

  function taken(): readonly ModelEvent[] {
    const all = events;
    events = [];
    return all;
  }

  return {
    ...{ text, beginCall, call, endCall, taken },
    endsInCall: () => parts.at(-1)?.type === 'call',
    /** The parts so far, without blank text between calls. */
    parts: (): readonly AnswerPart[] => parts.filter((part) => part.type === 'call' || part.text.trim() !== ''),
  };
}

interface WrittenCall {
  readonly name: string;
  readonly arguments: JsonValue;
}

/**
 * The call in a tag. If it is unreadable or did not end normally, its arguments are a string that is never JSON and
 * begins with the reason: the tool's validation tells the model, and nothing runs.
 */
function readCall(text: string, end: CallEnd): WrittenCall {
  const value = end === 'closed' ? parseLeniently(text) : undefined;
  const call = isJsonObject(value) ? readEnvelope(value) : undefined;
  return call ?? { name: guessName(text), arguments: `${faults[end]} ${text}` };
}

/** None may begin like JSON. */
const faults = {
  closed: '(no call as JSON:)',
  broken: '(no call as JSON:)',
  unclosed: '(not closed with </tool_call>:)',
  unfinished: '(cut off:)',
} as const;

/** The call with the arguments so far. Undefined while its name may still grow. */
function readPartialCall(value: JsonObject): { readonly name: string; readonly arguments: JsonObject } | undefined {
  const call = readEnvelope(value);
  const isNameLast = /^(?:name|tool|function)$/.test(Object.keys(value).at(-1) ?? '');
  return call === undefined || isNameLast || !isJsonObject(call.arguments)
    ? undefined
    : { name: call.name, arguments: call.arguments };
}

/** In this protocol's keys, or in common ones of others. Undefined if anything is unclear. */
function readEnvelope(value: JsonObject): WrittenCall | undefined {
  const { function: inner, ...outer } = value;
  const envelope: JsonObject = isJsonObject(inner) ? { ...outer, ...inner } : value;
  const name = [envelope.name, envelope.tool, envelope.function].find((word) => typeof word === 'string');
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const key = argumentKeys.find((word) => Object.hasOwn(envelope, word));
  if (key !== undefined) return { name, arguments: readArguments(envelope[key] ?? {}) };
  // Arguments without their key: running it without any would be a different call.
  return Object.keys(envelope).every((word) => otherKeys.has(word)) ? { name, arguments: {} } : undefined;
}

const argumentKeys = ['arguments', 'parameters', 'args'] as const;
const otherKeys: ReadonlySet<string> = new Set(['name', 'tool', 'function', 'id', 'type']);

/** Some models write the arguments as a string of JSON, as OpenAI's API does. */
function readArguments(written: JsonValue): JsonValue {
  const inner = typeof written === 'string' ? readJson(written) : undefined;
  return isJsonObject(inner) ? inner : written;
}

function parseLeniently(text: string): JsonValue | undefined {
  return readJson(text) ?? (hasControls.test(text) ? readJson(escapeControls(text)) : undefined);
}

const hasControls = /\p{Cc}/u;

/** Escapes line breaks and other controls within strings, as JSON requires. */
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

/** Guesses the tool, so that its validation tells the model. */
function guessName(text: string): string {
  const found = /"(?:name|tool|function)"\s*:\s*"([^"\\]{1,64})"/.exec(text.slice(0, 1000))?.[1];
  return found ?? 'unnamed';
}
