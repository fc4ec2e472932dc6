import type { z } from 'zod';
import { DaemonProcess } from '../support/daemon-process.ts';
import { ModelServer } from '../support/model-server.ts';
import type { ShownMessage } from '../support/telegram/chats.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { daemonConfig, modelEnvironment, variable } from './daemon-config.ts';
import { daemonRows } from './daemon-rows.ts';

export interface SettingOptions {
  /** Stands in the config beside the model and the channel, or in their place. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Stands in the channel's block beside the token and the address. */
  readonly channel?: Readonly<Record<string, unknown>>;
  /** Stands in the model's block beside its address. */
  readonly modelSettings?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Where the process dies: see `crashing-main.ts`. */
  readonly crashAt?: string;
  /** Does something to the server before the daemon starts. */
  readonly prepare?: (telegram: TelegramServer) => void;
}

/** Owners in the config of every setting: a test takes one whom no other test takes, and so has a chat of its own. */
const firstOwner = 501;
const ownerCount = 60;

/** The daemon as a process of its own, between a Telegram and a model that speak the real protocols. */
export class TelegramSetting {
  readonly telegram: TelegramServer;
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  #owners = 0;

  private constructor(telegram: TelegramServer, model: ModelServer, daemon: DaemonProcess) {
    this.telegram = telegram;
    this.model = model;
    this.daemon = daemon;
  }

  /** Resolves when the daemon receives, unless it was prepared otherwise. */
  static async start(options: SettingOptions = {}): Promise<TelegramSetting> {
    const [telegram, model] = await Promise.all([TelegramServer.start(), ModelServer.start()]);
    options.prepare?.(telegram);
    const daemon = DaemonProcess.start({
      config: configOf(telegram, model, options),
      crashAt: options.crashAt,
      env: { TEST_TELEGRAM_TOKEN: telegram.token, ...modelEnvironment, ...options.env },
    });
    const setting = new TelegramSetting(telegram, model, daemon);
    if (options.prepare === undefined) await setting.connected();
    return setting;
  }

  async dispose(): Promise<void> {
    await this.daemon.dispose();
    await Promise.all([this.telegram.close(), this.model.close()]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  /** Resolves when the process, started again or for the first time, asks for updates. */
  async connected(polls = 0): Promise<void> {
    await this.telegram.waitFor(() => this.telegram.polls > polls, { what: 'the first poll' });
  }

  /** Kills the process and starts it again. Resolves when it receives. */
  async restart(): Promise<void> {
    await this.daemon.kill();
    const { polls } = this.telegram;
    await this.daemon.restart();
    await this.connected(polls);
  }

  /** An owner with a private chat, whose id is also the chat's. */
  newOwner(): number {
    if (this.#owners === ownerCount) throw new Error('There are no more owners in the config of the setting.');
    this.#owners += 1;
    return firstOwner + this.#owners - 1;
  }

  /** Says something, and waits for the card that asks for an approval because of it. */
  async askFor(chatId: number, text: string): Promise<ShownMessage> {
    const before = this.telegram.chat(chatId).at(-1)?.id ?? 0;
    this.telegram.say(chatId, text);
    return this.cardAfter(chatId, before);
  }

  /** The first card with buttons after this message. */
  cardAfter(chatId: number, messageId: number): Promise<ShownMessage> {
    return this.telegram.waitFor(
      () => this.telegram.chat(chatId).find(({ id, buttons }) => id > messageId && buttons.length > 0),
      { what: `a card in the chat ${chatId}` },
    );
  }

  /** Waits until the message, which is there, shows this. */
  async shows(chatId: number, messageId: number, wanted: string | RegExp): Promise<ShownMessage> {
    const matches = (text: string): boolean => (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text));
    return this.telegram.waitFor(
      () => this.telegram.chat(chatId).find(({ id, text }) => id === messageId && matches(text)),
      { what: `the message ${messageId} in the chat ${chatId} to show ${wanted}` },
    );
  }

  /** What the bot has said in the chat, the oldest first. */
  said(chatId: number): readonly string[] {
    return this.telegram
      .chat(chatId)
      .filter(({ from }) => from === 'bot')
      .map(({ text }) => text);
  }

  rows<Shape extends z.ZodType>(shape: Shape, sql: string, ...parameters: unknown[]): readonly z.output<Shape>[] {
    return daemonRows(this.daemon, shape, sql, ...parameters);
  }
}

/** The `/approve ID` that a card offers. */
export function approvalIdOf(card: ShownMessage): string {
  const id = /\/approve ([a-z0-9]+)/.exec(card.text)?.[1];
  if (id === undefined) throw new Error(`The card names no id: ${card.text}`);
  return id;
}

function configOf(telegram: TelegramServer, model: ModelServer, options: SettingOptions): Record<string, unknown> {
  const { config = {}, channel = {}, modelSettings = {} } = options;
  const token = variable('TEST_TELEGRAM_TOKEN');
  const owners = Array.from({ length: ownerCount }, (_, index) => `telegram:${firstOwner + index}`);
  const channels = { telegram: { enabled: true, token, api_root: telegram.root, ...channel } };
  return daemonConfig({ model, owners, channels, modelSettings, config });
}
