import type { ChannelHealth, ChannelHost, InboundAction, InboundEvent, Receipt } from '../../src/contract.ts';
import type { Log } from '../../src/lib/log.ts';
import { waitUntil } from '../support/wait-for.ts';
import { SkippingClock } from './skipping-clock.ts';

/** A host that writes down what a channel tells it. Events are stored at once, unless a test says otherwise. */
export class RecordingHost implements ChannelHost {
  readonly clock = new SkippingClock();
  readonly received: InboundEvent[] = [];
  readonly healths: ChannelHealth[] = [];
  /** What was logged at level `info` and above. */
  readonly logged: string[] = [];
  readonly log: Log;
  store: (event: InboundEvent) => Promise<Receipt> = async () => ({});

  constructor() {
    const write = (fields: object, message: string): void => {
      this.logged.push(`${message} ${JSON.stringify(fields, sayErrors)}`);
    };
    this.log = { debug() {}, info: write, warn: write, error: write, child: () => this.log };
  }

  receive(event: InboundEvent): Promise<Receipt> {
    this.received.push(event);
    return this.store(event);
  }

  async moved(): Promise<void> {}

  async whenIdle(): Promise<void> {}

  reportHealth(health: ChannelHealth): void {
    this.healths.push(health);
  }

  reportEnd(): void {}

  requestStop(): void {}

  get health(): ChannelHealth | undefined {
    return this.healths.at(-1);
  }

  /** The texts of the messages and the actions of the presses. */
  get words(): readonly string[] {
    return this.received.map(wordsOf);
  }

  /** Resolves with the events, when there are so many. */
  async receives(count: number): Promise<readonly InboundEvent[]> {
    const describe = (): string => `It has received: ${this.words.join(' | ')}`;
    await waitUntil(() => this.received.length >= count, { what: `${count} events`, describe });
    return this.received;
  }

  /** Resolves with the newest event that says this. */
  hears(words: string): Promise<InboundEvent> {
    const describe = (): string => `It has received: ${this.words.join(' | ')}`;
    return waitUntil(() => this.received.findLast((event) => wordsOf(event) === words), { what: words, describe });
  }

  /** Resolves with the newest press. */
  feels(): Promise<InboundAction> {
    return waitUntil(() => this.received.findLast((event) => event.type === 'action'), { what: 'a press' });
  }

  /** Resolves when the connection is so. Time passes faster meanwhile: nobody waits for a back-off. */
  async is(status: ChannelHealth['status']): Promise<void> {
    const describe = (): string => JSON.stringify(this.healths);
    const look = (): boolean => {
      if (this.health?.status === status) return true;
      this.clock.skip(500);
      return false;
    };
    await waitUntil(look, { what: `the connection to be ${status}`, describe });
  }
}

function wordsOf(event: InboundEvent): string {
  return event.type === 'action' ? event.actionId : event.text;
}

/** An error says nothing in JSON, and all that it says counts here. */
function sayErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { ...value, message: value.message, stack: value.stack, cause: value.cause };
}
