import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ChannelAdapter, InboundAttachment, InboundEvent, OutboundFile } from '../../src/contract.ts';
import { newFile } from '../support/new-folder.ts';
import { png } from '../support/test-attachments.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { connected, reply, sees, start } from './connected-adapter.ts';
import type { PersonalFile } from './platform.ts';

const list: PersonalFile = {
  kind: 'file',
  name: 'größe & <b>.csv',
  mediaType: 'text/csv',
  bytes: Buffer.from('one;two\nthree;größe\n'),
};
const picture: PersonalFile = { kind: 'image', name: 'a.png', mediaType: 'image/png', bytes: png };

/** Files come in, and go out. */
export function adapterFiles({ attaching, filing }: ChannelSetting): void {
  if (attaching !== undefined) {
    describe('files of people', () => {
      test('come with the text, with their name and their size, and can be fetched', async () => {
        const { platform, adapter, host } = await connected(attaching);
        platform.attach(list, 'read this');
        const event = await host.hears('read this');
        const { name, size } = attachmentOf(event);
        expect([name, size ?? list.bytes.length]).toEqual([list.name, list.bytes.length]);
        expect(await fetched(adapter, event)).toEqual(list.bytes);
      });

      test('need no text, and pictures are told apart from other files', async () => {
        const { platform, adapter, host } = await connected(attaching);
        platform.attach(picture, '');
        platform.attach(list, '');
        const [first, second] = await host.receives(2);
        expect(host.words).toEqual(['', '']);
        expect([first, second].map((event) => event && attachmentOf(event).kind)).toEqual(['image', 'file']);
        expect(first && (await fetched(adapter, first))).toEqual(png);
      });

      test('that are larger than is wanted are not fetched', async () => {
        const { platform, adapter, host } = await connected(attaching);
        platform.attach(list, 'large');
        const event = await host.hears('large');
        expect(await fetched(adapter, event, list.bytes.length)).toEqual(list.bytes);
        expect(await fetched(adapter, event, list.bytes.length - 1)).toBe('too-large');
      });

      test('can be fetched by the next process', async () => {
        const { platform, adapter, host } = await connected(attaching);
        platform.attach(list, 'for later');
        const event = await host.hears('for later');
        await adapter.stop();
        const next = await start(platform);
        await next.host.is('connected');
        expect(await fetched(next.adapter, event)).toEqual(list.bytes);
      });

      test('that nobody has sent are refused for good', async () => {
        const { adapter } = await connected(attaching);
        const forged = fetchOf(adapter, { kind: 'file', handle: '../../etc/passwd' });
        await expect(forged).rejects.toMatchObject({ name: 'ChannelError', fault: { type: 'permanent' } });
      });
    });
  }

  if (filing !== undefined) {
    describe('files of the bot', () => {
      test.each([list, picture])('are shown as they are, with their text: $name', async ({ bytes, ...file }) => {
        const { platform, adapter } = await connected(filing);
        const ref = await adapter.send(platform.home, reply('Here it is.', { file: await onDisk(file, bytes) }));
        await sees(platform, 'Here it is.');
        expect(ref.id).not.toBe('');
        expect(platform.files().map((shown) => Buffer.from(shown.bytes))).toEqual([bytes]);
        expect(platform.files().map(({ name }) => name)).toEqual([file.name]);
      });

      test('need no text, and a long text is shown whole beside them', async () => {
        const { platform, adapter } = await connected(filing);
        const { bytes, ...rest } = list;
        const file = await onDisk(rest, bytes);
        await adapter.send(platform.home, reply('', { file }));
        await adapter.send(platform.home, reply(`first ${'word '.repeat(300)}last`, { id: 'm2', file }));
        await sees(platform, /first (word ){300}last/);
        expect(platform.files()).toHaveLength(2);
      });

      test('that are not there are refused for good', async () => {
        const { platform, adapter } = await connected(filing);
        const file = { name: 'a.txt', mediaType: 'text/plain', path: join(tmpdir(), crypto.randomUUID()) };
        const sending = adapter.send(platform.home, reply('', { file }));
        await expect(sending).rejects.toMatchObject({ name: 'ChannelError', fault: { type: 'permanent' } });
        expect(platform.files()).toEqual([]);
      });
    });
  }
}

function attachmentOf(event: InboundEvent): InboundAttachment {
  const [attachment, ...others] = event.type === 'message' ? (event.attachments ?? []) : [];
  if (attachment === undefined || others.length > 0) throw new Error('One attachment was expected.');
  return attachment;
}

/** As a Buffer, whatever the adapter gives. */
async function fetched(adapter: ChannelAdapter, event: InboundEvent, maxBytes?: number): Promise<Buffer | 'too-large'> {
  const found = await fetchOf(adapter, attachmentOf(event), maxBytes);
  return found === 'too-large' ? found : Buffer.from(found);
}

async function fetchOf(adapter: ChannelAdapter, attachment: InboundAttachment, maxBytes = 1_000_000) {
  const { signal } = new AbortController();
  const found = await adapter.fetchAttachment?.(attachment, { maxBytes, signal });
  if (found === undefined) throw new Error('The adapter fetches no files.');
  return found;
}

async function onDisk(file: Pick<PersonalFile, 'name' | 'mediaType'>, bytes: Buffer): Promise<OutboundFile> {
  return { name: file.name, mediaType: file.mediaType, path: await newFile(bytes) };
}
