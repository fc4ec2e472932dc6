/*
 * How programs on this machine talk with the running daemon: JSON, one object a line, over a socket in the data folder.
 * Only the operating-system user who runs Keyturn can open it, and has all rights of an owner there.
 */

import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../lib/json.ts';
import { type Language, languages } from '../../lib/words.ts';

/** Raised when an answer changes so that an older client would misread it. */
export const protocolVersion = 1;

/** The longest request, in bytes. */
export const longestRequest = 64 * 1024;

/** The longest line of a stream, in bytes: a pasted text, or one of a pipe. */
export const longestStreamLine = 8 * 2 ** 20;

/** A connection, for an answer that makes it a stream: then both sides write lines as they have something to say. */
export interface LocalConnection {
  /** From now on the lines of the client go there. False if there are too many streams, or if it has gone. */
  become(take: (line: string) => void): boolean;
  /** Writes it as a line of JSON, if somebody is there. */
  write(line: object): void;
  /** Aborts when the connection has ended. */
  readonly gone: AbortSignal;
}

export interface LocalRequest {
  /** Chosen by the client; the answer has the same. */
  readonly id: number;
  readonly request: string;
  /** In which people read the answer. */
  readonly language: Language;
  readonly params: JsonObject;
}

/** Why a request is refused, for programs. `ending`: the next process takes it; older programs read it as a fault. */
export type RefusalCode =
  | 'malformed'
  | 'other-version'
  | 'unknown-request'
  | 'wrong-params'
  | 'refused'
  | 'ending'
  | 'fault';

export type LocalAnswer =
  | { readonly v: number; readonly id: number; readonly ok: true; readonly result: JsonValue }
  | {
      readonly v: number;
      readonly id: number;
      readonly ok: false;
      readonly code: RefusalCode;
      readonly reason: string;
    };

/** A request that cannot be answered. `reason` is for a person. */
export class RefusedRequest extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, reason: string) {
    super(reason);
    this.code = code;
  }
}

/** Reads a line of a client. Throws `RefusedRequest`. */
export function readRequest(line: string): LocalRequest {
  const read = parseJson(line);
  if (!isJsonObject(read)) throw new RefusedRequest('malformed', 'a request is one JSON object in a line');
  const { v, id, request, language, params = {} } = read;
  if (v !== protocolVersion)
    throw new RefusedRequest('other-version', `this Keyturn speaks version ${protocolVersion}, in "v"`);
  const known = languages.find((one) => one === language) ?? 'en';
  if (typeof id !== 'number' || typeof request !== 'string' || !isJsonObject(params))
    throw new RefusedRequest(
      'malformed',
      'a request has a number "id", a text "request", and an object "params" if it needs one',
    );
  return { id, request, language: known, params };
}

/** Reads a line of the daemon. Undefined if it is none. */
export function readAnswer(line: string): LocalAnswer | undefined {
  const read = parseJson(line);
  if (!isJsonObject(read)) return undefined;
  const { v, id, ok, result = null, code, reason } = read;
  if (typeof v !== 'number' || typeof id !== 'number') return undefined;
  if (ok === true) return { v, id, ok, result };
  const known = refusals.find((one) => one === code) ?? 'fault';
  return { v, id, ok: false, code: known, reason: typeof reason === 'string' ? reason : '' };
}

const refusals: readonly RefusalCode[] = [
  'malformed',
  'other-version',
  'unknown-request',
  'wrong-params',
  'refused',
  'ending',
  'fault',
];
