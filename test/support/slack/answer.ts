import type { JsonObject } from '../../../src/lib/json.ts';
import { Refusal } from './refusal.ts';

/** What a request is answered with. */
export interface Answer {
  readonly status: number;
  readonly body: string | Buffer;
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log of calls. */
  readonly outcome: string;
}

/** HTTP 200 and what is wrong. */
export function refusalAnswer({ code, details }: Refusal, headers: Readonly<Record<string, string>> = {}): Answer {
  return okAnswer({ ok: false, error: code, ...details }, headers);
}

/** What methods answer with, whether it went well or not. */
export function okAnswer(body: JsonObject, headers: Readonly<Record<string, string>> = {}): Answer {
  const outcome = body.ok === false ? String(body.error) : 'ok';
  return { status: 200, body: JSON.stringify(body), type: 'application/json; charset=utf-8', headers, outcome };
}

/** Too many requests, for that many seconds. */
export function tooMany(seconds: number): Answer {
  const limited = refusalAnswer(new Refusal('ratelimited'), { 'retry-after': String(seconds) });
  return { ...limited, status: 429 };
}
