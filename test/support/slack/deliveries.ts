import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Changes } from '../wait-for.ts';
import { answerIn, type DeliveryKind, type EventPosts } from './event-posts.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { Acknowledgement, Sockets } from './sockets.ts';

/** Something that the app is told, and how far that has come. */
export interface Delivery {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  /** `lost`: Slack has given it up, or does not try again at all. */
  readonly state: 'waiting' | 'acknowledged' | 'lost';
  /** How often it was sent, or would have been, had there been a connection. */
  readonly attempts: number;
  /** What the app said to it. */
  readonly answer: JsonObject | undefined;
}

interface Entry {
  readonly kind: DeliveryKind;
  readonly payload: JsonObject;
  state: Delivery['state'];
  attempts: number;
  answer: JsonObject | undefined;
  stopTimer: () => void;
  /** Set as long as an acknowledgement is awaited. */
  envelopeId: string | undefined;
  /** Told once, when it is acknowledged. */
  readonly onAnswer: ((answer: JsonObject) => void) | undefined;
}

interface Dependencies {
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
  readonly #dependencies: Dependencies;
  #entries: Entry[] = [];
  /** Where it is sent to, in place of the sockets. */
  posts: EventPosts | undefined;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    dependencies.sockets.onAcknowledgement = (acknowledgement) => this.#acknowledge(acknowledgement);
  }

  get all(): readonly Delivery[] {
    return this.#entries.map((entry) => entry);
  }

  /** What was neither acknowledged nor given up yet. */
  get pending(): readonly Delivery[] {
    return this.#entries.filter(({ state }) => state === 'waiting');
  }

  get lost(): readonly Delivery[] {
    return this.#entries.filter(({ state }) => state === 'lost');
  }

  /** What is given goes on changing. */
  deliver(kind: DeliveryKind, payload: JsonObject, onAnswer?: (answer: JsonObject) => void): Delivery {
    const fresh = { state: 'waiting', attempts: 0, answer: undefined, envelopeId: undefined } as const;
    const entry: Entry = { kind, payload, ...fresh, stopTimer: () => {}, onAnswer };
    this.#entries.push(entry);
    this.#attempt(entry, undefined);
    return entry;
  }

  /** Delivers it once more, as after an acknowledgement that was lost, whatever became of it. */
  repeat({ kind, payload }: Delivery): Delivery {
    const fresh = { state: 'waiting', attempts: 1, answer: undefined, envelopeId: undefined } as const;
    const entry: Entry = { kind, payload, ...fresh, stopTimer: () => {}, onAnswer: undefined };
    this.#entries.push(entry);
    this.#attempt(entry, 'timeout');
    return entry;
  }

  /** Nothing is told of what has come to an end. */
  forget(): void {
    this.#entries = this.#entries.filter(({ state }) => state === 'waiting');
  }

  #attempt(entry: Entry, reason: string | undefined): void {
    entry.attempts += 1;
    if (this.posts !== undefined) {
      this.#post(entry, this.posts, reason);
      return;
    }
    const connection = this.#dependencies.sockets.next();
    if (connection === undefined) {
      this.#fail(entry, 'connection_failed');
      return;
    }
    entry.envelopeId = randomUUID();
    connection.send({
      envelope_id: entry.envelopeId,
      type: entry.kind,
      accepts_response_payload: entry.kind !== 'events_api',
      payload: entry.payload,
      ...(entry.kind === 'events_api' && { retry_attempt: entry.attempts - 1, retry_reason: reason ?? '' }),
    });
    entry.stopTimer = this.#dependencies.time.after(deadline, () => this.#fail(entry, 'timeout'));
  }

  #post(entry: Entry, posts: EventPosts, reason: string | undefined): void {
    const retry = reason === undefined ? {} : { retry: { number: entry.attempts - 1, reason } };
    posts.post(entry.kind, entry.payload, retry).then(
      ({ failure, body, wantsNoRetry }) => {
        if (failure === undefined) this.#succeed(entry, answerIn(body));
        else if (wantsNoRetry) this.#lose(entry);
        else this.#fail(entry, failure);
      },
      // Nobody waits for this: what is wrong with the fake itself must be seen.
      (error: unknown) => {
        throw error;
      },
    );
  }

  #acknowledge({ envelopeId, answer }: Acknowledgement): void {
    const entry = this.#entries.find((candidate) => candidate.envelopeId === envelopeId);
    if (entry !== undefined) this.#succeed(entry, answer);
  }

  #succeed(entry: Entry, answer: JsonObject): void {
    entry.stopTimer();
    entry.envelopeId = undefined;
    entry.state = 'acknowledged';
    entry.answer = answer;
    entry.onAnswer?.(answer);
    this.#dependencies.changes.notify();
  }

  #fail(entry: Entry, reason: string): void {
    entry.envelopeId = undefined;
    const pause = pauses[entry.attempts - 1];
    // Who presses a button sees that it did not work, and presses again.
    if (pause === undefined || entry.kind !== 'events_api') {
      this.#lose(entry);
      return;
    }
    const { time, retryScale } = this.#dependencies;
    entry.stopTimer = time.afterMilliseconds(pause * 1000 * retryScale, () => this.#attempt(entry, reason));
    this.#dependencies.changes.notify();
  }

  #lose(entry: Entry): void {
    entry.state = 'lost';
    this.#dependencies.changes.notify();
  }
}
