import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type InboundAttachment,
  type MessageMark,
  type MessageRef,
  type OutboundMessage,
} from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { Connection } from './connection/connection.ts';
import { Continuity } from './connection/continuity.ts';
import { fetchFile } from './incoming/download.ts';
import { Known } from './incoming/known.ts';
import { Interactions } from './interactions.ts';
import { measureMarkdown } from './markdown/markdown.ts';
import { Marks } from './outgoing/marks.ts';
import { Outgoing } from './outgoing/outgoing.ts';
import { type DiscordSettings, settings } from './settings.ts';
import { DiscordApi } from './web-api/api.ts';
import { withInvitation } from './web-api/invite.ts';

/** The Discord channel. */
export const discord = defineChannel({
  name: 'discord',
  settings,
  create: (checked) => new DiscordAdapter(checked),
});

/** What a bot may send in a server without boosts, in bytes. */
const largestFile = 10 * 2 ** 20;
/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

/** What speaks to Discord, from the first start on. */
interface Speech {
  readonly api: DiscordApi;
  readonly interactions: Interactions;
  readonly outgoing: Outgoing;
  readonly marks: Marks;
}

class DiscordAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities = {
    maxLength: 2000,
    forms: true,
    maxFileBytes: largestFile,
    editPause: { direct: 1200, group: 1200 },
    // Discord asks for a heartbeat every 41 s, and each that it acknowledges is told.
    heartbeat: 60_000,
    history: true,
  };
  readonly mark?: NonNullable<ChannelAdapter['mark']>;
  readonly #settings: DiscordSettings;
  readonly #parse = lazyParser();
  readonly #continuity = new Continuity();
  readonly #known = new Known();
  #speech: Speech | undefined;
  #connection: Connection | undefined;

  constructor(settings: DiscordSettings) {
    this.#settings = settings;
    if (settings.reactions) this.mark = (to, messageId, mark) => this.#react(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#continuity.completeUntil;
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown, this.#parse);
  }

  async start(host: ChannelHost): Promise<void> {
    this.#speech ??= this.#makeSpeech(host);
    const { api, interactions } = this.#speech;
    const continuity = this.#continuity;
    this.#connection = new Connection({
      settings: this.#settings,
      host,
      api,
      continuity,
      interactions,
      known: this.#known,
    });
  }

  async stop(): Promise<void> {
    if (this.#connection === undefined) return;
    const connection = this.#connection;
    this.#connection = undefined;
    await endsWithin(connection.stop(), { clock: connection.clock, milliseconds: stopGrace });
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#speak(({ outgoing }) => outgoing.send(to, message));
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#speak(({ outgoing }) => outgoing.edit(to, ref, message));
  }

  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    await this.#speak(({ outgoing }) => outgoing.remove(to, ref));
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#speak(({ outgoing }) => outgoing.showTyping(to));
  }

  async fetchAttachment(
    attachment: InboundAttachment,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'> {
    return fetchFile(attachment, { api: this.#started.api, apiUrl: this.#settings.api_url, ...limits });
  }

  async #react(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    await this.#speak(({ marks }) => marks.show(to, messageId, mark));
  }

  async #speak<Result>(deed: (speech: Speech) => Promise<Result>): Promise<Result> {
    const speech = this.#started;
    try {
      return await deed(speech);
    } catch (error) {
      throw withInvitation(error, this.#connection?.applicationId);
    }
  }

  get #started(): Speech {
    if (this.#speech !== undefined) return this.#speech;
    throw new ChannelError({ type: 'transient' }, 'Discord is not connected yet');
  }

  #makeSpeech({ clock }: ChannelHost): Speech {
    const { token, api_url: apiUrl, request_timeout_secs: requestTimeoutSecs } = this.#settings;
    const api = new DiscordApi({ token, apiUrl, requestTimeoutSecs, clock });
    const interactions = new Interactions(clock);
    const outgoing = new Outgoing({ api, interactions, parse: this.#parse, clock });
    return { api, interactions, outgoing, marks: new Marks({ api, clock }) };
  }
}
