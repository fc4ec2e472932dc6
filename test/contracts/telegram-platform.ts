import type { Update } from 'grammy/types';
import { telegram } from '../../channels/telegram/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { ShownMessage } from '../support/telegram/chats.ts';
import type { Person } from '../support/telegram/people.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import {
  type AnsweringPlatform,
  faultsWith,
  type MovingPlatform,
  type NetworkFault,
  type PersonalFile,
  type SeenFile,
  type SociablePlatform,
  type StandingMessage,
  type Who,
} from './platform.ts';
import { deliverRubbish } from './telegram-rubbish.ts';

const people: Readonly<Record<Who, Person>> = {
  owner: 42,
  friend: 43,
  stranger: 44,
  bot: { id: 45, is_bot: true, first_name: 'Other', username: 'other_bot' },
};
const groupId = -1_001_000_000_042;
const [oldGroupId, newGroupId] = [-500, -1_001_000_000_500];

/** What is to be set other than it is at first. */
interface TelegramWishes {
  readonly drafts?: boolean;
  readonly reactions?: boolean;
  readonly poll_timeout_secs?: number;
  readonly poll_grace_secs?: number;
}

const faults = faultsWith(
  { kind: 'status', status: 403, description: 'Forbidden: bot was blocked by the user' } as const,
  { kind: 'status', status: 401, description: 'Unauthorized' } as const,
);

/** A Telegram of our own, with everything that Telegram can do. */
export class TelegramPlatform implements SociablePlatform, AnsweringPlatform, MovingPlatform {
  readonly channel = 'telegram';
  readonly owner = '42';
  readonly home: Conversation = { channel: 'telegram', chatId: '42', kind: 'direct' };
  readonly nowhere: Conversation = { channel: 'telegram', chatId: '999', kind: 'direct' };
  readonly group: Conversation = { channel: 'telegram', chatId: String(groupId), kind: 'group' };
  readonly thread: Conversation = { ...this.group, threadId: '7' };
  readonly movable: Conversation = { channel: 'telegram', chatId: String(oldGroupId), kind: 'group' };
  readonly gone = '987654';
  readonly #server: TelegramServer;
  readonly #wishes: TelegramWishes;
  #last: Update | undefined;

  private constructor(server: TelegramServer, wishes: TelegramWishes) {
    this.#server = server;
    this.#wishes = wishes;
    server.addChat(42);
    server.addChat(groupId);
    server.addChat(oldGroupId);
  }

  static async open(wishes: TelegramWishes = {}): Promise<TelegramPlatform> {
    return new TelegramPlatform(await TelegramServer.start(), wishes);
  }

  get secret(): string {
    return this.#server.token;
  }

  get settings() {
    const { token, root } = this.#server;
    const groups: JsonObject = { [groupId]: { require_mention: true }, [oldGroupId]: {} };
    return { enabled: true, token, api_root: root, allow_from: ['43'], groups, ...this.#wishes };
  }

  connect(): ChannelAdapter {
    return telegram.create(this.settings);
  }

  /** What is on its way to the platform would meet what the test does to it next. */
  async ready(): Promise<void> {
    await waitUntil(() => this.#server.isPolled, { what: 'a poll', everyMs: 3 });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  say(text: string): void {
    this.#last = this.#server.say(42, text);
  }

  share(text: string): void {
    const forwardedFrom = { type: 'hidden_user', sender_user_name: 'Mallory', date: 1 } as const;
    this.#last = this.#server.say(42, text, { forwardedFrom });
  }

  press(label: string): void {
    this.#last = this.#server.press(42, this.#withButton(42, label).id, label).update;
  }

  seen(): string {
    return this.seenIn(this.home);
  }

  deliverRubbish(): Promise<void> {
    return deliverRubbish(this.#server);
  }

  repeat(): void {
    if (this.#last !== undefined) this.#server.redeliver(this.#last);
  }

  isConfirmed(): boolean {
    return this.#last !== undefined && this.#server.confirmedOffset > this.#last.update_id;
  }

  message(ref: string): StandingMessage | undefined {
    const message = this.#server.chat(42).find(({ id }) => String(id) === ref);
    return message && { text: message.text, buttons: message.buttons.map(({ label }) => label) };
  }

  idOf(who: Who): string {
    const person = people[who];
    return String(typeof person === 'number' ? person : person.id);
  }

  sayIn({ chatId, threadId }: Conversation, text: string, who: Who): void {
    const topic = threadId === undefined ? {} : { threadId: Number(threadId), isTopic: true };
    const mention = `@${this.#server.bot.username} ${text}`;
    this.#last = this.#server.say(Number(chatId), mention, { from: people[who], ...topic });
  }

  replyInGroup(text: string): void {
    const first = this.#server.say(groupId, 'something', { from: people.friend });
    const replyTo = first.message?.message_id;
    if (replyTo === undefined) throw new Error('The fake Telegram has given no message.');
    const mention = `@${this.#server.bot.username} ${text}`;
    this.#last = this.#server.say(groupId, mention, { from: people.owner, replyTo, threadId: replyTo });
  }

  async pressIn({ chatId }: Conversation, label: string, who: Who): Promise<string> {
    const { id } = this.#withButton(Number(chatId), label);
    return (await this.#server.press(Number(chatId), id, label, { from: people[who] }).answered).text;
  }

  actionOf(label: string): string {
    return this.#withButton(42, label).buttons.find((button) => button.label === label)?.data ?? '';
  }

  async forge({ chatId }: Conversation, actionId: string, who: Who): Promise<string> {
    const message = this.#server.chat(Number(chatId)).at(-1)?.id ?? this.#chatter(Number(chatId));
    const press = this.#server.press(Number(chatId), message, actionId, { from: people[who], forged: true });
    return (await press.answered).text;
  }

  seenIn({ chatId, threadId }: Conversation): string {
    const messages = this.#server.chat(Number(chatId)).filter(({ from }) => from === 'bot');
    const here = messages.filter((message) => String(message.threadId ?? '') === (threadId ?? ''));
    return here.map(({ text }) => text).join('\n');
  }

  called(): readonly string[] {
    const entities = this.#server.chat(groupId).flatMap((message) => (message.from === 'bot' ? message.entities : []));
    return entities.flatMap((entity) => {
      if (entity.type === 'text_mention') return [String(entity.user.id)];
      return entity.type === 'text_link' && entity.url.startsWith('tg://user') ? [entity.url] : [];
    });
  }

  fail(fault: NetworkFault): void {
    this.#server.fault({ method: 'sendMessage', times: 1, ...faults[fault] });
  }

  outage(isOn: boolean): void {
    this.#server.outage(isOn);
  }

  fallSilent(): void {
    this.#server.fault({ method: '*', kind: 'hang' });
  }

  async speakAgain(): Promise<void> {
    const meetsIt = (): boolean => this.#server.callsOf('getUpdates').at(-1)?.fault === 'hang';
    await this.#server.waitFor(meetsIt, { what: 'a poll that is not answered' });
    this.#server.clearFaults();
  }

  revoke(): void {
    this.#server.fault({ method: '*', kind: 'status', status: 401, description: 'Unauthorized' });
  }

  restore(): void {
    this.#server.clearFaults();
  }

  attempts(): number {
    return this.#server.calls.length;
  }

  failChange(fault: NetworkFault): void {
    this.#server.fault({ method: 'editMessageText', times: 1, ...faults[fault] });
  }

  changes(): number {
    return this.#server.callsOf('editMessageText').length;
  }

  attach({ kind, ...file }: PersonalFile, caption: string): void {
    const type = kind === 'image' ? 'photo' : 'document';
    this.#last = this.#server.people.send(42, { ...file, type }, { caption });
  }

  files(): readonly SeenFile[] {
    return this.#server.chat(42).flatMap(({ from, file }) => (from === 'bot' && file !== undefined ? [file] : []));
  }

  answer(words: string, text: string): void {
    const answered = this.#server.chat(42).findLast((message) => message.text.includes(words));
    this.#last = this.#server.say(42, text, answered && { replyTo: answered.id });
  }

  answered(ref: string): string | undefined {
    const messages = this.#server.chat(42);
    const replyTo = messages.find(({ id }) => String(id) === ref)?.replyTo;
    return messages.find(({ id }) => id === replyTo)?.text;
  }

  marks(): readonly string[] {
    return this.#server.chat(42).findLast(({ from }) => from === 'user')?.reactions ?? [];
  }

  correct(text: string): void {
    const said = this.#last?.message ?? this.#last?.edited_message;
    if (said === undefined) throw new Error('Nobody has said anything.');
    const mention = said.chat.type === 'private' ? '' : `@${this.#server.bot.username} `;
    this.#last = this.#server.edit(said.chat.id, said.message_id, `${mention}${text}`);
  }

  move(): Conversation {
    this.#server.people.migrate(oldGroupId, newGroupId);
    return { ...this.movable, chatId: String(newGroupId) };
  }

  forget(): void {
    this.#server.forget();
  }

  #withButton(chatId: number, label: string): ShownMessage {
    const found = this.#server.chat(chatId).findLast(({ buttons }) => buttons.some((button) => button.label === label));
    if (found === undefined) throw new Error(`There is no button "${label}" in the chat ${chatId}.`);
    return found;
  }

  /** Somebody has to have said something, for a press to name a message. */
  #chatter(chatId: number): number {
    return this.#server.say(chatId, 'chatter', { from: people.friend }).message?.message_id ?? 0;
  }
}
