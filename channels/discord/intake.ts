import { z } from 'zod';
import { ChannelError, type Receipt } from '../../src/contract.ts';
import { Background, KeyedTurns } from '../../src/lib/background.ts';
import { backOff, sleep } from '../../src/lib/clock.ts';
import { list } from '../kit/read-payload.ts';
import { createInteractionIntake, type StoredEvent } from './interaction-intake.ts';
import { editEvent, isSpoken, messageEvent } from './parse.ts';
import { id, isOwn, messageShape, senderOf } from './payload.ts';
import { lookUp, lookUpPlace, type Runtime } from './runtime.ts';

/** Pauses before an event is retried, in ms. */
const pauses = { firstPause: 500, longestPause: 30_000 };

/** The certain fields of an update; the rest may be missing. */
const changeShape = z.looseObject({
  id,
  channel_id: id,
  guild_id: id.nullish(),
  edited_timestamp: z.string().nullish(),
});
const deletionShape = z.object({ id, channel_id: id });
const bulkDeletionShape = z.object({ ids: list(id), channel_id: id });

/** Hands gateway events to the host, in order within each channel. */
export function createIntake(runtime: Runtime) {
  const { host, directory, self, signal } = runtime;
  const background = new Background(host.log);
  const takeInteraction = createInteractionIntake(runtime, background, store);
  const lanes = new KeyedTurns();
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

  /** Discord also sends an update when it has resolved a link preview. */
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
      // A fetched message lacks the roles.
      const sender = isWhole ? undefined : directory.senders.get(id);
      return { ...edit, ...(sender?.id === edit.sender.id && { sender }) };
    });
  }

  /** Discord does not say whose message it was. The message itself may still wait to be stored, ahead in the lane. */
  async function withdraw(channelId: string, messageKey: string): Promise<void> {
    await store(channelId, async () => {
      directory.senders.delete(messageKey);
      return { type: 'deletion', key: `${messageKey}:d`, messageKey };
    });
  }

  /**
   * Stores events in order within a lane, lanes in parallel. The gateway delivers nothing twice, so failures are
   * retried with growing pauses. Undefined if there is nothing to store, or it was given up.
   */
  async function store(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    const leave = await lanes.enter(lane, signal);
    const receipt = await persist(lane, event);
    leave?.();
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

  /** Undefined if the answer is not a message. Throws `ChannelError`: permanent if the message is gone. */
  async function fetchMessage(channelId: string, messageId: string) {
    return messageShape.safeParse(await lookUp(runtime, `/channels/${channelId}/messages/${messageId}`)).data;
  }

  function ignore(event: string, reason: string): void {
    host.log.debug({ event, reason }, 'an event was ignored');
  }

  return {
    /** Whether the latest attempt to store an event failed. */
    get isStuck(): boolean {
      return isStuck;
    },

    /**
     * Takes any event; ignores unreadable ones. Resolves once it is stored, or when the session ends; never rejects.
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

    /** Resolves when all commands have been answered. Soon after the session ends. */
    settled: (): Promise<void> => background.settled(),
  };
}

export type DiscordIntake = ReturnType<typeof createIntake>;
