import { createHmac, randomUUID } from 'node:crypto';
import type { Changes } from '../changes.ts';
import type { JsonObject } from '../json.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { Sockets } from './sockets.ts';

/** What comes in: an event, a press or a modal, a slash command. */
export type DeliveryKind = 'events_api' | 'interactive' | 'slash_commands';

/** Something that the app is told, and how far that has come. */
export interface Delivery {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  /** `lost`: Slack has given it up, or does not try again at all. */
  readonly state: 'waiting' | 'acknowledged' | 'lost';
  /** How often it was sent, or would have been, had there been a connection. */
  readonly attempts: number;
  /** What the app said to it. */
  readonly answer: unknown;
}

/** One line about what the app was told. */
export function describeDelivery({ kind, payload, state, attempts }: Delivery): string {
  const event = JSON.stringify(payload.event ?? payload.type ?? payload.command).slice(0, 150);
  return `  ${kind} ${event}: ${state} after ${attempts}`;
}

interface Entry {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  state: Delivery['state'];
  attempts: number;
  answer: unknown;
  stopTimer: () => void;
  /** Set as long as an acknowledgement is awaited. */
  envelopeId?: string | undefined;
  /** Told once, when it is acknowledged. */
  readonly onAnswer: (() => void) | undefined;
}

interface DeliveryParts {
  readonly sockets: Sockets;
  readonly time: ScaledTime;
  /** How many of our seconds a second of the pauses lasts. */
  readonly retryScale: number;
  readonly changes: Changes;
}

/** How long an app has to acknowledge, in Slack's seconds. */
const deadline = 3;
/** How long Slack waits before it tries an event again, in its seconds. */
const pauses: readonly number[] = [0, 60, 300];

/** Everything that one app is told: sent, awaited, sent again, given up. */
export class Deliveries {
  readonly #parts: DeliveryParts;
  #entries: Entry[] = [];
  /** Where it is sent to, in place of the sockets. */
  posts: EventPosts | undefined;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
    parts.sockets.onAcknowledgement = (envelopeId, answer) => {
      const entry = this.#entries.find((candidate) => candidate.envelopeId === envelopeId);
      if (entry !== undefined) this.#succeed(entry, answer);
    };
  }

  get all(): readonly Delivery[] {
    return [...this.#entries];
  }

  /** What is given goes on changing. */
  deliver(kind: DeliveryKind, payload: JsonObject, onAnswer?: () => void): Delivery {
    return this.#begin({ kind, payload, onAnswer, attempts: 0 });
  }

  /** Delivers it once more, as after an acknowledgement that was lost, whatever became of it. */
  repeat({ kind, payload }: Delivery): Delivery {
    return this.#begin({ kind, payload, onAnswer: undefined, attempts: 1 });
  }

  /** Nothing is told of what has come to an end. */
  forget(): void {
    this.#entries = this.#entries.filter(({ state }) => state === 'waiting');
  }

  #begin(given: Pick<Entry, 'kind' | 'payload' | 'onAnswer' | 'attempts'>): Delivery {
    const entry: Entry = { ...given, state: 'waiting', answer: undefined, stopTimer: () => {} };
    this.#entries.push(entry);
    this.#attempt(entry);
    return entry;
  }

  #attempt(entry: Entry, reason = 'timeout'): void {
    const { kind, payload } = entry;
    const { sockets, time } = this.#parts;
    const retry = { number: entry.attempts, reason };
    entry.attempts += 1;
    if (this.posts !== undefined) {
      // Nobody waits for this: what is wrong with the fake itself must be seen.
      void this.posts.post(kind, payload, { retry }).then(({ status, body, failure }) => {
        if (status === 200) this.#succeed(entry, body);
        else this.#fail(entry, failure);
      });
      return;
    }
    const connection = sockets.next();
    if (connection === undefined) {
      this.#fail(entry, 'connection_failed');
      return;
    }
    entry.envelopeId = randomUUID();
    connection.send({
      envelope_id: entry.envelopeId,
      type: kind,
      accepts_response_payload: kind !== 'events_api',
      payload,
      ...(kind === 'events_api' && { retry_attempt: retry.number, retry_reason: retry.number > 0 ? reason : '' }),
    });
    entry.stopTimer = time.after(deadline, () => this.#fail(entry, 'timeout'));
  }

  #succeed(entry: Entry, answer: unknown): void {
    entry.stopTimer();
    entry.envelopeId = undefined;
    entry.state = 'acknowledged';
    entry.answer = answer;
    entry.onAnswer?.();
    this.#parts.changes.notify();
  }

  #fail(entry: Entry, reason: string): void {
    const { time, retryScale, changes } = this.#parts;
    entry.envelopeId = undefined;
    const pause = pauses[entry.attempts - 1];
    // Who presses a button sees that it did not work, and presses again.
    if (pause === undefined || entry.kind !== 'events_api') entry.state = 'lost';
    else entry.stopTimer = time.afterMilliseconds(pause * 1000 * retryScale, () => this.#attempt(entry, reason));
    changes.notify();
  }
}

/** How a request shows that it comes from Slack. All but `true` are lies. */
type Signing = 'true' | 'wrong' | 'missing' | 'stale';

interface PostOptions {
  readonly retry?: { readonly number: number; readonly reason: string };
  readonly signing?: Signing;
  /** How long an answer is waited for, in our time. Slack's three seconds, scaled, if not set. */
  readonly patienceMs?: number;
}

/** What the app answered. A status of 0 is no answer in time, or none at all. */
interface PostOutcome {
  readonly status: number;
  readonly body: string;
  /** What Slack calls it where it does not count as acknowledged. */
  readonly failure: string;
}

/** However short Slack's seconds are made: a peer on a busy machine needs some time to answer, in milliseconds. */
const leastPatience = 1_000;
/** The challenge is not what a test with a small scale is about. */
const verifyingMs = 30_000;
const staleSeconds = 6 * 60;

/** The app's own address, to which Slack posts what comes in. */
export class EventPosts {
  readonly #url: string;
  readonly #signingSecret: string;
  readonly #time: ScaledTime;
  readonly #closed: AbortSignal;

  constructor(url: string, signingSecret: string, time: ScaledTime, closed: AbortSignal) {
    this.#url = url;
    this.#signingSecret = signingSecret;
    this.#time = time;
    this.#closed = closed;
  }

  /** Shows that the address is the app's, as Slack does when it is entered. Throws if it does not answer as it must. */
  async verify(): Promise<void> {
    const challenge = randomUUID();
    const payload = { type: 'url_verification', token: 'verification', challenge };
    const { status, body } = await this.post('events_api', payload, { patienceMs: verifyingMs });
    if (status !== 200 || !body.includes(challenge))
      throw new Error(`Your URL didn't respond with the value of the challenge parameter: ${status} ${body}`);
  }

  async post(kind: DeliveryKind, payload: JsonObject, options: PostOptions = {}): Promise<PostOutcome> {
    const { retry = { number: 0, reason: '' }, signing = 'true' } = options;
    const { patienceMs = Math.max(leastPatience, this.#time.milliseconds(deadline)) } = options;
    const body = encode(kind, payload);
    const headers = {
      'content-type': kind === 'events_api' ? 'application/json' : 'application/x-www-form-urlencoded',
      ...this.#signature(body, signing),
      ...(retry.number > 0 && { 'x-slack-retry-num': String(retry.number), 'x-slack-retry-reason': retry.reason }),
    };
    const late = new AbortController();
    const stopWaiting = this.#time.afterMilliseconds(patienceMs, () => late.abort());
    try {
      const signal = AbortSignal.any([late.signal, this.#closed]);
      const response = await fetch(this.#url, { method: 'POST', headers, body, signal, redirect: 'manual' });
      return { status: response.status, body: await response.text(), failure: 'http_error' };
    } catch {
      return { status: 0, body: '', failure: late.signal.aborted ? 'http_timeout' : 'connection_failed' };
    } finally {
      stopWaiting();
    }
  }

  #signature(body: string, signing: Signing): Record<string, string> {
    if (signing === 'missing') return {};
    const now = Math.floor(Date.now() / 1000);
    const timestamp = String(signing === 'stale' ? now - staleSeconds : now);
    const secret = signing === 'wrong' ? 'somebody else' : this.#signingSecret;
    const hash = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return { 'x-slack-request-timestamp': timestamp, 'x-slack-signature': `v0=${hash}` };
  }
}

function encode(kind: DeliveryKind, payload: JsonObject): string {
  if (kind === 'events_api') return JSON.stringify(payload);
  if (kind === 'interactive') return new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const fields = new URLSearchParams();
  for (const [key, value] of Object.entries(payload)) fields.set(key, String(value));
  return fields.toString();
}
