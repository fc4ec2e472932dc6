import type { BareDeletion, InboundEvent, Receipt } from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { Lanes } from '../kit/lanes.ts';
import { type IntakeRuntime, takeInteraction } from './interaction-intake.ts';
import { editEvent, isSpoken, messageEvent } from './parse.ts';
import { bulkDeletionShape, changeShape, deletionShape, isOwn, messageShape, senderOf } from './payload.ts';
import { lookUp, lookUpPlace, type Runtime } from './runtime.ts';

/** Brings what the gateway dispatches to the host, each channel's events in their order. */
export class DiscordIntake {
  readonly #runtime: IntakeRuntime;
  readonly #lanes: Lanes;
  readonly #background: Background;

  constructor(runtime: Runtime) {
    const { clock, log } = runtime.host;
    this.#lanes = new Lanes(clock, log, runtime.signal);
    this.#background = new Background(log);
    this.#runtime = { ...runtime, background: this.#background, store: (lane, event) => this.#store(lane, event) };
  }

  /** Something that came in could not be stored, and nothing has been stored since. */
  get isStuck(): boolean {
    return this.#lanes.isStuck;
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
        this.#runtime.known.note(event, payload);
    }
  }

  /** Resolves when nothing is left to be said to those who gave commands. Comes soon after the session is over. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  async #message(payload: unknown): Promise<void> {
    const { self, known } = this.#runtime;
    const { data: message } = messageShape.safeParse(payload);
    if (message === undefined) return this.#ignore('MESSAGE_CREATE', 'it could not be read');
    if (isOwn(message, self())) return;
    if (!isSpoken(message)) return this.#ignore('MESSAGE_CREATE', 'the platform says it');
    const { id, channel_id: channelId } = message;
    await this.#store(channelId, async () => {
      const conversation = known.find(channelId, message) ?? (await lookUpPlace(this.#runtime, channelId));
      const event = messageEvent(message, conversation, this.#runtime);
      if (event !== undefined) known.senders.set(id, event.sender);
      return event;
    });
  }

  /** Discord tells of a change, too, when it has looked up an address that stands in the message. */
  async #change(payload: unknown): Promise<void> {
    const { self, known } = this.#runtime;
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
      const conversation = known.find(channelId, hint) ?? (await lookUpPlace(this.#runtime, channelId));
      const edit = editEvent(message, { editedAt, conversation }, this.#runtime);
      // What is fetched does not say what roles they have.
      const sender = isWhole ? undefined : known.senders.get(id);
      return { ...edit, ...(sender?.id === edit.sender.id && { sender }) };
    });
  }

  /** Discord does not say whose it was. The message may still be on its way into the store, ahead of this. */
  async #withdraw(channelId: string, messageKey: string): Promise<void> {
    await this.#store(channelId, async () => {
      this.#runtime.known.senders.delete(messageKey);
      return { type: 'deletion', key: `${messageKey}:d`, messageKey };
    });
  }

  async #store(
    lane: string,
    event: () => Promise<InboundEvent | BareDeletion | undefined>,
  ): Promise<Receipt | undefined> {
    let receipt: Receipt | undefined;
    await this.#lanes.run(lane, async () => {
      const told = await event();
      if (told !== undefined) receipt = await this.#runtime.host.receive(told);
    });
    return receipt;
  }

  /** Undefined if Discord gives something else. Throws `ChannelError`: a permanent one if it is gone. */
  async #fetch(channelId: string, messageId: string) {
    return messageShape.safeParse(await lookUp(this.#runtime, `/channels/${channelId}/messages/${messageId}`)).data;
  }

  #ignore(event: string, reason: string): void {
    this.#runtime.host.log.debug({ event, reason }, 'an event was ignored');
  }
}
