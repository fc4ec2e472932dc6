/*
 * What was said, for spans: read from the store when they are made, without secrets, and cut. Names and forms are those of
 * OpenTelemetry's conventions for generative AI.
 */

import type { Attributes } from '@opentelemetry/api';
import type { FeatureCore } from '../../feature-points.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { lastTurn, messagesFor, type RunPlace, type SaidTurn, saidInCall, type TurnSought, turnOf } from './tables.ts';

/** The attributes that say what was said. They are without those that cannot be read. Never rejects. */
export interface Content {
  ofRun(place: RunPlace): Promise<Attributes>;
  /** `found` is called with the answer that is meant. */
  ofRequest(sought: TurnSought, found: (turnId: number) => void): Promise<Attributes>;
  ofCall(callId: string): Promise<Attributes>;
}

interface ContentParts extends Pick<FeatureCore, 'redact'> {
  readonly sql: FeatureCore['database']['sql'];
  readonly log: Log;
}

/** Of an attribute, in bytes. */
const mostBytes = 16 * 1024;
/** A text in a list is not cut to less than that, in characters. */
const leastCut = 32;

export function createContent(parts: ContentParts): Content {
  return {
    ofRun: (place) => read(() => ofRun(place, parts), parts),
    ofRequest: (sought, found) => read(() => ofRequest(sought, found, parts), parts),
    ofCall: (callId) => read(() => ofCall(callId, parts), parts),
  };
}

async function read(from: () => Promise<Attributes>, { log }: ContentParts): Promise<Attributes> {
  try {
    return await from();
  } catch (err) {
    log.debug({ err }, 'a span is without its content, which could not be read');
    return {};
  }
}

async function ofRun(place: RunPlace, parts: ContentParts): Promise<Attributes> {
  const messages = (await messagesFor(parts.sql, place)).map(({ kind, text }) => ({
    role: kind === 'event' ? 'system' : 'user',
    parts: [{ type: 'text', content: text }],
  }));
  return {
    'gen_ai.input.messages': bounded(messages, parts),
    ...outputOf(await lastTurn(parts.sql, place), parts),
  };
}

async function ofRequest(
  sought: TurnSought,
  found: (turnId: number) => void,
  parts: ContentParts,
): Promise<Attributes> {
  const turn = await turnOf(parts.sql, sought);
  if (turn !== undefined) found(turn.id);
  return outputOf(turn, parts);
}

async function ofCall(callId: string, parts: ContentParts): Promise<Attributes> {
  const call = await saidInCall(parts.sql, callId);
  if (call === undefined) return {};
  return {
    'gen_ai.tool.call.arguments': bounded(call.arguments, parts),
    ...(call.result === undefined ? {} : { 'gen_ai.tool.call.result': cutTo(mostBytes, parts.redact(call.result)) }),
  };
}

function outputOf(turn: SaidTurn | undefined, parts: ContentParts): Attributes {
  if (turn === undefined) return {};
  const said = turn.parts.flatMap((part) => partOf(part));
  const output = [{ role: 'assistant', parts: said, finish_reason: finishOf(turn) }];
  return { 'gen_ai.output.messages': bounded(output, parts) };
}

/** What the model thinks is not passed on. */
function partOf({ type, text = '', callId = '', name = '', ...part }: JsonObject): readonly JsonObject[] {
  if (type === 'text') return [{ type, content: text }];
  return type === 'call' ? [{ type: 'tool_call', id: callId, name, arguments: part.arguments ?? null }] : [];
}

function finishOf({ parts, ending }: SaidTurn): string {
  if (ending === 'cut') return 'length';
  if (ending === 'withheld') return 'content_filter';
  return parts.some(({ type }) => type === 'call') ? 'tool_call' : 'stop';
}

/** As JSON, whose texts are cut until it is small enough: it stays JSON unless it has very many of them. */
function bounded(value: JsonValue, { redact }: ContentParts): string {
  const clean = mapped(value, redact);
  let text = JSON.stringify(clean);
  for (let most = mostBytes / 2; Buffer.byteLength(text) > mostBytes && most >= leastCut; most /= 2) {
    const length = most;
    text = JSON.stringify(mapped(clean, (one) => cutTo(length, one)));
  }
  // Once more as a whole, for what only looks like a secret beside its key.
  return cutTo(mostBytes, redact(text));
}

/** With each text in it changed, those of keys, too. */
function mapped(value: JsonValue, change: (text: string) => string): JsonValue {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [change(key), mapped(part, change)]));
}

/** Cut to so many bytes of UTF-8, with a mark that says how much it was. */
function cutTo(most: number, text: string): string {
  // A UTF-16 unit is three bytes at most.
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  const mark = `… [cut: ${bytes.length} bytes]`;
  // The rest of a character that was cut through becomes a replacement character.
  const kept = bytes
    .subarray(0, Math.max(0, most - Buffer.byteLength(mark)))
    .toString()
    .replace(/\ufffd$/, '');
  return `${kept}${mark}`;
}
