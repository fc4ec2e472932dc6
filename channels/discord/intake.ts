import { ChannelError, type Receipt } from '../../src/contract.ts';
import { backOff } from '../../src/lib/back-off.ts';
import { Background } from '../../src/lib/background.ts';
import { sleep } from '../../src/lib/clock.ts';
import { type IntakeRuntime, type StoredEvent, takeInteraction } from './interaction-intake.ts';
import { editEvent, isSpoken, messageEvent } from './parse.ts';
import { bulkDeletionShape, changeShape, deletionShape, isOwn, messageShape, senderOf } from './payload.ts';
import { lookUp, lookUpPlace, type Runtime } from './runtime.ts';

/** Before an event is tried again, in milliseconds. */
const pauses = { firstPause: 500, longestPause: 30_000 };

/** Brings what the gateway dispatches to the host, each channel's events in their order. */
export class DiscordIntake {
  readonly #runtime: IntakeRuntime;
  /** Until the latest of each has come to its end. */
  readonly #lanes = new Map<string, Promise<Receipt | undefined>>();
  #isStuck = false;
  readonly #background: Background;

  constructor(runtime: Runtime) {
    this.#background = new Background(runtime.host.log);
    this.#runtime = { ...runtime, background: this.#background, store: (lane, event) => this.#store(lane, event) };
  }

  /** Something that came in could not be stored, and nothing has been stored since. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * Takes an event of any name and shape. What can't be read is ignored. Resolves, and never rejects, once what it says is
   * stored; that is tried until the session is over: after that it resolves although nothing is stored.
   */
  async take(event: string, payload: unknown): Promise<void> {
    switch (event) {
      case 'MESSAGE_CREATE':
        return this.#message(payload);
      case 'MESSAGE_UPDATE':
        return this.#change(payload);
      case 'MESSAGE_DELETE': {
        const { data } = deletionShape.safeParse(payload);
        return data && this.#withdraw(data.channel_id, data.id);
      }
      case 'MESSAGE_DELETE_BULK': {
        const { data } = bulkDeletionShape.safeParse(payload);
        await Promise.all(data?.ids.map((id) => this.#withdraw(data.channel_id, id)) ?? []);
        return;
      }
      case 'INTERACTION_CREATE':
        return takeInteraction(this.#runtime, payload);
      default:
        this.#runtime.directory.note(event, payload);
    }
  }

  /** Resolves when nothing is left to be said to those who gave commands. Comes soon after the session is over. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  async #message(payload: unknown): Promise<void> {
    const { self, directory } = this.#runtime;
    const { data: message } = messageShape.safeParse(payload);
    if (message === undefined) return this.#ignore('MESSAGE_CREATE', 'it could not be read');
    if (isOwn(message, self())) return;
    if (!isSpoken(message)) return this.#ignore('MESSAGE_CREATE', 'the platform says it');
    const { id, channel_id: channelId } = message;
    await this.#store(channelId, async () => {
      const conversation = directory.find(channelId, message) ?? (await lookUpPlace(this.#runtime, channelId));
      const event = messageEvent(message, conversation, this.#runtime);
      if (event !== undefined) directory.senders.set(id, event.sender);
      return event;
    });
  }

  /** Discord tells of a change, too, when it has looked up an address that stands in the message. */
  async #change(payload: unknown): Promise<void> {
    const { self, directory } = this.#runtime;
    const { data: change } = changeShape.safeParse(payload);
    const isWhole = change !== undefined && 'author' in change && 'content' in change && 'type' in change;
    const { data: whole } = messageShape.safeParse(payload);
    if (change === undefined || (isWhole && whole === undefined))
      return this.#ignore('MESSAGE_UPDATE', 'it could not be read');
    const { id, channel_id: channelId, edited_timestamp: editedAt } = change;
    if (typeof editedAt !== 'string') return this.#ignore('MESSAGE_UPDATE', 'nobody has changed its text');
    if (whole !== undefined && isOwn(whole, self())) return;
    await this.#store(channelId, async () => {
      const message = isWhole ? whole : await this.#fetch(channelId, id);
      if (message === undefined || isOwn(message, self()) || !isSpoken(message)) return undefined;
      if (!senderOf(message, false).isPerson) return undefined;
      const hint = { guild_id: change.guild_id, channel_type: message.channel_type };
      const conversation = directory.find(channelId, hint) ?? (await lookUpPlace(this.#runtime, channelId));
      const edit = editEvent(message, { editedAt, conversation }, this.#runtime);
      // What is fetched does not say what roles they have.
      const sender = isWhole ? undefined : directory.senders.get(id);
      return { ...edit, ...(sender?.id === edit.sender.id && { sender }) };
    });
  }

  /** Discord does not say whose it was. The message may still be on its way into the store, ahead of this. */
  async #withdraw(channelId: string, messageKey: string): Promise<void> {
    await this.#store(channelId, async () => {
      this.#runtime.directory.senders.delete(messageKey);
      return { type: 'deletion', key: `${messageKey}:d`, messageKey };
    });
  }

  /**
   * Has it stored when all before it in the lane has come to its end, lanes beside each other. The gateway delivers nothing
   * twice, so what fails is tried again, ever more seldom. Undefined where there is nothing to store, or nothing can be.
   */
  async #store(lane: string, event: StoredEvent): Promise<Receipt | undefined> {
    const before = this.#lanes.get(lane);
    const storing = before === undefined ? this.#persist(lane, event) : before.then(() => this.#persist(lane, event));
    this.#lanes.set(lane, storing);
    const receipt = await storing;
    if (this.#lanes.get(lane) === storing) this.#lanes.delete(lane);
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
        if (error instanceof ChannelError && error.fault.type === 'permanent') {
          host.log.warn({ lane, err: error }, 'an event was given up');
          return undefined;
        }
        this.#isStuck = true;
        const level = failures === 1 ? 'error' : 'debug';
        host.log[level]({ lane, err: error }, 'an event is not stored yet, and is tried again');
        const isLimited = error instanceof ChannelError && error.fault.type === 'rate-limited';
        await sleep(host.clock, Math.max(backOff(failures, pauses), isLimited ? error.fault.retryAfter : 0), signal);
      }
    }
    return undefined;
  }

  /** Undefined if Discord gives something else. Throws `ChannelError`: a permanent one if it is gone. */
  async #fetch(channelId: string, messageId: string) {
    return messageShape.safeParse(await lookUp(this.#runtime, `/channels/${channelId}/messages/${messageId}`)).data;
  }

  #ignore(event: string, reason: string): void {
    this.#runtime.host.log.debug({ event, reason }, 'an event was ignored');
  }
}
