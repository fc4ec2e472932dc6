import type {
  ChannelHealth,
  ChannelHost,
  Conversation,
  InboundAction,
  InboundEvent,
  Receipt,
  RoomEntry,
  Sender,
  Suggestion,
} from '../../src/contract.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { type Language, languageOf, wordsIn } from '../../src/lib/words.ts';
import { offeredCommands } from './offered-commands.ts';
import { SkippingClock } from './skipping-clock.ts';
import { waitUntil } from './wait-for.ts';

/** A clock that a test can put forward. */
interface TestClock extends Clock {
  advance(milliseconds: number): void;
}

/** The state of a connection, as the operator reads it. */
interface ToldHealth {
  readonly status: ChannelHealth['status'];
  readonly account?: string;
  readonly reason?: string;
  readonly needsOwner?: boolean;
}

/** A host that writes down what a channel tells it. Events and moves are stored at once, unless a test says otherwise. */
export class RecordingHost implements ChannelHost {
  readonly clock: TestClock;
  readonly commands = offeredCommands;
  readonly received: InboundEvent[] = [];
  readonly healths: ToldHealth[] = [];
  readonly moves: { readonly from: Conversation; readonly chatId: string }[] = [];
  readonly logged: string[] = [];
  /** The ids of the owners. */
  owners: readonly string[] = [];
  /** What people are spoken to in of whom the platform tells nothing. */
  language: Language = 'en';
  /** Where people have talked before, the latest first, and until when all was heard. */
  knownConversations: readonly Conversation[] = [];
  leftAt?: number;
  /** What waits for each person, by their id. */
  readonly room = new Map<string, readonly RoomEntry[]>();
  readonly log: Log;
  store: (event: InboundEvent) => Promise<Receipt> = async () => ({});
  storeMove: () => Promise<void> = async () => {};

  constructor(clock: TestClock = new SkippingClock()) {
    this.clock = clock;
    const write = (fields: object, message: string): void => {
      this.logged.push(`${message} ${JSON.stringify(fields, sayErrors)}`);
    };
    this.log = { debug: write, info: write, warn: write, error: write, child: () => this.log };
  }

  receive(event: InboundEvent): Promise<Receipt> {
    this.received.push(event);
    return this.store(event);
  }

  moved(from: Conversation, chatId: string): Promise<void> {
    this.moves.push({ from, chatId });
    return this.storeMove();
  }

  async conversations(most: number): Promise<readonly Conversation[]> {
    return this.knownConversations.slice(0, most);
  }

  async waitingRoom({ id }: Sender): Promise<readonly RoomEntry[]> {
    return this.room.get(id) ?? [];
  }

  /** What may follow a command, and who has asked for that. */
  suggested: readonly Suggestion[] = [];
  readonly suggesting: string[] = [];

  suggestions: NonNullable<ChannelHost['suggestions']> = async (_in, { id }, asked) => {
    this.suggesting.push(`${id} /${asked.command} ${asked.typed}`);
    return this.suggested;
  };

  async whenIdle(): Promise<void> {}

  reportHealth(health: ChannelHealth): void {
    const isFault = 'reason' in health;
    this.healths.push(isFault ? { ...health, reason: wordsIn(this.language, health.reason) } : health);
  }

  languageFor(sender?: Sender): Language {
    return languageOf(sender?.language) ?? this.language;
  }

  ownersHere(): readonly string[] {
    return this.owners;
  }

  reportEnd(): void {}

  requestStop(): void {}

  get health(): ToldHealth | undefined {
    return this.healths.at(-1);
  }

  /** The texts of the messages and the actions of the presses. */
  get words(): readonly string[] {
    return this.received.map(wordsOf);
  }

  /** Resolves with the events, when there are so many. */
  async receives(count: number): Promise<readonly InboundEvent[]> {
    const describe = (): string => `It has received: ${this.words.join(' | ')}`;
    await waitUntil(() => this.received.length >= count, { what: `${count} events`, describe, everyMs: 4 });
    return this.received;
  }

  /** Resolves with the newest event that says this. */
  hears(words: string): Promise<InboundEvent> {
    const describe = (): string => `It has received: ${this.words.join(' | ')}`;
    return waitUntil(() => this.received.findLast((event) => wordsOf(event) === words), {
      ...{ what: words, describe, everyMs: 4 },
    });
  }

  /** Resolves with the newest press. */
  feels(): Promise<InboundAction> {
    return waitUntil(() => this.received.findLast((event) => event.type === 'action'), {
      ...{ what: 'a press', everyMs: 4 },
    });
  }

  /** Resolves when the connection is so. Time passes faster meanwhile: nobody waits for a back-off. */
  async is(status: ChannelHealth['status']): Promise<void> {
    const describe = (): string => JSON.stringify(this.healths);
    const meanwhile = (): void => this.clock.advance(500);
    await waitUntil(() => this.health?.status === status, {
      what: `the connection to be ${status}`,
      describe,
      meanwhile,
    });
  }
}

function wordsOf(event: InboundEvent): string {
  switch (event.type) {
    case 'action':
      return event.actionId;
    case 'deletion':
      return event.messageKey;
    case 'membership':
      return event.change;
    case 'message':
    case 'edit':
      return event.text;
  }
}

/** An error says nothing in JSON, and all that it says counts here. */
function sayErrors(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { ...value, message: value.message, stack: value.stack, cause: value.cause };
}
