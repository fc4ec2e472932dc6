import { describe, expect, test } from 'vitest';
import { conversationId, type Receipt } from '../../src/contract.ts';
import { foundWithin, waitUntil } from '../support/wait-for.ts';
import { adapterRepeats } from './adapter-repeats.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { buttons, card, connected, reply, sees } from './connected-adapter.ts';

/** What people do arrives as it was done. */
export function adapterEvents(setting: ChannelSetting): void {
  const { open, confirming, sharing } = setting;
  describe('events', () => {
    test('a message says who wrote it, where, when and what', async () => {
      const { platform, host } = await connected(open);
      platform.say('größe 👍🏽 한 👩‍👩‍👧‍👦');
      const [event] = await host.receives(1);
      expect(event).toMatchObject({
        type: 'message',
        text: 'größe 👍🏽 한 👩‍👩‍👧‍👦',
        addressed: true,
        sender: { id: platform.owner, isPerson: true },
        conversation: { channel: platform.channel, kind: 'direct' },
      });
      expect(event && conversationId(event.conversation)).toBe(conversationId(platform.home));
      const age = event?.type === 'message' ? Math.abs(host.clock.now() - event.sentAt) : Number.NaN;
      expect(age).toBeLessThan(60_000);
    });

    test.each(['a < b && c > "d" &amp; &lt;e&gt;', '*not* _markup_ `here` ~at~ all', '</code> <@42> <!channel>'])(
      'a person wrote %s, and that is what arrives',
      async (text) => {
        const { platform, host } = await connected(open);
        platform.say(text);
        await host.receives(1);
        expect(host.words).toEqual([text]);
      },
    );

    if (sharing !== undefined)
      test.each(['look', '/approve k3f9', 'yes'])(
        'what a person passes on is no word of theirs, and stands with its author: %s',
        async (text) => {
          const { platform, host } = await connected(sharing);
          platform.share(text);
          const [event] = await host.receives(1);
          expect(event).toMatchObject({
            type: 'message',
            text: '',
            shared: [{ how: 'forwarded', text, isOwn: false }],
            sender: { id: platform.owner, isPerson: true },
          });
        },
      );

    test('messages arrive in their order, and the same words twice are two events', async () => {
      const { platform, host } = await connected(open);
      for (const text of ['one', 'two', 'two', 'three']) platform.say(text);
      await host.receives(4);
      expect(host.words).toEqual(['one', 'two', 'two', 'three']);
      expect(new Set(host.received.map(({ key }) => key)).size).toBe(4);
    });

    test('a press comes back with the action of its button and the id of who pressed', async () => {
      const { platform, adapter, host } = await connected(open);
      for (const button of Object.values(buttons)) {
        const text = `May I? ${button.label}`;
        const messageRef = await adapter.send(platform.home, { ...card(text), id: `c${button.label}`.toLowerCase() });
        await sees(platform, text);
        platform.press(button.label);
        const event = await host.hears(button.actionId);
        expect(event).toMatchObject({ type: 'action', sender: { id: platform.owner, isPerson: true }, messageRef });
        expect(conversationId(event.conversation)).toBe(conversationId(platform.home));
      }
      expect(new Set(host.received.map(({ key }) => key)).size).toBe(2);
    });

    test('what it sends itself causes no event', async () => {
      const { platform, adapter, host } = await connected(open);
      const ref = await adapter.send(platform.home, reply('one'));
      await adapter.edit?.(platform.home, ref, reply('two'));
      await sees(platform, 'two');
      platform.say('three');
      await host.hears('three');
      expect(host.words).toEqual(['three']);
    });

    test('what no sound client sends ends nothing, and no event of it lacks a key or a sender', async () => {
      const { platform, host } = await connected(open);
      await platform.deliverRubbish();
      platform.say('still there');
      await host.hears('still there');
      await host.is('connected');
      // Whose message was taken back need not be told.
      for (const { type, key, sender } of host.received)
        expect(type === 'deletion' ? [key] : [key, sender.id]).not.toContain('');
    });

    if (confirming !== undefined) {
      test('the platform is told that a message arrived when it is stored, and not before', async () => {
        const { platform, host } = await connected(confirming);
        const stored = Promise.withResolvers<Receipt>();
        host.store = () => stored.promise;
        platform.say('hello');
        await host.hears('hello');
        expect(await foundWithin(10, () => platform.isConfirmed())).toBeUndefined();
        stored.resolve({});
        await waitUntil(() => platform.isConfirmed(), { what: 'the message to be acknowledged' });
      });

      test('the platform is told that a press arrived when it is stored, and not before', async () => {
        const { platform, adapter, host } = await connected(confirming);
        await adapter.send(platform.home, card());
        const stored = Promise.withResolvers<Receipt>();
        host.store = () => stored.promise;
        platform.press('Approve');
        await host.feels();
        expect(await foundWithin(10, () => platform.isConfirmed())).toBeUndefined();
        stored.resolve({});
        await waitUntil(() => platform.isConfirmed(), { what: 'the press to be acknowledged' });
      });
    }

    adapterRepeats(setting);
  });
}
