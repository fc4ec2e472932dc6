import { createHmac, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../src/lib/json.ts';
import type { ScaledTime } from './scaled-time.ts';

/** What comes in: an event, a press or a modal, a slash command. */
export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands';

/** How a request shows that it comes from Slack. All but `true` are lies. */
export type Signing = 'true' | 'wrong' | 'missing' | 'stale';

export interface PostOptions {
  readonly retry?: { readonly number: number; readonly reason: string };
  readonly signing?: Signing;
  /** How long an answer is waited for, in our time. Slack's three seconds, scaled, if not set. */
  readonly patienceMs?: number;
}

/** What the app answered. A status of 0 is no answer in time, or none at all. */
export interface PostOutcome {
  readonly status: number;
  readonly body: string;
  /** Undefined if it counts as acknowledged. */
  readonly failure: string | undefined;
  readonly wantsNoRetry: boolean;
}

interface Dependencies {
  readonly url: string;
  readonly signingSecret: string;
  readonly time: ScaledTime;
  readonly closed: AbortSignal;
}

const deadline = 3;
/** However short Slack's seconds are made: a peer on a busy machine needs some time to answer, in milliseconds. */
const leastPatience = 1_000;
/** The challenge is not what a test with a small scale is about. */
const verifyingMs = 30_000;
const staleSeconds = 6 * 60;

/** The app's own address, to which Slack posts what comes in. */
export class EventPosts {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Shows that the address is the app's, as Slack does when it is entered. Throws if it does not answer as it must. */
  async verify(): Promise<void> {
    const challenge = randomUUID();
    const { status, body } = await this.post(
      'events_api',
      {
        type: 'url_verification',
        token: 'verification',
        challenge,
      },
      { patienceMs: verifyingMs },
    );
    if (status !== 200 || !body.includes(challenge)) {
      throw new Error(`Your URL didn't respond with the value of the challenge parameter: ${status} ${body}`);
    }
  }

  async post(
    kind: DeliveryKind,
    payload: JsonObject,
    { retry, signing = 'true', patienceMs }: PostOptions = {},
  ): Promise<PostOutcome> {
    const body = encode(kind, payload);
    const headers = {
      'content-type': kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
      'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
      ...this.#signature(body, signing),
      ...(retry && { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
    };
    const { url, time, closed } = this.#dependencies;
    const late = new AbortController();
    const patience = patienceMs ?? Math.max(leastPatience, time.milliseconds(deadline));
    const stopWaiting = time.afterMilliseconds(patience, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, closed]);
      const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      const wantsNoRetry = response.headers.get('x-slack-no-retry') === '1';
      const failure = response.ok ? undefined : 'http_error';
      return { status: response.status, body: await response.text(), failure, wantsNoRetry };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return {
        status: 0,
        body: '',
        failure: late.signal.aborted ? 'http_timeout' : 'connection_failed',
        wantsNoRetry: false,
      };
    } finally {
      stopWaiting();
    }
  }

  #signature(body: string, signing: Signing): Record<string, string> {
    if (signing === 'missing') return {};
    const now = Math.floor(Date.now() / 1000);
    const timestamp = String(signing === 'stale' ? now - staleSeconds : now);
    const secret = signing === 'wrong' ? 'somebody else' : this.#dependencies.signingSecret;
    const hash = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${hash}` };
  }
}

function encode(kind: DeliveryKind, payload: JsonObject): string {
  switch (kind) {
    case 'events_api':
      return JSON.stringify(payload);
    case 'interactive':
      return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
    case 'slash_commands':
      return new URLSearchParams(
        Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, String(value)])),
      ).toString();
  }
}

/** What the app says in the body of its answer. */
export function answerIn(body: string): JsonObject {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : { text: body };
  } catch {
    return { text: body };
  }
}
