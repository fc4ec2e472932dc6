import type { ChannelHost, Conversation } from '../../../src/contract.ts';
import { Background } from '../../../src/lib/background.ts';
import type { Interactions } from '../interactions.ts';
import type { DiscordApi } from '../web-api/api.ts';
import { Callbacks } from './callbacks.ts';
import { InteractionIntake } from './interaction-intake.ts';
import type { Known } from './known.ts';
import { Lanes } from './lanes.ts';
import { lookUp } from './look-up.ts';
import { editEvent, isSpoken, messageEvent, type Surroundings } from './parse-message.ts';
import { bulkDeletionShape, changeShape, type DiscordMessage, deletionShape, messageShape } from './payload.ts';
import { Places } from './places.ts';
import { type DiscordSelf, isOwn, senderOf } from './sender.ts';

export interface DiscordIntakeDependencies {
  readonly api: Pick<DiscordApi, 'call'>;
  readonly host: ChannelHost;
  /** Where it is remembered how commands are answered. */
  readonly interactions: Pick<Interactions, 'remember' | 'forget'>;
  readonly known: Known;
  /** Who we are. Known by the time when the first event comes. */
  readonly self: () => DiscordSelf;
  /** The session is over: what could not be stored by then is left. */
  readonly signal: AbortSignal;
}

/** Brings what the gateway dispatches to the host, each channel's events in their order. */
export class DiscordIntake {
  readonly #dependencies: DiscordIntakeDependencies;
  readonly #places: Places;
  readonly #lanes: Lanes;
  readonly #background: Background;
  readonly #interactions: InteractionIntake;

  constructor(dependencies: DiscordIntakeDependencies) {
    this.#dependencies = dependencies;
    const { api, host, known, signal } = dependencies;
    const { clock, log } = host;
    this.#places = new Places({ api, channels: known.channels, clock, signal });
    this.#lanes = new Lanes({ clock, log, signal });
    this.#background = new Background(log);
    this.#interactions = new InteractionIntake({
      ...dependencies,
      callbacks: new Callbacks({ api, clock, log }),
      lanes: this.#lanes,
      places: this.#places,
      background: this.#background,
    });
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
      case 'MESSAGE_DELETE':
        return this.#deletion(payload);
      case 'MESSAGE_DELETE_BULK':
        return this.#bulkDeletion(payload);
      case 'INTERACTION_CREATE':
        return this.#interactions.take(payload);
      default:
        this.#places.note(event, payload);
        this.#dependencies.known.roles.note(event, payload);
    }
  }

  /** Resolves when nothing is left to be said to those who gave commands. Comes soon after the session is over. */
  settled(): Promise<void> {
    return this.#background.settled();
  }

  async #message(payload: unknown): Promise<void> {
    const { host, self } = this.#dependencies;
    const { data: message } = messageShape.safeParse(payload);
    if (message === undefined) return this.#ignore('MESSAGE_CREATE', 'it could not be read');
    if (isOwn(message, self())) return;
    if (!isSpoken(message)) return this.#ignore('MESSAGE_CREATE', 'the platform says it');
    await this.#lanes.run(message.channel_id, async () => {
      const conversation = this.#find(message) ?? (await this.#places.learn(message.channel_id));
      const event = messageEvent(message, conversation, this.#surroundings());
      if (event === undefined) return this.#ignore('MESSAGE_CREATE', 'nothing is said with it');
      await host.receive(event);
      this.#dependencies.known.heard.set(message.id, { conversation, sender: event.sender });
    });
  }

  /** Discord tells of a change, too, when it has looked up an address that stands in the message. */
  async #change(payload: unknown): Promise<void> {
    const { host, self } = this.#dependencies;
    const { data: change } = changeShape.safeParse(payload);
    if (change === undefined) return this.#ignore('MESSAGE_UPDATE', 'it could not be read');
    const { id, channel_id: channelId, edited_timestamp: editedAt } = change;
    if (typeof editedAt !== 'string') return this.#ignore('MESSAGE_UPDATE', 'nobody has changed its text');
    const isWhole = 'author' in change && 'content' in change && 'type' in change;
    const { data: whole } = messageShape.safeParse(payload);
    if (isWhole && whole === undefined) return this.#ignore('MESSAGE_UPDATE', 'it could not be read');
    if (whole !== undefined && isOwn(whole, self())) return;
    await this.#lanes.run(channelId, async () => {
      const message = isWhole ? whole : await this.#fetch(channelId, id);
      if (message === undefined || isOwn(message, self()) || !isSpoken(message)) return;
      const conversation =
        this.#find({ ...message, guild_id: change.guild_id }) ?? (await this.#places.learn(channelId));
      if (!senderOf(message, false).isPerson) return this.#ignore('MESSAGE_UPDATE', 'a program changes it');
      const edit = editEvent(message, { editedAt, conversation }, this.#surroundings());
      // What is fetched does not say what roles he has.
      const known = isWhole ? undefined : this.#dependencies.known.heard.get(id);
      await host.receive({ ...edit, ...(known?.sender.id === edit.sender.id && { sender: known.sender }) });
    });
  }

  async #deletion(payload: unknown): Promise<void> {
    const { data } = deletionShape.safeParse(payload);
    if (data === undefined) return this.#ignore('MESSAGE_DELETE', 'it could not be read');
    await this.#withdraw(data.channel_id, data.id);
  }

  async #bulkDeletion(payload: unknown): Promise<void> {
    const { data } = bulkDeletionShape.safeParse(payload);
    if (data === undefined) return this.#ignore('MESSAGE_DELETE_BULK', 'it could not be read');
    await Promise.all(data.ids.map((id) => this.#withdraw(data.channel_id, id)));
  }

  /** The message may still be on its way into the store, ahead of this. */
  async #withdraw(channelId: string, messageId: string): Promise<void> {
    const { host } = this.#dependencies;
    await this.#lanes.run(channelId, async () => {
      const heard = this.#dependencies.known.heard.get(messageId);
      if (heard === undefined) return;
      await host.receive({ type: 'deletion', key: `${messageId}:d`, messageKey: messageId, ...heard });
      this.#dependencies.known.heard.delete(messageId);
    });
  }

  #find({ channel_id, guild_id, channel_type }: DiscordMessage): Conversation | undefined {
    return this.#places.find(channel_id, { guildId: guild_id, type: channel_type });
  }

  /** Undefined if Discord gives something else. Throws `ChannelError`: a permanent one if it is gone. */
  async #fetch(channelId: string, messageId: string): Promise<DiscordMessage | undefined> {
    const { api, host, signal } = this.#dependencies;
    const answer = await lookUp(`/channels/${channelId}/messages/${messageId}`, { api, clock: host.clock, signal });
    return messageShape.safeParse(answer).data;
  }

  #surroundings(): Surroundings {
    const { self, known } = this.#dependencies;
    return { self: self(), places: this.#places, roles: known.roles };
  }

  #ignore(event: string, reason: string): void {
    this.#dependencies.host.log.debug({ event, reason }, 'an event was ignored');
  }
}
