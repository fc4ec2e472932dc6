import type { z } from 'zod';
import type { DaemonProcess } from '../support/daemon-process.ts';
import type { ModelServer } from '../support/model-server.ts';
import { DiscordSetting } from './discord-setting.ts';
import { SlackSetting } from './slack-setting.ts';
import { TelegramSetting } from './telegram-setting.ts';

/** A platform that people talk on while the daemon is killed. */
export interface StormPlatform {
  /** What people said while nobody received comes in the order in which they said it. */
  readonly keepsOrder: boolean;
  /** So does the very first that somebody said in a direct chat. */
  readonly bringsFirstWords: boolean;
  /** Starts a fake of it with a daemon that receives. */
  start(config: Readonly<Record<string, unknown>>): Promise<StormSetting>;
}

export interface StormSetting extends AsyncDisposable {
  readonly model: ModelServer;
  readonly daemon: DaemonProcess;
  /** How often a daemon has begun to receive, or received again. A process that was started has begun when it has grown. */
  received(): number;
  /** Another person with a chat of their own. */
  newChat(): StormChat;
  rows<Shape extends z.ZodType>(shape: Shape, sql: string): readonly z.output<Shape>[];
}

/** One person's chat with the bot. */
export interface StormChat {
  /** Returns what has the platform deliver the message once more. */
  say(text: string): () => void;
  press(messageId: string, label: string): void;
  /** What the bot has said, the oldest first. */
  shown(): readonly ShownInChat[];
}

export interface ShownInChat {
  readonly id: string;
  readonly text: string;
  /** What stands on its buttons. */
  readonly buttons: readonly string[];
}

const telegram: StormPlatform = {
  keepsOrder: true,
  bringsFirstWords: true,
  async start(config) {
    const setting = await TelegramSetting.start({ config });
    const server = setting.telegram;
    return {
      ...shared(setting),
      received: () => server.polls,
      newChat() {
        const chat = setting.newOwner();
        server.addChat(chat);
        return {
          say(text) {
            const update = server.say(chat, text);
            return () => server.redeliver(update);
          },
          press: (id, label) => void server.press(chat, Number(id), label),
          shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, String(message.id))),
        };
      },
    };
  },
};

const slack: StormPlatform = {
  // Each event is delivered again at a time of its own.
  keepsOrder: false,
  bringsFirstWords: true,
  async start(config) {
    // Slack's minutes are seconds of ours: an event comes again after one, and then after five.
    const setting = await SlackSetting.start({ config, server: { timeScale: 1 / 60 } });
    const server = setting.slack;
    return {
      ...shared(setting),
      received: () => server.sockets.opened,
      newChat() {
        const chat = setting.newOwner();
        return {
          say(text) {
            const { deliveries } = server.say(chat, text);
            return () => {
              for (const delivery of deliveries) server.redeliver(delivery);
            };
          },
          press: (ts, label) => void server.press(chat, ts, label),
          shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, message.ts)),
        };
      },
    };
  },
};

const discord: StormPlatform = {
  keepsOrder: true,
  bringsFirstWords: false,
  async start(config) {
    const setting = await DiscordSetting.start({ config });
    const server = setting.discord;
    return {
      ...shared(setting),
      received: () => setting.sessions,
      newChat() {
        const chat = server.direct(setting.newOwner());
        return {
          say(text) {
            const event = server.say(chat, text);
            return () => server.dispatch('MESSAGE_CREATE', event);
          },
          press: (id, label) => void server.press(chat, id, label),
          shown: () => ofTheBot(server.chat(chat)).map((message) => seen(message, message.id)),
        };
      },
    };
  },
};

export const stormPlatforms = { telegram, slack, discord } as const;

function shared(
  setting: TelegramSetting | SlackSetting | DiscordSetting,
): Pick<StormSetting, 'model' | 'daemon' | 'rows' | typeof Symbol.asyncDispose> {
  return {
    model: setting.model,
    daemon: setting.daemon,
    rows: (shape, sql) => setting.rows(shape, sql),
    [Symbol.asyncDispose]: () => setting.dispose(),
  };
}

function ofTheBot<Message extends { readonly from: string }>(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ from }) => from === 'bot');
}

function seen(
  message: Pick<ShownInChat, 'text'> & { readonly buttons: readonly { readonly label: string }[] },
  id: string,
) {
  return { id, text: message.text, buttons: message.buttons.map(({ label }) => label) };
}
