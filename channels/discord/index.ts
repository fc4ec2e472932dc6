import { RESTJSONErrorCodes as Reason } from 'discord.js';
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
import { type Clock, sleep } from '../../src/lib/clock.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import type { DownloadLimits } from '../kit/download.ts';
import { Marks } from '../kit/marks.ts';
import { DiscordApi, type Method } from './api.ts';
import { fetchFile } from './download.ts';
import { refusalCode } from './failure.ts';
import { Gateway } from './gateway.ts';
import { Interactions } from './interactions.ts';
import { measureMarkdown } from './markdown.ts';
import { messageIdFrom, Outgoing, placeOf } from './outgoing.ts';
import { Known } from './places.ts';
import type { Lasting } from './runtime.ts';
import { Continuity } from './session.ts';
import { type DiscordSettings, settings } from './settings.ts';

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
interface Speech extends Lasting {
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
  #started: Speech | undefined;
  #stop = async (): Promise<void> => {};

  constructor(settings: DiscordSettings) {
    this.#settings = settings;
    if (settings.reactions) this.mark = async (to, messageId, mark) => this.#speech.marks.show(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#continuity.completeUntil;
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown, this.#parse);
  }

  async start(host: ChannelHost): Promise<void> {
    const [settings, continuity, { clock }] = [this.#settings, this.#continuity, host];
    if (this.#started === undefined) {
      const api = new DiscordApi(settings, clock);
      const interactions = new Interactions(clock);
      const outgoing = new Outgoing(api, interactions, this.#parse, clock);
      const lasting = { settings, api, continuity, interactions, known: new Known() };
      this.#started = { ...lasting, outgoing, marks: discordMarks(api, clock) };
    }
    const gateway = new Gateway(host, this.#started);
    this.#stop = async () => {
      await endsWithin(gateway.stop(), { clock, milliseconds: stopGrace });
    };
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    return this.#speech.outgoing.send(to, message);
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#speech.outgoing.edit(to, ref, message);
  }

  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    await this.#speech.outgoing.remove(to, ref);
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#speech.outgoing.showTyping(to);
  }

  async fetchAttachment(attachment: InboundAttachment, limits: DownloadLimits): Promise<Uint8Array | 'too-large'> {
    return fetchFile(attachment, { api: this.#speech.api, apiUrl: this.#settings.api_url, ...limits });
  }

  get #speech(): Speech {
    if (this.#started !== undefined) return this.#started;
    throw new ChannelError({ type: 'transient', isUnsent: true }, 'Discord is not connected yet');
  }
}

/** How each mark is shown below a message. */
const markEmoji = { seen: '👀', working: '⏳', done: '✅' } as const satisfies Record<MessageMark, string>;

/** One mark takes two requests, and Discord takes four a second: the second one waits that long at most. */
const longestPause = 2_000;
const mostTries = 3;

export function discordMarks(api: Pick<DiscordApi, 'call'>, clock: Clock): Marks {
  const react = async (method: Method, to: Conversation, messageId: string, mark: MessageMark): Promise<void> => {
    const message = `/channels/${placeOf(to)}/messages/${messageIdFrom(messageId)}` as const;
    const route = `${message}/reactions/${encodeURIComponent(markEmoji[mark])}/@me` as const;
    for (let tries = 1; ; tries += 1) {
      try {
        await api.call(method, route, { repeatable: true });
        return;
      } catch (error) {
        const code = refusalCode(error);
        if (method === 'DELETE' && (code === Reason.UnknownEmoji || code === Reason.UnknownMessage)) return;
        const pause = error instanceof ChannelError && error.fault.type === 'rate-limited' && error.fault.retryAfter;
        if (pause === false || pause > longestPause || tries >= mostTries) throw error;
        await sleep(clock, pause);
      }
    }
  };
  return new Marks(
    (...mark) => react('PUT', ...mark),
    (...mark) => react('DELETE', ...mark),
  );
}
