import type { Update } from 'grammy/types';
import { telegram } from '../../channels/telegram/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import type { ShownMessage } from '../support/telegram/chats.ts';
import type { Person } from '../support/telegram/people.ts';
import { TelegramServer } from '../support/telegram-server.ts';
import { mutations } from './mutations.ts';
import {
  type ConfirmingPlatform,
  type EditingPlatform,
  type NetworkedPlatform,
  type NetworkFault,
  platformLimit,
  type RepeatingPlatform,
  type StandingMessage,
  type ThreadedPlatform,
  type Who,
} from './platform.ts';
import { telegramFaults } from './telegram-faults.ts';

type TelegramAbilities = RepeatingPlatform &
  ConfirmingPlatform &
  EditingPlatform &
  ThreadedPlatform &
  NetworkedPlatform;

const people: Readonly<Record<Who, Person>> = {
  owner: 42,
  friend: 43,
  stranger: 44,
  bot: { id: 45, is_bot: true, first_name: 'Other', username: 'other_bot' },
};
const groupId = -1_001_000_000_042;
const lastRubbish = 5_000;

/** A Telegram of our own, with everything that Telegram can do. */
export class TelegramPlatform implements TelegramAbilities {
  readonly channel = 'telegram';
  readonly owner = '42';
  readonly home: Conversation = { channel: 'telegram', chatId: '42', kind: 'direct' };
  readonly nowhere: Conversation = { channel: 'telegram', chatId: '999', kind: 'direct' };
  readonly group: Conversation = { channel: 'telegram', chatId: String(groupId), kind: 'group' };
  readonly thread: Conversation = { ...this.group, threadId: '7' };
  readonly #server: TelegramServer;
  #last: Update | undefined;

  private constructor(server: TelegramServer) {
    this.#server = server;
    server.addChat(42);
    server.addChat(groupId, { type: 'supergroup', title: 'Team' });
  }

  static async open(): Promise<TelegramPlatform> {
    return new TelegramPlatform(await TelegramServer.start());
  }

  get secret(): string {
    return this.#server.token;
  }

  get settings() {
    const { token, root } = this.#server;
    const groups = { [groupId]: { require_mention: true } };
    return { enabled: true, token, api_root: root, allow_from: ['43'], groups };
  }

  connect(): ChannelAdapter {
    return telegram.create(this.settings);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  say(text: string): void {
    this.#last = this.#server.say(42, text);
  }

  press(label: string): void {
    this.#last = this.#server.press(42, this.#withButton(42, label).id, label).update;
  }

  seen(): string {
    return this.seenIn(this.home);
  }

  async deliverRubbish(): Promise<void> {
    const result = [...rubbish(), null, 7, [], { update_id: 'x' }, { update_id: lastRubbish, message: null }];
    const body = JSON.stringify({ ok: true, result });
    // As everything else, it comes again until it is confirmed.
    let isConfirmed = false;
    const when = ({ offset }: Readonly<Record<string, unknown>>): boolean => {
      isConfirmed ||= offset === lastRubbish + 1;
      return !isConfirmed;
    };
    this.#server.fault({ method: 'getUpdates', kind: 'status', status: 200, body, when });
    this.#server.say(42, 'wake');
    await this.#server.waitFor(() => isConfirmed, { what: 'the rubbish to be confirmed' });
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
    this.#server.fault({ method: 'sendMessage', times: 1, ...telegramFaults(platformLimit)[fault] });
  }

  outage(isOn: boolean): void {
    this.#server.outage(isOn);
  }

  fallSilent(): void {
    this.#server.fault({ method: '*', kind: 'hang' });
  }

  revoke(): void {
    this.#server.fault({ method: '*', kind: 'status', status: 401, description: 'Unauthorized' });
  }

  attempts(): number {
    return this.#server.calls.length;
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

/** Updates with something in them that Telegram does not send. */
function rubbish(): readonly unknown[] {
  const from = { id: 42, is_bot: false, first_name: 'Person' };
  const chat = { id: 42, type: 'private', first_name: 'Person' };
  const entities = [{ type: 'mention', offset: 0, length: 5 }];
  const message = { message_id: 1, date: 1, chat, from, text: '@name sound', entities };
  const press = { id: '1', from, data: 'ap:k3f9abcd:a', chat_instance: '1', message };
  return [
    ...mutations({ update_id: 1_000, message: { ...message, reply_to_message: message } }, 150),
    ...mutations({ update_id: 2_000, callback_query: press }, 100),
  ];
}
