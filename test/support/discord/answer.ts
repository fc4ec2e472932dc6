import type { BucketState } from './rate-limits.ts';
import type { Refusal } from './refusal.ts';

/** What goes back over HTTP. */
export interface Answer {
  readonly status: number;
  /** None with 204. */
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Discord's own number for what was wrong. */
  readonly code?: number;
}

interface Limited {
  readonly state: BucketState | undefined;
  readonly isGlobal: boolean;
  /** In milliseconds. */
  readonly retryAfter: number;
}

export function jsonAnswer(body: unknown, state: BucketState | undefined): Answer {
  if (body === undefined) return { status: 204, headers: bucketHeaders(state) };
  return { status: 200, body: JSON.stringify(body), headers: bucketHeaders(state) };
}

export function refusalAnswer({ status, code, message, details }: Refusal, state?: BucketState): Answer {
  const body = JSON.stringify({ message, code, ...details });
  const wait = typeof details.retry_after === 'number' && { 'retry-after': String(details.retry_after) };
  return { status, code, body, headers: { ...bucketHeaders(state), ...wait } };
}

/** 429, with the time that it lasts in the header and in the body. */
export function limitedAnswer({ state, isGlobal, retryAfter }: Limited): Answer {
  const wait = seconds(retryAfter);
  const message = isGlobal
    ? 'You are being blocked from accessing our API temporarily.'
    : 'You are being rate limited.';
  return {
    status: 429,
    code: 0,
    body: JSON.stringify({ message, retry_after: wait, global: isGlobal, code: 0 }),
    headers: {
      ...bucketHeaders(state),
      'retry-after': String(wait),
      'x-ratelimit-scope': isGlobal ? 'global' : 'user',
      ...(isGlobal && { 'x-ratelimit-global': 'true' }),
    },
  };
}

export function htmlAnswer(status: number, words: string): Answer {
  const title = `${status} ${words}`;
  const body = `<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`;
  return { status, body, type: 'text/html' };
}

/** What stands before Discord shuts an address out that asked for too much that it may not have. */
export function bannedAnswer(): Answer {
  return { ...htmlAnswer(429, 'You are being blocked'), headers: { 'retry-after': '3600' } };
}

function bucketHeaders(state: BucketState | undefined): Record<string, string> {
  if (state === undefined) return {};
  const { bucket, limit, remaining, resetAfter } = state;
  return {
    'x-ratelimit-bucket': bucket,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset-after': String(seconds(resetAfter)),
  };
}

/** Upwards, so that nobody comes back too early. */
function seconds(milliseconds: number): number {
  return Math.ceil(Math.max(1, milliseconds)) / 1000;
}
