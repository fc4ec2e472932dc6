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
} from '../../src/contract.ts';
import { type Clock, sleep } from '../../src/lib/clock.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import type { DownloadLimits } from '../kit/file-transfer.ts';
import { Marks } from '../kit/marks.ts';
import { refusalCode } from '../kit/request-failure.ts';
import { DiscordApi, type Method } from './api.ts';
import { namesRoles } from './backfill.ts';
import { Directory } from './directory.ts';
import { fetchFile } from './download.ts';
import { Gateway } from './gateway.ts';
import { Interactions } from './interactions.ts';
import { measureMarkdown } from './markdown.ts';
import { messageIdFrom, Outgoing, placeOf } from './outgoing.ts';
import type { Lasting } from './runtime.ts';
import { Continuity } from './session.ts';
import { type DiscordSettings, settings } from './settings.ts';

/** The Discord channel. */
export const discord = defineChannel({
  name: 'discord',
  settings,
  create: (checked) => new DiscordAdapter(checked),
  worksWithAccess: namesRoles,
});

/** What a bot may send in a server without boosts, in bytes. */
const largestFile = 10 * 2 ** 20;
/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

/** What speaks to Discord, from the first start on. */
interface Parts extends Lasting {
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
  #started: Parts | undefined;
  #stop = async (): Promise<void> => {};

  constructor(settings: DiscordSettings) {
    this.#settings = settings;
    if (settings.reactions) this.mark = async (to, messageId, mark) => this.#parts.marks.show(to, messageId, mark);
  }

  get heardAt(): number | undefined {
    return this.#continuity.reception?.heardAt;
  }

  readonly measure = (markdown: string): number => measureMarkdown(markdown, this.#parse);
  readonly send: ChannelAdapter['send'] = async (to, message) => this.#parts.outgoing.send(to, message);
  readonly edit: ChannelAdapter['edit'] = async (to, ref, message) => this.#parts.outgoing.edit(to, ref, message);
  readonly remove: ChannelAdapter['remove'] = async (to, ref) => this.#parts.outgoing.remove(to, ref);
  readonly showTyping: ChannelAdapter['showTyping'] = async (to) => this.#parts.outgoing.showTyping(to);

  async start(host: ChannelHost): Promise<void> {
    const [settings, continuity, { clock }] = [this.#settings, this.#continuity, host];
    if (this.#started === undefined) {
      const api = new DiscordApi(settings, clock);
      const interactions = new Interactions(clock);
      const outgoing = new Outgoing(api, interactions, this.#parse, clock);
      const lasting = { settings, api, continuity, interactions, directory: new Directory() };
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

  async fetchAttachment(attachment: InboundAttachment, limits: DownloadLimits): Promise<Uint8Array | 'too-large'> {
    return fetchFile(attachment, { api: this.#parts.api, apiUrl: this.#settings.api_url, ...limits });
  }

  get #parts(): Parts {
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
