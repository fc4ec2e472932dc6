import { Api, type ApiClientOptions, GrammyError, type RawApi } from 'grammy';
import { z } from 'zod';
import { botCommands } from './commands.ts';
import { readFailure, toChannelError, UnexpectedAnswer } from './failure.ts';
import type { Entity } from './rich.ts';

/** Which bot the token belongs to. */
export interface BotIdentity {
  readonly id: number;
  readonly username: string;
}

/** Where a message goes. */
export interface Address {
  readonly chatId: string;
  readonly threadId?: string;
}

/** A text as the Bot API takes it. */
export interface Payload {
  readonly text: string;
  readonly entities: readonly Entity[];
  readonly keyboard: readonly (readonly { readonly text: string; readonly callback_data: string }[])[];
}

/** What is read. Everything else Telegram keeps to itself. */
const allowedUpdates = ['message', 'callback_query'] as const;

/** The client's own limit stands behind our watchdog, which follows the injected clock. */
const clientGraceSecs = 60;
const updatesAtOnce = 100;

const identityShape = z.object({ id: z.number(), username: z.string() });
const sentShape = z.object({ message_id: z.number() });
const updatesShape = z.array(z.unknown());

/** The few calls that we make. Nothing is tried twice here. */
export class TelegramApi {
  readonly #receiving: RawApi;
  readonly #sending: RawApi;

  constructor(options: {
    readonly token: string;
    readonly apiRoot: string;
    readonly pollTimeoutSecs: number;
    readonly requestTimeoutSecs: number;
  }) {
    const client = (timeoutSeconds: number): ApiClientOptions => ({ apiRoot: options.apiRoot, timeoutSeconds });
    this.#receiving = new Api(options.token, client(options.pollTimeoutSecs + clientGraceSecs)).raw;
    this.#sending = new Api(options.token, client(options.requestTimeoutSecs)).raw;
  }

  /** Throws what `readFailure` reads, as do all calls that receive. */
  async getMe(signal: AbortSignal): Promise<BotIdentity> {
    return expect(identityShape, await this.#sending.getMe(toClientSignal(signal)), 'getMe');
  }

  /** Ends a webhook, which would keep updates from us. What has come in meanwhile is kept. */
  async deleteWebhook(signal: AbortSignal): Promise<void> {
    await this.#sending.deleteWebhook({ drop_pending_updates: false }, toClientSignal(signal));
  }

  /** Waits up to `timeout` seconds for updates. Confirms all below the offset. What comes is not checked. */
  async getUpdates(offset: number | undefined, timeout: number, signal: AbortSignal): Promise<readonly unknown[]> {
    const request = {
      timeout,
      limit: updatesAtOnce,
      allowed_updates: allowedUpdates,
      ...(offset !== undefined && { offset }),
    };
    return expect(updatesShape, await this.#receiving.getUpdates(request, toClientSignal(signal)), 'getUpdates');
  }

  /** Answers with the id of the message. Throws `ChannelError`, as do all calls below. */
  async sendMessage(to: Address, payload: Payload): Promise<number> {
    const send = (entities: readonly Entity[]) =>
      this.#sending.sendMessage({ chat_id: to.chatId, ...threadOf(to), ...bodyOf(payload, entities) });
    const sent = await this.#call('sendMessage', false, async () =>
      expect(sentShape, await orPlain(send, payload), 'sendMessage'),
    );
    return sent.message_id;
  }

  /** Shows the payload in place of what the message showed; its buttons too. */
  async editMessage(to: Address, messageId: number, payload: Payload): Promise<void> {
    const edit = (entities: readonly Entity[]) =>
      this.#sending.editMessageText({ chat_id: to.chatId, message_id: messageId, ...bodyOf(payload, entities) });
    await this.#call('editMessageText', true, () => orPlain(edit, payload).catch(acceptUnchanged));
  }

  async sendTyping(to: Address): Promise<void> {
    await this.#call('sendChatAction', true, () =>
      this.#sending.sendChatAction({ chat_id: to.chatId, ...threadOf(to), action: 'typing' }),
    );
  }

  /** Ends the waiting sign on a button, and shows the notice to the person who pressed it. */
  async answerPress(pressId: string, notice: string | undefined): Promise<void> {
    await this.#call('answerCallbackQuery', true, () =>
      this.#sending.answerCallbackQuery({
        callback_query_id: pressId,
        ...(notice && { text: notice, show_alert: true }),
      }),
    );
  }

  async announceCommands(): Promise<void> {
    await this.#call('setMyCommands', true, () => this.#sending.setMyCommands({ commands: botCommands }));
  }

  async #call<Result>(method: string, repeatable: boolean, request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      throw toChannelError(method, readFailure(error), repeatable);
    }
  }
}

function threadOf({ threadId }: Address): { message_thread_id?: number } {
  return threadId === undefined ? {} : { message_thread_id: Number(threadId) };
}

function bodyOf(payload: Payload, entities: readonly Entity[]) {
  return {
    text: payload.text,
    entities: [...entities],
    // A preview makes Telegram fetch the address: an address in a reply must tell nobody that it was written.
    link_preview_options: { is_disabled: true },
    // An edit without buttons takes them away.
    ...(payload.keyboard.length > 0 && { reply_markup: { inline_keyboard: payload.keyboard.map((row) => [...row]) } }),
  };
}

/** Formatting that Telegram refuses must not cost the message: it goes without. */
async function orPlain<Result>(
  request: (entities: readonly Entity[]) => Promise<Result>,
  payload: Payload,
): Promise<Result> {
  try {
    return await request(payload.entities);
  } catch (error) {
    if (payload.entities.length > 0 && isRefusal(error, /entit/i)) return await request([]);
    throw error;
  }
}

function acceptUnchanged(error: unknown): void {
  if (!isRefusal(error, /message is not modified/)) throw error;
}

function isRefusal(error: unknown, description: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && description.test(error.description);
}

function expect<Shape extends z.ZodType>(shape: Shape, answer: unknown, method: string): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (!success) throw new UnexpectedAnswer(`${method} was answered with something that the Bot API does not say`);
  return data;
}

type ClientSignal = NonNullable<Parameters<RawApi['getMe']>[0]>;

/** grammY's types name the signal of a polyfill; it only uses what Node's signals have too. */
function toClientSignal(signal: AbortSignal): ClientSignal {
  return signal as unknown as ClientSignal;
}
