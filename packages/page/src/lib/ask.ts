/* How the page asks the daemon: JSON over HTTP, with the cookie and the key of this origin. */

import { forgetKey, key } from './key.ts';
import { language } from './language.ts';

/** The header that carries the key. */
const keyHeader = 'X-Keyturn-Key';
const languageHeader = 'X-Keyturn-Language';

/** The daemon's refusal, in words for the person. `status` is 0 if it cannot be reached. */
export class AskError extends Error {
  override readonly name = 'AskError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `GET /page/PATH`. Rejects with `AskError`. */
export function ask<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return request(`/page/${path}`, { method: 'GET', signal: signal ?? null });
}

/** `GET /page/PATH` of a file, which no link could bring: it could not prove who asks. Rejects with `AskError`. */
export async function askFile(path: string): Promise<Blob> {
  const answer = await answerTo(`/page/${path}`, { method: 'GET' });
  return answer.blob().catch(unreachable);
}

/** `POST /page/PATH` with a JSON body. Rejects with `AskError`. */
export function tell<Answer>(path: string, body: object = {}): Promise<Answer> {
  return post(`/page/${path}`, body);
}

/** The same for a path that is not below `/page/`. */
export function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  return request(path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}

/** The headers that prove who asks, beside the cookie, and say in which language. */
export function proof(): Readonly<Record<string, string>> {
  const known = key.peek();
  return { [languageHeader]: language.peek(), ...(known === undefined ? {} : { [keyHeader]: known }) };
}

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const answer = await answerTo(path, init);
  return answer.json().catch(() => ({}));
}

async function answerTo(path: string, init: RequestInit): Promise<Response> {
  const used = key.peek();
  const answer = await fetch(path, { ...init, headers: { ...init.headers, ...proof() } }).catch(unreachable);
  if (answer.status === 401) forgetKey(used);
  if (answer.ok) return answer;
  const body = await answer.json().catch(() => ({}));
  throw new AskError(answer.status, typeof body.error === 'string' ? body.error : answer.statusText);
}

function unreachable(error: unknown): never {
  throw new AskError(0, error instanceof Error ? error.message : String(error));
}
