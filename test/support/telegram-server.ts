import type { Update, UserFromGetMe } from 'grammy/types';
import type { CallLog } from './call-log.ts';
import type { ActiveFault } from './fault-rules.ts';
import { methodFaults } from './method-faults.ts';
import { BotMethods } from './telegram/bot-methods.ts';
import { asSender, botId, makeBot } from './telegram/bot-user.ts';
import { type ApiCall, makeCallLog } from './telegram/call-log.ts';
import { type CallbackAnswer, Callbacks } from './telegram/callbacks.ts';
import { Chats, type ShownMessage } from './telegram/chats.ts';
import { describeCall, describeMessage } from './telegram/describe.ts';
import { Drafts, type ShownDraft } from './telegram/drafts.ts';
import type { Fault, FaultKind, FaultRule, Faults } from './telegram/faults.ts';
import { Files } from './telegram/files.ts';
import { HttpDoor } from './telegram/http-door.ts';
import { MessageMethods } from './telegram/message-methods.ts';
import { methodTable } from './telegram/method-table.ts';
import { makeChat, People, type PressOptions, type SayOptions } from './telegram/people.ts';
import { UpdateQueue } from './telegram/update-queue.ts';
import { isWanted, type WantedMessage } from './telegram/wanted-message.ts';
import { Changes, type Found, type WaitOptions } from './wait-for.ts';

export interface TelegramServerOptions {
  /** In milliseconds since 1970. What is kept for a while goes by it; a long poll does not. */
  readonly now?: () => number;
  readonly username?: string;
}

/** A press of a button, and what the bot says to it. */
export interface Press {
  readonly id: string;
  readonly update: Update;
  /** Waits, from when it is first asked for, until the bot answers the press. */
  readonly answered: Promise<CallbackAnswer>;
}

const callsToTell = 12;

/**
 * A Bot API server of our own, as strict as the real one, with the people at the other end. It listens on this machine
 * only; each test starts its own.
 */
export class TelegramServer {
  /** What the channel takes as `api_root`. */
  readonly root: string;
  readonly token: string;
  readonly bot: UserFromGetMe;
  /** What people do beside saying, editing and pressing. */
  readonly people: People;
  readonly #chats: Chats;
  readonly #updates: UpdateQueue;
  readonly #callbacks: Callbacks;
  readonly #files: Files;
  readonly #drafts: Drafts;
  readonly #faults: Faults;
  readonly #calls: CallLog<ApiCall>;
  readonly #changes: Changes;
  readonly #door: HttpDoor;

  private constructor(parts: Parts, port: number) {
    this.root = `http://127.0.0.1:${port}`;
    this.token = parts.token;
    this.bot = parts.bot;
    this.#chats = parts.chats;
    this.#updates = parts.updates;
    this.#callbacks = parts.callbacks;
    this.people = new People(parts);
    this.#files = parts.files;
    this.#drafts = parts.drafts;
    this.#faults = parts.faults;
    this.#calls = parts.calls;
    this.#changes = parts.changes;
    this.#door = parts.door;
  }

  static async start(options: TelegramServerOptions = {}): Promise<TelegramServer> {
    const parts = makeParts(options);
    return new TelegramServer(parts, await parts.door.server.open());
  }

  async close(): Promise<void> {
    const { server } = this.#door;
    await server.close();
    if (server.mistakes.length > 0) throw new AggregateError(server.mistakes, 'The fake Telegram is wrong.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** What a person sees in the chat now, the oldest first. */
  chat(chatId: number): readonly ShownMessage[] {
    return this.#chats.shown(chatId);
  }

  /** What a person sees of a message that is being written, if anything. */
  draft(chatId: number): ShownDraft | undefined {
    return this.#drafts.shown(chatId);
  }

  /** Makes a chat that the bot may write to before anybody has said something there. */
  addChat(chatId: number, options: Pick<SayOptions, 'type' | 'title'> = {}): void {
    this.#chats.open(makeChat(chatId, options));
  }

  /** Puts a file where the bot can fetch it with getFile; gives its id. */
  addFile(name: string, bytes: Buffer): string {
    return this.#files.add({ name, bytes });
  }

  say(chatId: number, text: string, options: SayOptions = {}): Update {
    return this.people.say(chatId, text, options);
  }

  /** Changes what a person said. */
  edit(chatId: number, messageId: number, text: string): Update {
    return this.people.edit(chatId, messageId, text);
  }

  /** Presses a button of a message, by its data or its label. Throws if it is not there, unless it is forged. */
  press(chatId: number, messageId: number, dataOrLabel: string, options: PressOptions = {}): Press {
    const { id, update } = this.people.press(chatId, messageId, dataOrLabel, options);
    const answer = (): Promise<CallbackAnswer> =>
      this.waitFor(() => this.#callbacks.answerTo(id), { what: `an answer to the press of "${dataOrLabel}"` });
    let answered: Promise<CallbackAnswer> | undefined;
    return {
      id,
      update,
      get answered() {
        answered ??= answer();
        return answered;
      },
    };
  }

  /** Delivers an update once more, even if it was confirmed. */
  redeliver(update: Update): void {
    this.#updates.addAgain(update);
  }

  /** While a webhook is set, nobody can poll. */
  setWebhook(url: string): void {
    this.#updates.webhookUrl = url;
  }

  /** Waits until the bot shows such a message in the chat: a text that it contains, a pattern, or a condition. */
  waitForMessage(chatId: number, wanted: WantedMessage, timeoutMs?: number): Promise<ShownMessage> {
    const what = typeof wanted === 'function' ? 'a message of the bot' : `a message of the bot with ${wanted}`;
    return this.waitFor(
      () => this.chat(chatId).findLast((message) => message.from === 'bot' && isWanted(message, wanted)),
      { what: `${what} in the chat ${chatId}`, ...(timeoutMs !== undefined && { timeoutMs }) },
    );
  }

  /** Looks again after every request and everything that a person does. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.#changes.waitFor(look, { describe: () => this.#describe(), ...options });
  }

  get calls(): readonly ApiCall[] {
    return this.#calls.all;
  }

  callsOf(method: string): readonly ApiCall[] {
    return this.#calls.of(method);
  }

  get polls(): number {
    return this.#calls.of('getUpdates').length;
  }

  /** The bot is given another token, as by @BotFather's /revoke: the one before is refused. */
  exchangeToken(): string {
    const token = `${botId}:${'U'.repeat(35)}`;
    this.#door.exchangeToken(token);
    return token;
  }

  /** How many connections the bot has made so far. */
  get connections(): number {
    return this.#door.server.connections;
  }

  /** Every update below it is confirmed; 0 before the first. */
  get confirmedOffset(): number {
    return this.#updates.confirmedOffset;
  }

  get pendingCount(): number {
    return this.#updates.pendingCount;
  }

  /** Whether a poll waits for what comes. */
  get isPolled(): boolean {
    return this.#updates.isPolled;
  }

  /** Makes requests go wrong. The rules are tried in the order in which they came. */
  fault(rule: FaultRule): ActiveFault {
    return this.#faults.add(rule);
  }

  clearFaults(): void {
    this.#faults.clear();
  }

  /** How many requests went wrong in that way. */
  faultsFired(kind: FaultKind): number {
    return this.#faults.fired(kind);
  }

  /** Resets every connection, old and new, until it is over. */
  outage(on: boolean): void {
    this.#door.server.outage(on);
  }

  /** Forgets what stands in the chats, what was uploaded, pressed and asked for. What is not confirmed yet stays. */
  forget(): void {
    for (const part of [this.#chats, this.#files, this.#callbacks, this.#calls]) part.forget();
  }

  #describe(): string {
    const chats = this.#chats.chatIds().flatMap((id) => [`Chat ${id}:`, ...this.chat(id).map(describeMessage)]);
    const calls = this.calls.slice(-callsToTell).map(describeCall);
    const mistakes = this.#door.server.mistakes.map((mistake) => `The fake itself failed: ${mistake}`);
    return [...chats, 'Last calls:', ...calls, ...mistakes].join('\n');
  }
}

type Parts = ReturnType<typeof makeParts>;

function makeParts({ now = Date.now, username = 'keyturn_test_bot' }: TelegramServerOptions) {
  const token = `${botId}:${'T'.repeat(35)}`;
  const bot = makeBot(username);
  const chats = new Chats(now);
  const updates = new UpdateQueue(now);
  const callbacks = new Callbacks(now);
  const files = new Files();
  const faults = methodFaults<Fault>();
  const calls = makeCallLog();
  const changes = new Changes();
  const drafts = new Drafts({ chats, now });
  const methods = methodTable({
    bot: new BotMethods({ bot, updates, callbacks, files }),
    messages: new MessageMethods({ bot: asSender(bot), chats, files, drafts, now }),
    drafts,
  });
  const door = new HttpDoor({ token, methods, files, faults, calls, changes, now });
  return { token, bot, chats, updates, callbacks, files, drafts, faults, calls, changes, door };
}
