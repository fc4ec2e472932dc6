import { type Dispatch, intents } from './intents.ts';

/** One event as it went over the wire, or would have. */
export interface SentEvent {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

const mostKept = 20_000;

/** What begins with an IDENTIFY: it counts its events, and keeps them for those who lost the connection. */
export class Session {
  readonly id: string;
  readonly intents: number;
  #sent: SentEvent[] = [];
  #sequence = 0;
  #confirmed = 0;
  /** When its connection broke; undefined while there is one. */
  lostAt: number | undefined;
  /** Takes each event at once, while there is a connection. */
  deliver: ((event: SentEvent) => void) | undefined;

  constructor(id: string, wanted: number) {
    this.id = id;
    this.intents = wanted;
  }

  get sequence(): number {
    return this.#sequence;
  }

  /** Up to where the bot says that it has received what it was told. */
  get confirmed(): number {
    return this.#confirmed;
  }

  confirm(sequence: number): void {
    this.#confirmed = sequence;
  }

  /** Counts the event, keeps it, and delivers it if anybody listens. */
  tell(event: string, data: unknown): void {
    this.#sequence += 1;
    const sent: SentEvent = { op: 0, t: event, s: this.#sequence, d: data };
    this.#sent.push(sent);
    if (this.#sent.length > mostKept) this.#sent = this.#sent.slice(-mostKept / 2);
    this.deliver?.(sent);
  }

  /** Tells of it as far as the session asked to be told. */
  publish({ event, intent, data, withoutContent }: Dispatch): void {
    if (intent !== 0 && (this.intents & intent) === 0) return;
    const mayRead = (this.intents & intents.messageContent) !== 0;
    this.tell(event, mayRead ? data : (withoutContent ?? data));
  }

  /** Nothing can be told again that was told. */
  forget(): void {
    this.#sent = [];
  }

  /** What came after the event with this number. */
  missedSince(sequence: number): readonly SentEvent[] {
    return this.#sent.filter(({ s }) => s > sequence);
  }
}
