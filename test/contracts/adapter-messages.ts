import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChannelAdapter, ChannelError } from '../../src/contract.ts';
import { splitMarkdown } from '../../src/lib/split/split.ts';
import { anyText } from '../support/any-text.ts';
import { finishStream } from '../support/finish-stream.ts';
import { markdownDocuments, markdownSoup } from '../support/markdown-documents.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { card, connected, opened, reply, sees, timesSeen } from './connected-adapter.ts';
import { hostileTexts } from './hostile-texts.ts';
import { countFamilies, longAnswer, wordsIn } from './long-answer.ts';

/** What is sent can be read. */
export function adapterMessages({ open, editing, streaming }: ChannelSetting): void {
  describe('messages', () => {
    test('what is sent can be read, and its markup does not eat the text', async () => {
      const { platform, adapter } = await connected(open);
      await adapter.send(
        platform.home,
        reply('Close it with </code>, **say** @everyone or <!channel>: `<@42>` & so on.'),
      );
      await sees(platform, 'so on.');
      for (const part of ['</code>', '@everyone', '<!channel>', '<@42>', '& so on.']) {
        expect(platform.seen()).toContain(part);
      }
    });

    test('a change can be read, and the same change a second time is no error and shows nothing new', async () => {
      const { platform, adapter } = await connected(open);
      const ref = await adapter.send(platform.home, reply('one'));
      await adapter.edit?.(platform.home, ref, reply('**two**'));
      await sees(platform, 'two');
      const before = platform.seen();
      await adapter.edit?.(platform.home, ref, reply('**two**'));
      expect(platform.seen()).toBe(before);
      const asked = await adapter.send(platform.home, card());
      await adapter.edit?.(platform.home, asked, card());
      expect(timesSeen(platform, 'May I deploy?')).toBeGreaterThan(0);
    });

    test('nothing that fits is refused, whatever it says', async () => {
      const { platform, adapter } = await connected(open);
      const parts = [...hostileTexts, ...samples()].flatMap((markdown) => partsOf(markdown, adapter));
      for (const [index, part] of parts.entries()) {
        if (adapter.measure(part) > adapter.capabilities.maxLength) continue;
        await adapter.send(platform.home, reply(part, { id: `m${index}` }));
      }
      await adapter.send(platform.home, reply('the end', { id: 'end' }));
      await sees(platform, 'the end');
    });

    test('a measure is the same each time, and grows with the text', async () => {
      const adapter = (await opened(open)).connect();
      for (const markdown of [...hostileTexts, ...samples()]) {
        expect(adapter.measure(markdown)).toBe(adapter.measure(markdown));
        expect(adapter.measure(`${markdown}\n\n${markdown} word`)).toBeGreaterThanOrEqual(adapter.measure(markdown));
      }
    });

    test('50 kB in parts can be read from the first word to the last', async () => {
      const { platform, adapter } = await connected(open);
      const { markdown, words, families } = longAnswer();
      for (const [index, part] of partsOf(markdown, adapter).entries()) {
        expect(adapter.measure(part)).toBeLessThanOrEqual(adapter.capabilities.maxLength);
        await adapter.send(platform.home, reply(part, { id: `m${index}` }));
      }
      await sees(platform, words.at(-1) ?? '');
      expect(wordsIn(platform.seen())).toEqual(words);
      expect(countFamilies(platform.seen())).toBe(families);
    });

    test('a message to a place that is not there is refused for good', async () => {
      const { platform, adapter } = await connected(open);
      const error: unknown = await adapter.send(platform.nowhere, reply('hello')).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(ChannelError);
      expect(error).toMatchObject({ fault: { type: 'permanent' } });
    });

    test('what is sent after the stop arrives or fails with a ChannelError', async () => {
      const { platform, adapter } = await connected(open);
      await adapter.stop();
      const outcome: unknown = await adapter.send(platform.home, reply('hello')).catch((reason: unknown) => reason);
      if (outcome instanceof Error) expect(outcome).toBeInstanceOf(ChannelError);
      else await sees(platform, 'hello');
    });

    test('what shows that something is being done can be shown', async () => {
      const { platform, adapter } = await connected(open);
      await adapter.showTyping?.(platform.home);
      for (const state of ['wait', 'doing', 'doing', 'success', 'error'] as const) {
        adapter.showStatus?.(platform.home, { callId: 'c1', toolName: 'shell', state, tip: 'x'.repeat(5_000) });
      }
      await adapter.send(platform.home, reply('done'));
      await sees(platform, 'done');
    });

    if (editing !== undefined) {
      test('an edit changes the message that its ref names, and takes buttons away that it does not name', async () => {
        const { platform, adapter } = await connected(editing);
        const first = await adapter.send(platform.home, card('first'));
        const second = await adapter.send(platform.home, { ...card('second'), id: 'c2' });
        expect(platform.message(first.id)).toEqual({ text: 'first', buttons: ['Approve', 'Deny'] });
        await adapter.edit?.(platform.home, first, reply('changed'));
        expect(platform.message(first.id)).toEqual({ text: 'changed', buttons: [] });
        expect(platform.message(second.id)).toEqual({ text: 'second', buttons: ['Approve', 'Deny'] });
        await adapter.edit?.(platform.home, first, card('asked again'));
        expect(platform.message(first.id)).toEqual({ text: 'asked again', buttons: ['Approve', 'Deny'] });
      });

      test('a preview changes, or grows, and ends as the whole reply, which is there once and can be changed', async () => {
        const { platform, adapter } = await connected(editing);
        const preview = (text: string) =>
          reply(text, { id: 'm1p0', written: adapter.capabilities.grows ? text : undefined });
        const ref = await adapter.send(platform.home, preview('Hello there,'));
        for (const message of [preview('Hello there, my'), reply('Hello there, my friend.')])
          await adapter.edit?.(platform.home, ref, message);
        expect(platform.message(ref.id)?.text).toBe('Hello there, my friend.');
        expect(timesSeen(platform, 'Hello there')).toBe(1);
        await adapter.edit?.(platform.home, ref, reply('Goodbye.'));
        expect(platform.message(ref.id)?.text).toBe('Goodbye.');
      });
    }

    if (streaming !== undefined) {
      test('a reply that is shown while it is written is there once at the end, and can be changed', async () => {
        const { platform, adapter } = await connected(streaming);
        const stream = adapter.openStream?.(platform.home);
        for (const delta of ['Hello', ' there', ',']) stream?.push(delta);
        const ref = await finishStream(stream, reply('Hello there, friend.'));
        stream?.push('too late');
        await sees(platform, 'Hello there, friend.');
        expect(timesSeen(platform, 'Hello there')).toBe(1);
        expect(platform.seen()).not.toContain('too late');
        if (ref !== undefined) await adapter.edit?.(platform.home, ref, reply('Goodbye.'));
        await sees(platform, 'Goodbye.');
      });

      test('a reply is called off, also a second time, and one that ends differently from its preview is shown as it ends', async () => {
        const { platform, adapter } = await connected(streaming);
        const stream = adapter.openStream?.(platform.home);
        stream?.push('half a');
        await stream?.cancel();
        await stream?.cancel();
        const another = adapter.openStream?.(platform.home);
        another?.push('I think that');
        await finishStream(another, reply('No.'));
        await sees(platform, 'No.');
      });
    }
  });
}

function partsOf(markdown: string, adapter: ChannelAdapter): readonly string[] {
  const { maxLength } = adapter.capabilities;
  return splitMarkdown(markdown, { maxLength, measure: (text) => adapter.measure(text) });
}

function samples(): readonly string[] {
  const markdown = fc.oneof(anyText(), markdownSoup, markdownDocuments);
  return fc.sample(markdown, { numRuns: 15, seed: 7 });
}
