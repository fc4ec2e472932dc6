import type { ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import { contains } from '../support/wait-for.ts';
import { variable } from './daemon-config.ts';
import { platformSetting, type SettingOptions, saidIn } from './platform-setting.ts';

export interface TelegramSettingOptions extends SettingOptions<TelegramServer> {
  /** Stands in the channel's block beside the token and the address. */
  readonly channel?: Readonly<Record<string, unknown>>;
}

const firstOwner = 501;

export type TelegramSetting = Awaited<ReturnType<typeof start>>;
export const TelegramSetting = { start } as const;

/** Resolves when the daemon receives, unless it was prepared otherwise. */
async function start({ channel = {}, ...options }: TelegramSettingOptions = {}) {
  const telegram = await TelegramServer.start();
  const setting = await platformSetting(
    {
      name: 'telegram',
      server: telegram,
      block: { token: variable('TEST_TELEGRAM_TOKEN'), api_root: telegram.root, ...channel },
      env: { TEST_TELEGRAM_TOKEN: telegram.token },
      received: () => telegram.polls,
      // A private chat's id is also its person's.
      owner: (index) => ({ principal: String(firstOwner + index), make: () => firstOwner + index }),
    },
    options,
  );

  /** The first card with buttons after this message. */
  function cardAfter(chatId: number, messageId: number): Promise<ShownMessage> {
    return telegram.waitFor(
      () => telegram.chat(chatId).find(({ id, buttons }) => id > messageId && buttons.length > 0),
      { what: `a card in the chat ${chatId}` },
    );
  }

  return {
    ...setting,
    telegram,
    cardAfter,
    /** Says something, and waits for the card that asks for an approval because of it. */
    async askFor(chatId: number, text: string): Promise<ShownMessage> {
      const before = telegram.chat(chatId).at(-1)?.id ?? 0;
      telegram.say(chatId, text);
      return cardAfter(chatId, before);
    },
    /** Waits until the message, which is there, shows this. */
    shows(chatId: number, messageId: number, wanted: string | RegExp): Promise<ShownMessage> {
      return telegram.waitFor(
        () => telegram.chat(chatId).find(({ id, text }) => id === messageId && contains(text, wanted)),
        { what: `the message ${messageId} in the chat ${chatId} to show ${wanted}` },
      );
    },
    said: (chatId: number) => saidIn(telegram.chat(chatId)),
  };
}

/** The `/approve ID` that a card offers. */
export function approvalIdOf(card: ShownMessage): string {
  const id = /\/approve ([a-z0-9]+)/.exec(card.text)?.[1];
  if (id === undefined) throw new Error(`The card names no id: ${card.text}`);
  return id;
}
