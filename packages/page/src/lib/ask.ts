/* How the page asks the daemon: JSON over HTTP, with the cookie and the key of this origin. */

/** The item of the browser's storage with the second half of the proof. */
export const keyItem = 'keyturn.key';
/** The header that carries it. */
const keyHeader = 'X-Keyturn-Key';

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

/** `POST /page/PATH` with a JSON body. Rejects with `AskError`. */
export function tell<Answer>(path: string, body: object = {}): Promise<Answer> {
  return request(`/page/${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json' },
  });
}

/** The headers that prove who asks, beside the cookie. */
export function proof(): Readonly<Record<string, string>> {
  return { [keyHeader]: localStorage.getItem(keyItem) ?? '' };
}

async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const answer = await fetch(path, { ...init, headers: { ...init.headers, ...proof() } }).catch((error: unknown) => {
    throw new AskError(0, error instanceof Error ? error.message : String(error));
  });
  const body = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new AskError(answer.status, typeof body.error === 'string' ? body.error : answer.statusText);
  return body;
}
