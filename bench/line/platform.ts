import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message that a bot has sent, or has changed. */
export interface Shown {
  readonly chat: number;
  readonly id: number;
  readonly text: string;
  readonly buttons: readonly Button[];
}

export interface Button {
  readonly label: string;
  readonly data: string;
}

interface Parameters {
  readonly offset?: number | string;
  readonly timeout?: number | string;
  readonly chat_id?: number | string;
  readonly message_id?: number | string;
  readonly text?: string;
  readonly reply_markup?: unknown;
}

const bot = { id: 4242, is_bot: true, first_name: 'Bench', username: 'bench_bot' };
const mostUpdates = 100;

/**
 * A Telegram for one bot, over loopback: long polls, messages, edits, presses. It does as little as it can, so that it costs little
 * beside what is measured, and answers what it does not know with `true`.
 */
export class Platform {
  readonly #server: Server;
  readonly #waiting: { readonly id: number; readonly json: string }[] = [];
  #poll: { readonly offset: number; readonly response: ServerResponse; readonly timer: NodeJS.Timeout } | undefined;
  // Later than those of all runs before, as with the real one.
  #updates = Math.floor(Date.now() / 1000);
  #messages = Math.floor(Date.now() / 1000) % 1e8;
  /** How often the bot has asked for each method. */
  readonly asked = new Map<string, number>();

  /** Is told of each message that people see. */
  onShown: (message: Shown) => void = () => {};

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open(): Promise<Platform> {
    const platform = new Platform();
    await listening(platform.#server);
    return platform;
  }

  get root(): string {
    return rootOf(this.#server);
  }

  /** A person writes. */
  say(chat: number, text: string): void {
    this.#messages += 1;
    const from = { id: chat, is_bot: false, first_name: `U${chat}`, username: `user${chat}`, language_code: 'en' };
    const message = {
      message_id: this.#messages,
      date: Math.floor(Date.now() / 1000),
      chat: chatOf(chat),
      from,
      text,
    };
    this.#push({ message });
  }

  /** A person presses a button of a message. */
  press({ chat, id, text }: Shown, { data }: Button): void {
    const from = { id: chat, is_bot: false, first_name: `U${chat}`, username: `user${chat}`, language_code: 'en' };
    const message = { message_id: id, date: 1, chat: chatOf(chat), from: bot, text };
    this.#push({ callback_query: { id: `${this.#updates}`, from, chat_instance: '1', data, message } });
  }

  async close(): Promise<void> {
    clearTimeout(this.#poll?.timer);
    await closed(this.#server);
  }

  #push(update: Readonly<Record<string, unknown>>): void {
    this.#updates += 1;
    const id = this.#updates;
    this.#waiting.push({ id, json: JSON.stringify({ update_id: id, ...update }) });
    this.#hand();
  }

  /** Hands what waits to who asks for it. */
  #hand(): void {
    const poll = this.#poll;
    if (poll === undefined || this.#waiting.length === 0) return;
    this.#poll = undefined;
    clearTimeout(poll.timer);
    const updates = this.#waiting.slice(0, mostUpdates).map(({ json }) => json);
    reply(poll.response, `[${updates.join()}]`);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const method = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const parameters = { ...Object.fromEntries(new URLSearchParams(query)), ...parametersOf(await bodyOf(request)) };
    switch (method) {
      case 'getupdates':
        return this.#wait(parameters, response);
      case 'sendmessage':
      case 'editmessagetext':
        return reply(response, this.#show(parameters, method));
      case 'getme':
        return reply(response, JSON.stringify(bot));
      case 'getwebhookinfo':
        return reply(response, '{"url":"","has_custom_certificate":false,"pending_update_count":0}');
      case 'getmycommands':
        return reply(response, '[]');
      case 'getchat':
        return reply(response, JSON.stringify(chatOf(Number(parameters.chat_id))));
      default:
        return reply(response, 'true');
    }
  }

  #wait({ offset = 0, timeout = 0 }: Parameters, response: ServerResponse): void {
    const from = Number(offset);
    while ((this.#waiting[0]?.id ?? from) < from) this.#waiting.shift();
    if (this.#poll !== undefined) reply(this.#poll.response, '[]');
    clearTimeout(this.#poll?.timer);
    const timer = setTimeout(() => this.#giveUp(response), Number(timeout) * 1000);
    this.#poll = { offset: from, response, timer };
    response.on('close', () => this.#forget(response));
    this.#hand();
  }

  #giveUp(response: ServerResponse): void {
    this.#forget(response);
    reply(response, '[]');
  }

  #forget(response: ServerResponse): void {
    if (this.#poll?.response !== response) return;
    clearTimeout(this.#poll.timer);
    this.#poll = undefined;
  }

  #show({ chat_id, message_id, text = '', reply_markup }: Parameters, method: string): string {
    const chat = Number(chat_id);
    if (method === 'sendmessage') this.#messages += 1;
    const id = method === 'sendmessage' ? this.#messages : Number(message_id);
    this.onShown({ chat, id, text, buttons: buttonsIn(reply_markup) });
    return JSON.stringify({ message_id: id, date: Math.floor(Date.now() / 1000), chat: chatOf(chat), from: bot, text });
  }
}

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export async function listening(server: Server): Promise<void> {
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, '127.0.0.1'), 'listening');
}

export function rootOf(server: Server): string {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error('A server of the bench does not listen.');
  return `http://127.0.0.1:${address.port}`;
}

export async function closed(server: Server): Promise<void> {
  const end = once(server.close(), 'close');
  server.closeAllConnections();
  await end;
}

function parametersOf(body: string): Parameters {
  return body.startsWith('{') ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
}

function reply(response: ServerResponse, result: string): void {
  const body = `{"ok":true,"result":${result}}`;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function chatOf(chat: number): Readonly<Record<string, unknown>> {
  return { id: chat, type: 'private', first_name: `U${chat}` };
}

function buttonsIn(markup: unknown): readonly Button[] {
  const given = typeof markup === 'string' ? JSON.parse(markup) : markup;
  const rows: readonly (readonly { readonly text: string; readonly callback_data?: string }[])[] =
    given?.inline_keyboard ?? [];
  return rows.flat().map(({ text, callback_data = '' }) => ({ label: text, data: callback_data }));
}
