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
  type ReplyStream,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { sleep } from '../../src/lib/clock.ts';
import { lazyParser } from '../../src/lib/markdown-parser.ts';
import { announceMenus } from './announce.ts';
import { TelegramApi } from './api.ts';
import { commandMenus } from './commands.ts';
import { fetchFile } from './download.ts';
import { DraftStream } from './drafts.ts';
import { FileSender } from './files.ts';
import { measureMarkdown, renderMarkdown } from './markdown.ts';
import { markEmoji } from './marks.ts';
import { Poller } from './poll.ts';
import { ReceivingApi } from './receiving.ts';
import { renderMessage, renderNotice } from './render.ts';
import { settings, type TelegramSettings } from './settings.ts';
import { watched } from './watchdog.ts';

/** The Telegram channel. */
export const telegram = defineChannel({
  name: 'telegram',
  settings,
  create: (checked) => new TelegramAdapter(checked),
});

/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;
/** What Telegram takes is 50 MB with the form around the file. */
const largestFile = 50_000_000;
/** How long a draft may be on its way before it counts as failed, in milliseconds. */
const draftPatience = 5_000;

interface Session {
  readonly host: ChannelHost;
  readonly background: Background;
  readonly ending: AbortController;
}

class TelegramAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities;
  readonly mark?: NonNullable<ChannelAdapter['mark']>;
  readonly #settings: TelegramSettings;
  readonly #api: TelegramApi;
  readonly #receiving: ReceivingApi;
  readonly #files: FileSender;
  readonly #parse = lazyParser();
  #session: Session | undefined;

  constructor(settings: TelegramSettings) {
    this.#settings = settings;
    this.capabilities = capabilitiesWith(settings);
    const server = {
      token: settings.token,
      apiRoot: settings.api_root,
      requestTimeoutSecs: settings.request_timeout_secs,
    };
    this.#api = new TelegramApi(server);
    this.#receiving = new ReceivingApi({ ...server, pollTimeoutSecs: settings.poll_timeout_secs });
    this.#files = new FileSender({ api: this.#api, parse: this.#parse });
    if (settings.reactions) this.mark = (to, messageId, mark) => this.#react(to, messageId, mark);
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown, this.#parse);
  }

  async start(host: ChannelHost): Promise<void> {
    const background = new Background(host.log);
    const ending = new AbortController();
    const poller = new Poller({
      api: this.#receiving,
      host,
      pollTimeoutSecs: this.#settings.poll_timeout_secs,
      pollGraceSecs: this.#settings.poll_grace_secs,
      onConnected: () =>
        background.run('the commands were not announced', () =>
          announceMenus(commandMenus(this.#settings.commands), {
            announce: (menu) => this.#api.announceCommands(menu),
            clock: host.clock,
            log: host.log,
            signal: ending.signal,
          }),
        ),
      onPressed: (pressId, notice) =>
        background.run('a press was not answered', () =>
          this.#api.answerPress(pressId, notice && renderNotice(notice)),
        ),
    });
    this.#session = { host, background, ending };
    background.run('receiving has ended by a fault', () => poller.run(ending.signal));
  }

  async stop(): Promise<void> {
    if (this.#session === undefined) return;
    const { host, background, ending } = this.#session;
    this.#session = undefined;
    ending.abort();
    // Whoever starts it again may do so because it has gone deaf.
    this.#receiving.renew();

    const settled = new AbortController();
    await Promise.race([background.settled(), sleep(host.clock, stopGrace, settled.signal)]);
    settled.abort();
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const { file } = message;
    const messageId =
      file === undefined
        ? await this.#api.sendMessage(to, renderMessage(message, this.#parse))
        : await this.#files.send(to, message, file);
    return { id: String(messageId) };
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    await this.#api.editMessage(to, messageIdFrom(ref.id), renderMessage(message, this.#parse));
  }

  async remove(to: Conversation, ref: MessageRef): Promise<void> {
    await this.#api.deleteMessage(to, messageIdFrom(ref.id));
  }

  /** As a draft, where the config wants that; drafts are for direct chats. */
  openStream(to: Conversation): ReplyStream | undefined {
    const isDraftable = to.kind === 'direct' && to.threadId === undefined;
    if (this.#session === undefined || !this.#settings.drafts || !isDraftable) return undefined;

    const { host, ending } = this.#session;
    const { clock, log } = host;
    const watchdog = { clock, milliseconds: draftPatience, signal: ending.signal };
    return new DraftStream({
      render: (markdown) => renderMarkdown(markdown, this.#parse),
      showDraft: (draft) => watched(watchdog, (signal) => this.#api.showDraft(to, draft, signal)),
      send: (message) => this.send(to, message),
      clock,
      log,
    });
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#api.sendTyping(to);
  }

  fetchAttachment(
    { handle }: InboundAttachment,
    limits: { readonly maxBytes: number; readonly signal: AbortSignal },
  ): Promise<Uint8Array | 'too-large'> {
    const { token, api_root: apiRoot } = this.#settings;
    return fetchFile(handle, { api: this.#receiving, root: `${apiRoot}/file/bot${token}`, ...limits });
  }

  async #react(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    await this.#api.react(to, messageIdFrom(messageId), markEmoji[mark]);
  }
}

function capabilitiesWith({ poll_timeout_secs, poll_grace_secs }: TelegramSettings): ChannelCapabilities {
  return {
    maxLength: 4096,
    forms: false,
    maxFileBytes: largestFile,
    editPause: { direct: 1100, group: 3100 },
    heartbeat: (poll_timeout_secs + poll_grace_secs) * 1000,
    history: true,
  };
}

function messageIdFrom(id: string): number {
  const messageId = Number(id);
  if (Number.isSafeInteger(messageId)) return messageId;
  throw new ChannelError({ type: 'permanent' }, 'This is not a message of Telegram.');
}
