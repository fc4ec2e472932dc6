import { existsSync, linkSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { headLength, mediaTypeOf } from '../../../../src/tools/builtin/messages/message-files.ts';
import { messageWords } from '../../../../src/words/words.ts';
import { type DaemonSettingOptions, daemonSetting, group } from '../../../support/daemon-setting.ts';
import { call } from '../../../support/scripted-model.ts';
import { useTool } from '../../../support/use-tool.ts';

const { fileTooLarge, fileUnshown, noFiles } = messageWords.en;

async function fileSetting({ channel, ...options }: DaemonSettingOptions = {}) {
  const setting = await daemonSetting({ channel: { capabilities: { maxFileBytes: 1000 }, ...channel }, ...options });
  mkdirSync(setting.workspace, { recursive: true });
  return {
    setting,
    channel: setting.channel,
    put: (path: string, content: string | Uint8Array): string => {
      const file = join(setting.workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    send: (path: string, more = {}, deed = {}) => useTool(setting, 'send_file', { path, ...more }, deed),
    shown: () => setting.channel.screen.filter(({ kind }) => kind === 'for_user'),
    copies: () => {
      const folder = join(setting.folder, 'data', 'files');
      return existsSync(folder) ? readdirSync(folder) : [];
    },
  };
}

describe('a file that is sent', () => {
  test('is shown in the chat with its name and media type, below its caption, and its copy goes', async () => {
    const { send, put, shown, copies } = await fileSetting();
    put('charts/sales 2026.png', Buffer.from('89504e470d0a1a0a', 'hex'));
    expect(await send('charts/sales 2026.png', { caption: 'The **chart**:' })).toBe(
      'charts/sales 2026.png (8 bytes) is shown in the chat.',
    );
    expect(shown().map(({ text, file }) => [text, file?.name, file?.mediaType])).toEqual([
      ['The **chart**:', undefined, undefined],
      ['', 'sales 2026.png', 'image/png'],
    ]);
    expect(copies()).toEqual([]);
  });

  test('goes to the conversation in which it was asked for, without asking', async () => {
    const { send, put, shown } = await fileSetting();
    put('a.txt', 'hello');
    await send('a.txt', {}, { in: group });
    expect(shown().map(({ conversationId, file }) => [conversationId, file?.content])).toEqual([
      ['test:team', 'hello'],
    ]);
  });

  test('is as it was when it was sent, however late it arrives, and whatever process brings it', async () => {
    const { setting, channel, put, shown } = await fileSetting();
    const file = put('a.txt', 'then');
    channel.failNext({ type: 'rate-limited', retryAfter: 60_000 }, { withFile: true });
    setting.model.next([call('send_file', { path: 'a.txt' })], 'noted');
    await channel.say('send it');
    await setting.clock.waitsFor(60_000);
    writeFileSync(file, 'now');
    await setting.restart();
    await channel.changes.waitFor(() => shown().length > 0);
    expect(shown().map(({ file: seen }) => seen?.content)).toEqual(['then']);
  });

  test.each([
    [0, 'This channel takes no files: people are told that a.txt (5 bytes) is in the workspace.', noFiles],
    [
      4,
      'a.txt (5 bytes) is too large for this channel, which takes at most 4 bytes',
      fileTooLarge({ size: '5 bytes', most: '4 bytes' }),
    ],
  ])('to a channel that takes %i bytes is told of in words', async (maxFileBytes, result, why) => {
    const { send, put, shown } = await fileSetting({ channel: { capabilities: { maxFileBytes } } });
    put('a.txt', 'hello');
    expect(await send('a.txt')).toContain(result);
    const [only] = shown();
    expect(only?.text).toContain(fileUnshown({ name: '`a.txt`', why, path: '`a.txt`' }));
  });

  test('is not shown if the person stops it first', async () => {
    const { setting, channel, put, shown } = await fileSetting({
      config: { approval: { policy: 'always_require' } },
    });
    put('a.txt', 'hello');
    setting.model.next([call('send_file', { path: 'a.txt' })]);
    await channel.say('send it');
    expect((await channel.card()).text).toContain('Show a.txt in this chat');
    await channel.say('/stop');
    await channel.sees('Called off');
    await channel.whenIdle();
    expect(shown()).toEqual([]);
  });
});

describe('what is not sent, and why', () => {
  test('is what leads out of the workspace, is no file, or is not there', async () => {
    const { setting, send, put, shown, copies } = await fileSetting();
    const secret = join(setting.folder, 'secret.txt');
    writeFileSync(secret, 'canary');
    put('a.txt', 'hello');
    mkdirSync(join(setting.workspace, 'folder'));
    symlinkSync(secret, join(setting.workspace, 'link.txt'));
    symlinkSync(setting.folder, join(setting.workspace, 'way-out'));
    linkSync(secret, join(setting.workspace, 'hard.txt'));
    const paths = [
      'link.txt',
      'way-out/secret.txt',
      'hard.txt',
      '../secret.txt',
      secret,
      'folder',
      'none.txt',
      'a.txt\0',
    ];
    for (const path of paths) {
      const result = await send(path);
      expect(result, path).not.toContain('is shown');
      expect(result, path).not.toContain('canary');
    }
    expect(shown()).toEqual([]);
    expect(copies()).toEqual([]);
  });

  test('is what has more than 50 MB', async () => {
    const { send, put, shown, copies } = await fileSetting();
    truncateSync(put('film.mp4', ''), 50 * 2 ** 20 + 1);
    expect(await send('film.mp4')).toContain('at most 50.0 MB');
    expect(shown()).toEqual([]);
    expect(copies()).toEqual([]);
  });
});

const png = Buffer.from('89504e470d0a1a0a0000000d', 'hex');
const jpeg = Buffer.from('ffd8ffe000104a464946', 'hex');
const zip = Buffer.from('504b030414000600', 'hex');
const mp4 = Buffer.from('000000186674797069736f6d', 'hex');

describe('the media type of a file', () => {
  test.each<[string, Uint8Array, string]>([
    ['a.png', png, 'image/png'],
    ['a.txt', jpeg, 'image/jpeg'],
    ['photo', Buffer.from('RIFF\x00\x00\x00\x00WEBPVP8 ', 'latin1'), 'image/webp'],
    ['sound.wav', Buffer.from('RIFF\x00\x00\x00\x00WAVEfmt ', 'latin1'), 'audio/wav'],
    ['film.mp4', mp4, 'video/mp4'],
    ['paper.pdf', Buffer.from('%PDF-1.7\n'), 'application/pdf'],
    ['paper.docx', zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['all.zip', zip, 'application/zip'],
    ['paper.pdf.exe', zip, 'application/zip'],
    ['list.CSV', Buffer.from('a;b\n'), 'text/csv'],
    ['page.html', Buffer.from('<p>hello'), 'text/html'],
    ['notes', Buffer.from('Zoë'), 'text/plain'],
    ['empty.md', Buffer.alloc(0), 'text/markdown'],
    ['program', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]), 'application/octet-stream'],
    ['fake.png', Buffer.from('<script>'), 'text/plain'],
    ['fake.csv', Buffer.from([0xc3, 0x28, 0xa0, 0xa1, 1, 2]), 'application/octet-stream'],
  ])('%s is told by what it holds', (name, head, type) => {
    expect(mediaTypeOf(name, head)).toBe(type);
  });

  test('is that of a text where the part that is looked at ends within a character', () => {
    const head = Buffer.from('ä'.repeat(headLength)).subarray(0, headLength - 1);
    expect(mediaTypeOf('a.txt', head)).toBe('text/plain');
  });
});
