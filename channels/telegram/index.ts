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
  type OutboundFile,
  type OutboundMessage,
  type ReplyStream,
} from '../../src/contract.ts';
import { Background } from '../../src/lib/background.ts';
import { endsWithin } from '../../src/lib/ends-within.ts';
import { lazyParser, type Parse } from '../../src/lib/markdown-parser.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import type { DownloadLimits } from '../kit/file-transfer.ts';
import { offerCommands } from '../kit/retries.ts';
import { withTimeout } from '../kit/timeout.ts';
import { type CommandMenu, commandMenus, markEmoji, TelegramApi } from './api.ts';
import { DraftStream } from './drafts.ts';
import { measureMarkdown, renderMarkdown } from './markdown.ts';
import { Poller } from './poll.ts';
import { fetchFile, ReceivingApi } from './receiving.ts';
import { type Address, type Payload, renderCaption, renderMessage } from './render.ts';
import { settings, type TelegramSettings } from './settings.ts';

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
/** Telegram shows no more of the answer to a press. */
const longestNotice = 200;
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
    this.capabilities = {
      maxLength: 4096,
      forms: false,
      maxFileBytes: largestFile,
      editPause: { direct: 1100, group: 3100 },
      heartbeat: (settings.poll_timeout_secs + settings.poll_grace_secs) * 1000,
      history: true,
    };
    const server = {
      token: settings.token,
      apiRoot: settings.api_root,
      requestTimeoutSecs: settings.request_timeout_secs,
    };
    this.#api = new TelegramApi(server);
    this.#receiving = new ReceivingApi({ ...server, pollTimeoutSecs: settings.poll_timeout_secs });
    this.#files = new FileSender(this.#api, this.#parse);
    if (settings.reactions) this.mark = (to, messageId, mark) => this.#react(to, messageId, mark);
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown, this.#parse);
  }

  async start(host: ChannelHost): Promise<void> {
    const background = new Background(host.log);
    const ending = new AbortController();
    const menus = commandMenus(this.#settings.commands);
    const poller = new Poller(this.#receiving, this.#settings, host, {
      onConnected: () =>
        background.run('the commands were not announced', () =>
          announceMenus(menus, (menu) => this.#api.announceCommands(menu), host, ending.signal),
        ),
      onPressed: (pressId, notice) =>
        background.run('a press was not answered', () =>
          this.#api.answerPress(pressId, notice && shortened(notice, longestNotice)),
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
    // It may be started again because it has gone deaf.
    this.#receiving.renew();

    await endsWithin(background.settled(), { clock: host.clock, milliseconds: stopGrace });
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
    const patience = { clock: host.clock, milliseconds: draftPatience, signal: ending.signal };
    return new DraftStream(
      host,
      (markdown) => renderMarkdown(markdown, this.#parse),
      (draft) => withTimeout(patience, (signal) => this.#api.showDraft(to, draft, signal)),
      (message) => this.send(to, message),
    );
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#api.sendTyping(to);
  }

  fetchAttachment({ handle }: InboundAttachment, limits: DownloadLimits): Promise<Uint8Array | 'too-large'> {
    const { token, api_root: apiRoot } = this.#settings;
    return fetchFile(handle, { api: this.#receiving, root: `${apiRoot}/file/bot${token}`, ...limits });
  }

  async #react(to: Conversation, messageId: string, mark: MessageMark): Promise<void> {
    await this.#api.react(to, messageIdFrom(messageId), markEmoji[mark]);
  }
}

function messageIdFrom(id: string): number {
  const messageId = Number(id);
  if (Number.isSafeInteger(messageId)) return messageId;
  throw new ChannelError({ type: 'permanent' }, 'This is not a message of Telegram.');
}

/** Announces the menus one after the other. What fails for now is tried again until the signal aborts. */
async function announceMenus(
  menus: readonly CommandMenu[],
  announce: (menu: CommandMenu) => Promise<void>,
  { clock, log }: ChannelHost,
  signal: AbortSignal,
): Promise<void> {
  for (const menu of menus) {
    const fields = { language: menu.language ?? 'all' };
    await offerCommands(() => announce(menu), { platform: 'Telegram', clock, log, signal, fields });
  }
}

const longestCaption = 1024;

/** Sends messages that have a file. */
class FileSender {
  readonly #api: Pick<TelegramApi, 'sendMessage' | 'sendFile'>;
  readonly #parse: Parse;
  /** The messages whose text stands in the chat already, above the place of their file. */
  readonly #introduced = new Set<string>();

  constructor(api: Pick<TelegramApi, 'sendMessage' | 'sendFile'>, parse: Parse) {
    this.#api = api;
    this.#parse = parse;
  }

  /**
   * Shows the file with the text of the message below it. A text that is too long for that comes first, as a message of its
   * own, and only once if the file has to be sent again. Answers with the id of the message with the file.
   */
  async send(to: Address, message: OutboundMessage, file: OutboundFile): Promise<number> {
    const caption = await this.#captionOf(to, message);
    try {
      const messageId = await this.#api.sendFile(to, file, caption);
      this.#introduced.delete(message.id);
      return messageId;
    } catch (error) {
      if (error instanceof ChannelError && error.fault.type === 'permanent') this.#introduced.delete(message.id);
      throw error;
    }
  }

  async #captionOf(to: Address, message: OutboundMessage): Promise<Payload> {
    const payload = renderCaption(message, this.#parse);
    if (payload.text.length <= longestCaption) return payload;
    if (!this.#introduced.has(message.id)) {
      await this.#api.sendMessage(to, { ...payload, keyboard: [] });
      this.#introduced.add(message.id);
    }
    return { text: '', entities: [], keyboard: payload.keyboard };
  }
}
