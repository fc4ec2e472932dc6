import { describe, expect, test } from 'vitest';
import type { ChannelAdapter, InboundEvent, MessageMark } from '../../src/contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { connected, reply, sees, start } from './connected-adapter.ts';

/** Messages name other messages: they answer, mark, change and remove them. */
export function adapterReferences({ answering, marking, correcting, removing }: ChannelSetting): void {
  if (answering !== undefined) {
    describe('answers to a message', () => {
      test('say which one, and are sent all the same where that is gone', async () => {
        const { platform, adapter, host } = await connected(answering);
        platform.say('which one?');
        platform.say('another');
        await host.receives(2);
        const replyTo = messageIdOf(await host.hears('which one?'));
        const ref = await adapter.send(platform.home, reply('this one', { replyTo }));
        await sees(platform, 'this one');
        expect(platform.answered(ref.id)).toBe('which one?');
        const other = await adapter.send(platform.home, reply('that one', { id: 'm2', replyTo: platform.gone }));
        await sees(platform, 'that one');
        expect(platform.answered(other.id)).toBeUndefined();
      });

      test('that a person gives bring what is answered with them, and whose it is', async () => {
        const { platform, adapter, host } = await connected(answering);
        await adapter.send(platform.home, reply('It rains.'));
        await sees(platform, 'It rains.');
        platform.answer('It rains.', 'since when?');
        const event = await host.hears('since when?');
        expect(event).toMatchObject({ text: 'since when?', quote: { text: 'It rains.', isOwn: true } });
        platform.answer('since when?', 'well?');
        const other = await host.hears('well?');
        expect(other).toMatchObject({ quote: { text: 'since when?', isOwn: false } });
      });
    });
  }

  if (marking !== undefined) {
    describe('marks', () => {
      test('take the place of each other, also in the next process, and the same one twice is no error', async () => {
        const { platform, adapter, host } = await connected(marking);
        platform.say('hello');
        const messageId = messageIdOf(await host.hears('hello'));
        const shown: string[] = [];
        const show = async (by: ChannelAdapter, marks: readonly MessageMark[]): Promise<void> => {
          for (const mark of marks) {
            await by.mark?.(platform.home, messageId, mark);
            expect(platform.marks()).toHaveLength(1);
            shown.push(...platform.marks());
          }
        };
        await show(adapter, ['seen', 'seen', 'working']);
        await adapter.stop();
        const next = await start(platform);
        await next.host.is('connected');
        await show(next.adapter, ['done', 'done']);
        const [seen, again, working, done, still] = shown;
        expect([again, working, still]).toEqual([seen, seen, done]);
        expect(done).not.toBe(seen);
      });

      test('of a message that is gone are refused for good, and the next message goes', async () => {
        const { platform, adapter } = await connected(marking);
        const mark = adapter.mark?.(platform.home, platform.gone, 'seen');
        await expect(mark).rejects.toMatchObject({ name: 'ChannelError', fault: { type: 'permanent' } });
        await adapter.send(platform.home, reply('still here'));
        await sees(platform, 'still here');
      });
    });
  }

  if (correcting !== undefined) {
    test('what a person changes names the message that it was, and each change has a key of its own', async () => {
      const { platform, adapter, host } = await connected(correcting);
      platform.say('the wether');
      const { key } = await host.hears('the wether');
      await adapter.stop();
      const next = await start(platform);
      await next.host.is('connected');
      for (const text of ['the wheather', 'the weather']) {
        platform.correct(text);
        const event = await next.host.hears(text);
        expect(event).toMatchObject({ type: 'edit', messageKey: key, sender: { id: platform.owner, isPerson: true } });
      }
      expect(new Set([key, ...next.host.received.map((event) => event.key)]).size).toBe(3);
    });
  }

  if (removing !== undefined) {
    test('what is removed is gone, the others stay, and removing it again is no error', async () => {
      const { platform, adapter } = await connected(removing);
      const ref = await adapter.send(platform.home, reply('one'));
      const other = await adapter.send(platform.home, reply('two', { id: 'm2' }));
      await adapter.remove?.(platform.home, ref);
      expect(platform.message(ref.id)).toBeUndefined();
      await adapter.remove?.(platform.home, ref);
      expect(platform.message(other.id)?.text).toBe('two');
      const change = adapter.edit?.(platform.home, ref, reply('changed'));
      await expect(change).rejects.toMatchObject({ name: 'ChannelError', fault: { type: 'permanent' } });
    });
  }
}

function messageIdOf(event: InboundEvent): string {
  if (event.type !== 'message' || event.messageId === undefined) throw new Error('The message has no id.');
  return event.messageId;
}
