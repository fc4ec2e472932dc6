import { ChannelError, type Receipt } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { Background } from '../../src/lib/background.ts';
import { sleep } from '../../src/lib/clock.ts';
import { createInteractionIntake, type StoredEvent } from './interaction-intake.ts';
import { editEvent, isSpoken, messageEvent } from './parse.ts';
import { bulkDeletionShape, changeShape, deletionShape, isOwn, messageShape, senderOf } from './payload.ts';
import { lookUp, lookUpPlace, type Runtime } from './runtime.ts';

/** Before an event is tried again, in milliseconds. */
const pauses = { firstPause: 500, longestPause: 30_000 };

/** Brings what the gateway dispatches to the host, each channel's events in their order. */
export function createIntake(runtime: Runtime) {
  const { host, directory, self, signal } = runtime;
  const background = new Background(host.log);
  const takeInteraction = createInteractionIntake(runtime, background, store);
  /** Until the latest of each has come to its end. */
  const lanes = new Map<string, Promise<Receipt | undefined>>();
  let isStuck = false;

  async function takeMessage(payload: unknown): Promise<void> {
    const { data: message } = messageShape.safeParse(payload);
    if (message === undefined) return ignore('MESSAGE_CREATE', 'it could not be read');
    if (isOwn(message, self())) return;
    if (!isSpoken(message)) return ignore('MESSAGE_CREATE', 'the platform says it');
    const { id, channel_id: channelId } = message;
    await store(channelId, async () => {
      const conversation = directory.find(channelId, message) ?? (await lookUpPlace(runtime, channelId));
      const event = messageEvent(message, conversation, runtime);
      if (event !== undefined) directory.senders.set(id, event.sender);
      return event;
    });
  }

  /** Discord tells of a change, too, when it has looked up an address that stands in the message. */
  async function takeChange(payload: unknown): Promise<void> {
    const { data: change } = changeShape.safeParse(payload);
    const isWhole = change !== undefined && 'author' in change && 'content' in change && 'type' in change;
    const { data: whole } = messageShape.safeParse(payload);
    if (change === undefined || (isWhole && whole === undefined))
      return ignore('MESSAGE_UPDATE', 'it could not be read');
    const { id, channel_id: channelId, edited_timestamp: editedAt, guild_id } = change;
    if (typeof editedAt !== 'string') return ignore('MESSAGE_UPDATE', 'nobody has changed its text');
    if (whole !== undefined && isOwn(whole, self())) return;
    await store(channelId, async () => {
      const message = isWhole ? whole : await fetchMessage(channelId, id);
      if (message === undefined || isOwn(message, self()) || !isSpoken(message)) return undefined;
      if (!senderOf(message, false).isPerson) return undefined;
      const hint = { guild_id, channel_type: message.channel_type };
      const conversation = directory.find(channelId, hint) ?? (await lookUpPlace(runtime, channelId));
      const edit = editEvent(message, { editedAt, conversation }, runtime);
      // What is fetched does not say what roles they have.
      const sender = isWhole ? undefined : directory.senders.get(id);
      return { ...edit, ...(sender?.id === edit.sender.id && { sender }) };
    });
  }

  /** Discord does not say whose it was. The message may still be on its way into the store, ahead of this. */
  async function withdraw(channelId: string, messageKey: string): Promise<void> {
    await store(channelId, async () => {
      directory.senders.delete(messageKey);
      return { type: 'deletion', key: `${messageKey}:d`, messageKey };
    });
  }

  /**
   * Has it stored when all before it in the lane has come to its end, lanes beside each other. The gateway delivers nothing
   * twice, so what fails is tried again, ever more seldom. Undefined where there is nothing to store, or nothing can be.
   */
  async function store(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    const before = lanes.get(lane);
    const storing = before === undefined ? persist(lane, event) : before.then(() => persist(lane, event));
    lanes.set(lane, storing);
    const receipt = await storing;
    if (lanes.get(lane) === storing) lanes.delete(lane);
    return receipt;
  }

  async function persist(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        const told = await event();
        const receipt = told && (await host.receive(told));
        isStuck = false;
        return receipt;
      } catch (error) {
        if (signal.aborted) return undefined;
        const fault = error instanceof ChannelError ? error.fault : undefined;
        if (fault?.type === 'permanent') {
          host.log.warn({ lane, err: error }, 'an event was given up');
          return undefined;
        }
        isStuck = true;
        const level = failures === 1 ? 'error' : 'debug';
        host.log[level]({ lane, err: error }, 'an event is not stored yet, and is tried again');
        const asked = fault?.type === 'rate-limited' ? fault.retryAfter : 0;
        await sleep(host.clock, Math.max(backOff(failures, pauses), asked), signal);
      }
    }
    return undefined;
  }

  /** Undefined if Discord gives something else. Throws `ChannelError`: a permanent one if it is gone. */
  async function fetchMessage(channelId: string, messageId: string) {
    return messageShape.safeParse(await lookUp(runtime, `/channels/${channelId}/messages/${messageId}`)).data;
  }

  function ignore(event: string, reason: string): void {
    host.log.debug({ event, reason }, 'an event was ignored');
  }

  return {
    /** Whether something that came in could not be stored, and nothing has been stored since. */
    get isStuck(): boolean {
      return isStuck;
    },

    /**
     * Takes an event of any name and shape. What can't be read is ignored. Resolves, and never rejects, once what it says is
     * stored; that is tried until the session is over: after that it resolves although nothing is stored.
     */
    async take(event: string, payload: unknown): Promise<void> {
      switch (event) {
        case 'MESSAGE_CREATE':
          return takeMessage(payload);
        case 'MESSAGE_UPDATE':
          return takeChange(payload);
        case 'MESSAGE_DELETE': {
          const { data } = deletionShape.safeParse(payload);
          return data && withdraw(data.channel_id, data.id);
        }
        case 'MESSAGE_DELETE_BULK': {
          const { data } = bulkDeletionShape.safeParse(payload);
          await Promise.all(data?.ids.map((id) => withdraw(data.channel_id, id)) ?? []);
          return;
        }
        case 'INTERACTION_CREATE':
          return takeInteraction(payload);
        default:
          directory.note(event, payload);
      }
    },

    /** Resolves when nothing is left to be said to those who gave commands. Comes soon after the session is over. */
    settled: (): Promise<void> => background.settled(),
  };
}

export type DiscordIntake = ReturnType<typeof createIntake>;
