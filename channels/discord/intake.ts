import { z } from 'zod';
import { ChannelError, type Conversation, type Receipt } from '../../src/contract.ts';
import { Background, KeyedTurns } from '../../src/lib/background.ts';
import { backOff, sleep } from '../../src/lib/clock.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { list } from '../kit/read-payload.ts';
import { type AskContext, takeAskAbout } from './ask-about.ts';
import { type InteractionContext, type StoredEvent, takeInteraction } from './interaction-intake.ts';
import { takeGuild } from './memberships.ts';
import { editEvent, isSpoken, messageEvent } from './parse.ts';
import { id, isOwn, messageShape, senderOf } from './payload.ts';
import { lookUpConversation, type Runtime } from './runtime.ts';
import { takeSuggesting } from './suggestions.ts';

/** Messages that forms ask about. */
const mostChosen = 200;

/** Pauses before an event is retried, in ms. */
const pauses = { firstPause: 500, longestPause: 30_000 };

const deletionShape = z.union([
  z.object({ channel_id: id, id }).transform((one) => ({ ...one, ids: [one.id] })),
  z.object({ channel_id: id, ids: list(id) }),
]);

export interface DiscordIntake {
  /** Whether the latest attempt to store an event failed. */
  readonly isStuck: boolean;
  /** `known`: where it was said, if that is known. */
  readonly takeMessage: TakeMessage;
  /** Takes any event; ignores unreadable ones. Resolves once it is stored, or when the session ends; never rejects. */
  take(event: string, payload: unknown): Promise<void>;
  /** Resolves when all commands have been answered. Soon after the session ends. */
  settled(): Promise<void>;
}

export type TakeMessage = (event: MessageEvent, payload: unknown, known?: Conversation) => Promise<void>;

/** Hands gateway events to the host, in order within each channel. */
export function createIntake(runtime: Runtime): DiscordIntake {
  const background = new Background(runtime.host.log);
  const lanes = new Lanes(runtime);
  const intake: AskContext = {
    runtime,
    background,
    store: (lane, event) => lanes.store(lane, event),
    chosen: new Perishable({ clock: runtime.host.clock, most: mostChosen }),
  };
  return {
    get isStuck() {
      return lanes.isStuck;
    },
    takeMessage: (event, payload, known) => takeMessage(event, payload, known, intake),
    take: (event, payload) => take(event, payload, intake),
    settled: () => background.settled(),
  };
}

async function take(event: string, payload: unknown, intake: AskContext): Promise<void> {
  switch (event) {
    case 'MESSAGE_CREATE':
    case 'MESSAGE_UPDATE':
      return takeMessage(event, payload, undefined, intake);
    case 'MESSAGE_DELETE':
    case 'MESSAGE_DELETE_BULK': {
      const { data } = deletionShape.safeParse(payload);
      await Promise.all(data?.ids.map((id) => withdraw(data.channel_id, id, intake)) ?? []);
      return;
    }
    case 'INTERACTION_CREATE':
      if (takeSuggesting(payload, intake)) return;
      if (!(await takeAskAbout(payload, intake))) await takeInteraction(payload, intake);
      return;
    case 'GUILD_CREATE':
    case 'GUILD_DELETE':
      intake.runtime.directory.note(event, payload);
      return takeGuild(event, payload, intake);
    default:
      intake.runtime.directory.note(event, payload);
  }
}

async function takeMessage(
  event: MessageEvent,
  payload: unknown,
  known: Conversation | undefined,
  { runtime, store }: InteractionContext,
): Promise<void> {
  const { directory, self, host } = runtime;
  const ignore = (reason: string): void => host.log.debug({ event, reason }, 'an event was ignored');
  const { data: message } = messageShape.safeParse(payload);
  if (message === undefined) return ignore('it could not be read');
  if (isOwn(message, self())) return;
  if (!isSpoken(message)) return ignore('the platform says it');
  // Discord also sends an update when it has resolved a link preview.
  const isEdit = event === 'MESSAGE_UPDATE';
  if (isEdit && (typeof message.edited_timestamp !== 'string' || !senderOf(message, false).isPerson))
    return ignore('no person has changed its text');
  const { channel_id: channelId } = message;
  await store(channelId, async () => {
    const conversation = directory.find(channelId, message) ?? known ?? (await lookUpConversation(runtime, channelId));
    return (isEdit ? editEvent : messageEvent)(message, conversation, runtime);
  });
}

/** Discord does not say whose message it was. The message itself may still wait to be stored, ahead in the lane. */
async function withdraw(channelId: string, messageKey: string, { store }: InteractionContext): Promise<void> {
  await store(channelId, async () => ({ type: 'deletion', key: `${messageKey}:d`, messageKey }));
}

/** Stores events in order within a lane, lanes in parallel. */
class Lanes {
  readonly #runtime: Pick<Runtime, 'host' | 'signal'>;
  readonly #turns = new KeyedTurns();
  #isStuck = false;

  constructor(runtime: Pick<Runtime, 'host' | 'signal'>) {
    this.#runtime = runtime;
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * The gateway delivers nothing twice, so failures are retried with growing pauses. Undefined if there is nothing to
   * store, or it was given up.
   */
  async store(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    const leave = await this.#turns.enter(lane, this.#runtime.signal);
    const receipt = await this.#persist(lane, event);
    leave?.();
    return receipt;
  }

  async #persist(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    const { host, signal } = this.#runtime;
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const told = await event();
        const receipt = told && (await host.receive(told));
        this.#isStuck = false;
        return receipt;
      } catch (error) {
        if (signal.aborted) return undefined;
        const fault = error instanceof ChannelError ? error.fault : undefined;
        if (fault?.type === 'permanent') {
          host.log.warn({ lane, err: error }, 'an event was given up');
          return undefined;
        }
        this.#isStuck = true;
        const level = failures === 1 ? 'error' : 'debug';
        host.log[level]({ lane, err: error }, 'an event is not stored yet, and is tried again');
        const asked = fault?.type === 'rate-limited' ? fault.retryAfter : 0;
        await sleep(host.clock, Math.max(backOff(failures, pauses), asked), signal);
      }
    }
    return undefined;
  }
}

type MessageEvent = 'MESSAGE_CREATE' | 'MESSAGE_UPDATE';
