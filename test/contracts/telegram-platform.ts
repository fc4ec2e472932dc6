import type { Update } from 'grammy/types';
import { telegram } from '../../channels/telegram/index.ts';
import type { Person } from '../../packages/fakes/src/telegram/people.ts';
import { TelegramServer } from '../../packages/fakes/src/telegram-server.ts';
import type { Conversation } from '../../src/contract.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { waitUntil } from '../support/wait-for.ts';
import {
  type AnsweringPlatform,
  faultsWith,
  type MovingPlatform,
  type SociablePlatform,
  type Who,
  withButton,
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

const home: Conversation = { channel: 'telegram', chatId: '42', kind: 'direct' };
const group: Conversation = { channel: 'telegram', chatId: String(groupId), kind: 'group' };
const movable: Conversation = { channel: 'telegram', chatId: String(oldGroupId), kind: 'group' };

/** A Telegram of our own, with everything that Telegram can do. */
export async function openTelegram(
  wishes: TelegramWishes = {},
): Promise<SociablePlatform & AnsweringPlatform & MovingPlatform> {
  const server = await TelegramServer.start();
  for (const id of [42, groupId, oldGroupId]) server.addChat(id);
  const groups: JsonObject = { [groupId]: { require_mention: true }, [oldGroupId]: {} };
  const { token, root: api_root } = server;
  const settings = { enabled: true, token, api_root, allow_from: ['43'], groups, ...wishes };
  const mention = `@${server.bot.username} `;
  let last: Update | undefined;

  function seenIn({ chatId, threadId }: Conversation): string {
    const messages = server.chat(Number(chatId)).filter(({ from }) => from === 'bot');
    const here = messages.filter((message) => String(message.threadId ?? '') === (threadId ?? ''));
    return here.map(({ text }) => text).join('\n');
  }

  /** Somebody has to have said something, for a press to name a message. */
  function chatter(chatId: number): number {
    return server.say(chatId, 'chatter', { from: people.friend }).message?.message_id ?? 0;
  }

  return {
    ...{ channel: 'telegram', settings, owner: '42', home, group, movable, secret: token, gone: '987654', seenIn },
    nowhere: { channel: 'telegram', chatId: '999', kind: 'direct' },
    thread: { ...group, threadId: '7' },
    connect: () => telegram.create(settings),

    /** What is on its way to the platform would meet what the test does to it next. */
    async ready() {
      await waitUntil(() => server.isPolled, { what: 'a poll', everyMs: 3 });
    },

    close: () => server.close(),

    say(text) {
      last = server.say(42, text);
    },

    share(text) {
      const forwardedFrom = { type: 'hidden_user', sender_user_name: 'Mallory', date: 1 } as const;
      last = server.say(42, text, { forwardedFrom });
    },

    press(label) {
      last = server.press(42, withButton(server.chat(42), label).id, label).update;
    },

    seen: () => seenIn(home),
    deliverRubbish: () => deliverRubbish(server),
    repeat: () => last !== undefined && server.redeliver(last),
    isConfirmed: () => last !== undefined && server.confirmedOffset > last.update_id,

    message(ref) {
      const message = server.chat(42).find(({ id }) => String(id) === ref);
      return message && { text: message.text, buttons: message.buttons.map(({ label }) => label) };
    },

    idOf(who) {
      const person = people[who];
      return String(typeof person === 'number' ? person : person.id);
    },

    sayIn({ chatId, threadId }, text, who) {
      const topic = threadId === undefined ? {} : { threadId: Number(threadId), isTopic: true };
      last = server.say(Number(chatId), `${mention}${text}`, { from: people[who], ...topic });
    },

    replyInGroup(text) {
      const replyTo = chatter(groupId);
      last = server.say(groupId, `${mention}${text}`, { from: people.owner, replyTo, threadId: replyTo });
    },

    async pressIn({ chatId }, label, who) {
      const { id } = withButton(server.chat(Number(chatId)), label);
      return (await server.press(Number(chatId), id, label, { from: people[who] }).answered).text;
    },

    actionOf(label) {
      return withButton(server.chat(42), label).buttons.find((button) => button.label === label)?.data ?? '';
    },

    async forge({ chatId }, actionId, who) {
      const message = server.chat(Number(chatId)).at(-1)?.id ?? chatter(Number(chatId));
      const press = server.press(Number(chatId), message, actionId, { from: people[who], forged: true });
      return (await press.answered).text;
    },

    called() {
      const entities = server.chat(groupId).flatMap((message) => (message.from === 'bot' ? message.entities : []));
      return entities.flatMap((entity) => {
        if (entity.type === 'text_mention') return [String(entity.user.id)];
        return entity.type === 'text_link' && entity.url.startsWith('tg://user') ? [entity.url] : [];
      });
    },

    fail: (fault) => server.fault({ method: 'sendMessage', times: 1, ...faults[fault] }),
    outage: (isOn) => server.outage(isOn),
    fallSilent: () => server.fault({ method: '*', kind: 'hang' }),

    async speakAgain() {
      const meetsIt = (): boolean => server.callsOf('getUpdates').at(-1)?.fault === 'hang';
      await server.waitFor(meetsIt, { what: 'a poll that is not answered' });
      server.clearFaults();
    },

    revoke: () => server.fault({ method: '*', kind: 'status', status: 401, description: 'Unauthorized' }),
    restore: () => server.clearFaults(),
    attempts: () => server.calls.length,
    failChange: (fault) => server.fault({ method: 'editMessageText', times: 1, ...faults[fault] }),
    changes: () => server.callsOf('editMessageText').length,

    attach({ kind, ...file }, caption) {
      last = server.people.send(42, { ...file, type: kind === 'image' ? 'photo' : 'document' }, { caption });
    },

    files: () => server.chat(42).flatMap(({ from, file }) => (from === 'bot' && file !== undefined ? [file] : [])),

    answer(words, text) {
      const answered = server.chat(42).findLast((message) => message.text.includes(words));
      last = server.say(42, text, answered && { replyTo: answered.id });
    },

    answered(ref) {
      const messages = server.chat(42);
      const replyTo = messages.find(({ id }) => String(id) === ref)?.replyTo;
      return messages.find(({ id }) => id === replyTo)?.text;
    },

    marks: () => server.chat(42).findLast(({ from }) => from === 'user')?.reactions ?? [],

    correct(text) {
      const said = last?.message ?? last?.edited_message;
      if (said === undefined) throw new Error('Nobody has said anything.');
      last = server.edit(said.chat.id, said.message_id, `${said.chat.type === 'private' ? '' : mention}${text}`);
    },

    move() {
      server.people.migrate(oldGroupId, newGroupId);
      return { ...movable, chatId: String(newGroupId) };
    },

    forget: () => server.forget(),
  };
}
