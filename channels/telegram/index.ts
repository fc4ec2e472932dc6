import {
  type ChannelAdapter,
  type ChannelCapabilities,
  ChannelError,
  type ChannelHost,
  type Conversation,
  defineChannel,
  type MessageRef,
  type OutboundMessage,
} from '../../src/contract.ts';
import { sleep } from '../../src/lib/clock.ts';
import { TelegramApi } from './api.ts';
import { Background } from './background.ts';
import { lazyParser, measureMarkdown } from './markdown.ts';
import { Poller } from './poll.ts';
import { renderMessage, renderNotice } from './render.ts';
import { settings, type TelegramSettings } from './settings.ts';

/** The Telegram channel. */
export const telegram = defineChannel({
  name: 'telegram',
  settings,
  create: (checked) => new TelegramAdapter(checked),
});

/** How long `stop` waits for what is under way, in milliseconds. */
const stopGrace = 1_500;

interface Session {
  readonly host: ChannelHost;
  readonly background: Background;
  readonly ending: AbortController;
}

class TelegramAdapter implements ChannelAdapter {
  readonly capabilities: ChannelCapabilities = {
    maxLength: 4096,
    edits: true,
    buttons: true,
    threads: true,
    maxFileBytes: 0,
    editPause: { direct: 1100, group: 3100 },
    typing: true,
    history: true,
  };
  readonly #settings: TelegramSettings;
  readonly #api: TelegramApi;
  readonly #parse = lazyParser();
  #session: Session | undefined;

  constructor(settings: TelegramSettings) {
    this.#settings = settings;
    this.#api = new TelegramApi({
      token: settings.token,
      apiRoot: settings.api_root,
      pollTimeoutSecs: settings.poll_timeout_secs,
      requestTimeoutSecs: settings.request_timeout_secs,
    });
  }

  measure(markdown: string): number {
    return measureMarkdown(markdown, this.#parse);
  }

  async start(host: ChannelHost): Promise<void> {
    const background = new Background(host.log);
    const ending = new AbortController();
    const poller = new Poller({
      api: this.#api,
      host,
      pollTimeoutSecs: this.#settings.poll_timeout_secs,
      onConnected: () => background.run('the commands were not announced', () => this.#api.announceCommands()),
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

    const settled = new AbortController();
    await Promise.race([background.settled(), sleep(host.clock, stopGrace, settled.signal)]);
    settled.abort();
  }

  async send(to: Conversation, message: OutboundMessage): Promise<MessageRef> {
    const messageId = await this.#api.sendMessage(to, renderMessage(message, this.#parse));
    return { id: String(messageId) };
  }

  async edit(to: Conversation, ref: MessageRef, message: OutboundMessage): Promise<void> {
    const messageId = Number(ref.id);
    if (!Number.isSafeInteger(messageId))
      throw new ChannelError({ type: 'permanent' }, 'This is not a message of Telegram.');
    await this.#api.editMessage(to, messageId, renderMessage(message, this.#parse));
  }

  async showTyping(to: Conversation): Promise<void> {
    await this.#api.sendTyping(to);
  }
}
