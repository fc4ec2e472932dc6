import { TelegramServer as OthersServer } from 'telegram-test-api/lib/telegramServer.js';
import { z } from 'zod';
import { flatButtons, type ShownButton } from '../../packages/fakes/src/telegram/chats.ts';
import { readKeyboard } from '../../packages/fakes/src/telegram/methods.ts';
import { freePort } from './loopback.ts';
import { Changes, type WaitOptions } from './wait-for.ts';

/** A message of the bot as the server has it now. A keyboard that an edit leaves out stays: a mistake of this server. */
export interface PeerMessage {
  readonly id: number;
  readonly text: string;
  readonly buttons: readonly ShownButton[];
}

/** What the server stores of a message: the bot's own parameters. Its types for it come from a package that is gone. */
const stored = z.object({
  chat_id: z.coerce.number(),
  text: z.string().default(''),
  reply_markup: z.unknown().optional(),
});

const keepSeconds = 3_600;

export type TelegramTestApi = Awaited<ReturnType<typeof start>>;
export const TelegramTestApi = { start } as const;

/**
 * A Bot API server that others have written, in this process on a free port. It knows no long poll: getUpdates answers at
 * once. Methods that it has not, such as sendChatAction and setMyCommands, get 500 and a body without a description.
 */
async function start() {
  const server = new OthersServer({ port: await freePort(), host: '127.0.0.1', storeTimeout: keepSeconds });
  await server.start();
  const token = `7000000002:${'P'.repeat(35)}`;
  const changes = new Changes();
  for (const event of ['AddedBotMessage', 'EditedMessageText', 'EditedMessageReplyMarkup'])
    server.on(event, () => changes.notify());

  function clientOf(chatId: number): ReturnType<OthersServer['getClient']> {
    return server.getClient(token, { chatId, userId: chatId, firstName: `Person ${chatId}` });
  }

  /** What the bot has said in the chat, the oldest first. */
  function messages(chatId: number): readonly PeerMessage[] {
    return server.storage.botMessages.flatMap(({ messageId, message }) => {
      const { chat_id, text, reply_markup } = stored.parse(message);
      return chat_id === chatId ? [{ id: messageId, text, buttons: flatButtons(readKeyboard(reply_markup)) }] : [];
    });
  }

  async function close(): Promise<void> {
    await server.stop();
    server.removeAllListeners();
  }

  return {
    /** What the channel takes as `api_root`. */
    root: server.config.apiURL,
    ...{ token, messages, close, [Symbol.asyncDispose]: close },

    /** Says something in a private chat, as the person whose chat it is. */
    async say(chatId: number, text: string): Promise<void> {
      const client = clientOf(chatId);
      if (text.startsWith('/')) await server.addUserCommand(client.makeCommand(text));
      else await server.addUserMessage(client.makeMessage(text));
    },

    /** Presses a button of a message, by its data or its label. Throws if it is not there. */
    async press(chatId: number, messageId: number, dataOrLabel: string): Promise<void> {
      const message = messages(chatId).find(({ id }) => id === messageId);
      const button = message?.buttons.find(({ data, label }) => data === dataOrLabel || label === dataOrLabel);
      if (button?.data === undefined)
        throw new Error(`There is no button "${dataOrLabel}" on the message ${messageId}.`);
      const query = { message: { message_id: messageId, text: message?.text ?? '' } };
      await server.addUserCallback(clientOf(chatId).makeCallbackQuery(button.data, query));
    },

    /** Waits until the bot shows such a message in the chat. */
    waitForMessage(chatId: number, predicate: (message: PeerMessage) => boolean, options: WaitOptions = {}) {
      const describe = (): string => `The bot's messages: ${JSON.stringify(messages(chatId))}`;
      const what = `a message of the bot in the chat ${chatId}`;
      return changes.waitFor(() => messages(chatId).findLast(predicate), { what, describe, ...options });
    },
  };
}
