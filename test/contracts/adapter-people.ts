import { describe, expect, test } from 'vitest';
import { conversationId } from '../../src/contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { card, connected, reply } from './connected-adapter.ts';

/** Who is who, and where, among many. */
export function adapterPeople({ crowded, threaded, moving }: ChannelSetting): void {
  if (crowded === undefined) return;
  describe('other people', () => {
    test('are told apart by their ids, and programs are no persons', async () => {
      const { platform, host } = await connected(crowded);
      for (const who of ['friend', 'bot', 'stranger'] as const) platform.sayIn(platform.group, `I am ${who}`, who);
      await host.hears('I am stranger');
      const people = host.received.filter(({ sender }) => sender.id !== platform.idOf('bot'));
      const bots = host.received.filter(({ sender }) => sender.id === platform.idOf('bot'));
      const ids = new Set(people.map(({ sender }) => sender.id));
      expect([...ids]).toEqual([platform.idOf('friend'), platform.idOf('stranger')]);
      expect(people.every(({ sender }) => sender.isPerson)).toBe(true);
      // A channel may keep what programs say to itself.
      expect(bots.some(({ sender }) => sender.isPerson)).toBe(false);
    });

    test('a press says who pressed and where, and only they are told the notice', async () => {
      const { platform, adapter, host } = await connected(crowded);
      platform.sayIn(platform.group, 'hello', 'owner');
      await host.hears('hello');
      host.store = async () => ({ notice: 'Not yours.' });
      await adapter.send(platform.group, card());
      const before = platform.seenIn(platform.group);
      expect(await platform.pressIn(platform.group, 'Approve', 'friend')).toBe('Not yours.');
      const event = await host.feels();
      expect(event.sender).toMatchObject({ id: platform.idOf('friend'), isPerson: true });
      expect(conversationId(event.conversation)).toBe(conversationId(platform.group));
      expect(platform.seenIn(platform.group)).toBe(before);
    });

    test('nobody is called by what a model writes', async () => {
      const { platform, adapter, host } = await connected(crowded);
      platform.sayIn(platform.group, 'hello', 'owner');
      await host.hears('hello');
      const ids = (['owner', 'friend', 'stranger'] as const).map((who) => platform.idOf(who));
      const calls = ids.flatMap((id) => [`<@${id}>`, `<@!${id}>`, `[you](tg://user?id=${id})`]);
      const markdown = `@everyone @here <!channel> <!here> <!everyone> ${calls.join(' ')}`;
      await adapter.send(platform.group, reply(markdown));
      expect(platform.seenIn(platform.group)).toContain('@everyone');
      expect(platform.called()).toEqual([]);
    });

    if (threaded !== undefined) {
      test('a message in a thread is answered in the thread', async () => {
        const { platform, adapter, host } = await connected(threaded);
        platform.sayIn(platform.thread, 'hello', 'owner');
        const { conversation } = await host.hears('hello');
        expect(conversationId(conversation)).toBe(conversationId(platform.thread));
        await adapter.showTyping?.(conversation);
        await adapter.send(conversation, reply('in the thread'));
        expect(platform.seenIn(platform.thread)).toContain('in the thread');
        expect(platform.seenIn(platform.group)).not.toContain('in the thread');
      });

      test('an answer to a message in the group is in no thread, and is answered in the group', async () => {
        const { platform, adapter, host } = await connected(threaded);
        platform.replyInGroup('what do you mean?');
        const { conversation } = await host.hears('what do you mean?');
        expect(conversationId(conversation)).toBe(conversationId(platform.group));
        await adapter.send(conversation, reply('just that'));
        expect(platform.seenIn(platform.group)).toContain('just that');
      });
    }

    if (moving !== undefined) {
      test('a group that gets another id is told, and what is sent to the old one says where it is now', async () => {
        const { platform, adapter, host } = await connected(moving);
        const now = platform.move();
        platform.sayIn(now, 'here we are', 'owner');
        const { conversation } = await host.hears('here we are');
        expect(conversationId(conversation)).toBe(conversationId(now));
        const moves = host.moves.map(({ from, chatId }) => [conversationId(from), chatId]);
        expect(new Set(moves.map(String))).toEqual(new Set([String([conversationId(platform.movable), now.chatId])]));
        const sending = adapter.send(platform.movable, reply('too late'));
        await expect(sending).rejects.toMatchObject({ fault: { type: 'moved', chatId: now.chatId } });
        await adapter.send(now, reply('in time'));
        expect(platform.seenIn(now)).toBe('in time');
      });
    }
  });
}
