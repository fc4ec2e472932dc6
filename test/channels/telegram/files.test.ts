import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { kitWords } from '../../../channels/kit/words.ts';
import { pngOf } from '../../../packages/fakes/src/telegram/methods.ts';
import type { Button, OutboundFile } from '../../../src/contract.ts';
import { newFile, newFolder } from '../../support/new-folder.ts';
import { AdapterSetting, ada, to, withFile } from './adapter-setting.ts';

const approve: Button = { actionId: 'ap:1:a', label: 'Approve', shortcut: '/approve 1', style: 'primary' };

let setting: AdapterSetting;

beforeEach(async () => {
  setting = await AdapterSetting.start();
});

afterEach(() => setting.close());

async function file(name: string, mediaType: string, bytes: Buffer): Promise<OutboundFile> {
  return { name, mediaType, path: await newFile(bytes) };
}

const text = Buffer.from('hello\r\n--\r\n');
const note = () => file('note.txt', 'text/plain', text);
const picture = (width = 640, height = 480) => file('view.png', 'image/png', pngOf(width, height));
const callsOf = (method: string) => setting.server.callsOf(method);
const shown = () => setting.server.chat(ada);

describe('a file', () => {
  test('keeps its name whole, whatever stands in it', async () => {
    for (const [name, arrived] of [
      ['a "b" c.txt', 'a "b" c.txt'],
      ['a;b.txt', 'a_b.txt'],
      ['a\r\nb.txt', 'a__b.txt'],
      ['数据 👉.csv', '数据 👉.csv'],
    ] as const) {
      await setting.adapter.send(to, withFile({ ...(await note()), name }));
      expect(shown().at(-1)?.file?.name).toBe(arrived);
    }
  });

  test('is shown with the text, the buttons and the message that it answers', async () => {
    setting.server.say(ada, 'Where is it?', { messageId: 7 });
    const message = withFile(await note(), '**hello** there', { buttons: [[approve]], replyTo: '7' });
    await setting.adapter.send(to, message);
    expect(shown().at(-1)).toMatchObject({
      text: 'hello there',
      entities: [{ type: 'bold', offset: 0, length: 5 }],
      buttons: [{ label: 'Approve', data: 'ap:1:a' }],
      replyTo: 7,
      file: { name: 'note.txt' },
    });
  });

  test('goes without the formatting of its text if Telegram refuses that', async () => {
    const description = "Bad Request: entity URL 'https://a.b/' is invalid";
    setting.server.fault({ method: 'sendDocument', kind: 'status', status: 400, description, times: 1 });
    await setting.adapter.send(to, withFile(await note(), '[hello](https://a.b)'));
    expect(shown()).toMatchObject([{ text: 'hello', entities: [], file: { name: 'note.txt', bytes: text } }]);
  });
});

describe('spoken words', () => {
  const spoken = async (mediaType: string) => ({
    ...(await file('answer.ogg', mediaType, Buffer.from('OggS'))),
    isVoice: true as const,
  });

  test.each(['audio/ogg', 'audio/mpeg', 'audio/mp4'])('in %s are a voice message', async (mediaType) => {
    await setting.adapter.send(to, withFile(await spoken(mediaType)));
    expect(shown().at(-1)?.file).toMatchObject({ name: 'answer.ogg' });
    expect(callsOf('sendVoice')).toMatchObject([{ status: 200 }]);
    expect(callsOf('sendDocument')).toEqual([]);
  });

  test('in another format are a file, and so is a recording that nobody has spoken for them', async () => {
    await setting.adapter.send(to, withFile(await spoken('audio/wav')));
    await setting.adapter.send(to, withFile(await file('song.ogg', 'audio/ogg', Buffer.from('OggS'))));
    expect(callsOf('sendVoice')).toEqual([]);
    expect(callsOf('sendDocument')).toHaveLength(2);
  });

  test('come as a file to a person who takes no voice messages', async () => {
    const description = 'Bad Request: user restricted receiving of voice messages (VOICE_MESSAGES_FORBIDDEN)';
    setting.server.fault({ method: 'sendVoice', kind: 'status', status: 400, description, times: 1 });
    await setting.adapter.send(to, withFile(await spoken('audio/ogg')));
    expect(callsOf('sendDocument')).toMatchObject([{ status: 200 }]);
  });
});

describe('a picture', () => {
  test('is shown as one', async () => {
    await setting.adapter.send(to, withFile(await picture(), 'hello'));
    expect(shown()).toMatchObject([{ text: 'hello', file: { name: 'view.png' } }]);
    expect(callsOf('sendPhoto')).toHaveLength(1);
    expect(callsOf('sendDocument')).toEqual([]);
  });

  test.each([
    ['too long and narrow', () => picture(4100, 200)],
    ['too large in its measures', () => picture(9000, 1001)],
    ['none at all', () => file('view.png', 'image/png', text)],
  ])('goes as a file when it is %s', async (_, make) => {
    await setting.adapter.send(to, withFile(await make(), '**hello**', { buttons: [[approve]] }));
    expect(callsOf('sendPhoto')).toMatchObject([{ status: 400 }]);
    expect(callsOf('sendDocument')).toMatchObject([{ status: 200 }]);
    expect(shown()).toMatchObject([{ text: 'hello', entities: [{ type: 'bold' }], buttons: [{ label: 'Approve' }] }]);
  });

  test('of more than 10 MiB goes as a file at once', async () => {
    const bytes = Buffer.concat([pngOf(640, 480), Buffer.alloc(10 * 2 ** 20)]);
    await setting.adapter.send(to, withFile(await file('view.png', 'image/png', bytes)));
    expect(callsOf('sendPhoto')).toEqual([]);
    expect(shown()).toMatchObject([{ file: { name: 'view.png' } }]);
  });

  test('that a chat refuses for other reasons is not sent as a file', async () => {
    const description = 'Bad Request: chat not found';
    setting.server.fault({ method: 'sendPhoto', kind: 'status', status: 400, description });
    const fault = await setting.faultOf(setting.adapter.send(to, withFile(await picture())));
    expect(fault).toMatchObject({ type: 'permanent' });
    expect(callsOf('sendDocument')).toEqual([]);
  });
});

describe('a text that is too long to stand below a file', () => {
  const long = `**hello** ${'x'.repeat(1_019)}`;

  test('is one of more than 1024 characters as they are shown', async () => {
    await setting.adapter.send(to, withFile(await note(), long.slice(0, -1)));
    expect(shown()).toMatchObject([{ file: { name: 'note.txt' } }]);
    expect(shown()[0]?.text).toHaveLength(1024);
  });

  test('comes before it, and the buttons stay below', async () => {
    setting.server.say(ada, 'Where is it?', { messageId: 7 });
    await setting.adapter.send(to, withFile(await note(), long, { buttons: [[approve]], replyTo: '7' }));
    const [, before, after] = shown();
    expect(before).toMatchObject({ replyTo: 7, buttons: [], entities: [{ type: 'bold' }] });
    expect(before?.text).toHaveLength(1025);
    expect(after).toMatchObject({ text: '', buttons: [{ label: 'Approve' }], file: { name: 'note.txt' } });
    expect(after?.replyTo).toBeUndefined();
  });

  test('comes once, however often the file is tried', async () => {
    setting.server.fault({ method: 'sendDocument', kind: '429', retryAfter: 1, times: 2 });
    const message = withFile(await note(), long);
    for (let count = 0; count < 2; count += 1)
      expect(await setting.faultOf(setting.adapter.send(to, message))).toMatchObject({ type: 'rate-limited' });
    await setting.adapter.send(to, message);
    expect(shown().map(({ file: sent }) => sent?.name)).toEqual([undefined, 'note.txt']);
  });

  test('comes again when a file that was refused for good is sent after all', async () => {
    setting.server.fault({ method: 'sendDocument', kind: 'status', status: 400, description: 'no', times: 1 });
    const message = withFile(await note(), long);
    expect(await setting.faultOf(setting.adapter.send(to, message))).toMatchObject({ type: 'permanent' });
    await setting.adapter.send(to, message);
    expect(shown()).toHaveLength(3);
  });

  test('comes with the next message that has one, too', async () => {
    for (const id of ['m1', 'm2', 'm1']) await setting.adapter.send(to, withFile(await note(), long, { id }));
    expect(shown()).toHaveLength(6);
  });
});

describe('what goes wrong with a file', () => {
  test('a send without an answer in time is ambiguous, and a large file has more time', async () => {
    const hasty = setting.another({ request_timeout_secs: 1 });
    setting.server.fault({ method: 'sendDocument', kind: 'hang', done: true });
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const request = hasty.send(to, withFile(await file('a.bin', 'x/y', Buffer.alloc(100_000))));
    expect(await setting.faultOf(request)).toMatchObject({ type: 'ambiguous' });
    expect(timers.mock.calls.map(([, milliseconds]) => milliseconds)).toContain(2_000);
  });

  test('a file that is gone, or can no longer be read, will never be sent', async () => {
    const folder = await newFolder();
    const gone = { ...(await note()), path: join(folder, 'gone') };
    const unreadable = { ...(await note()), path: folder };
    for (const [lost, words] of [
      [gone, kitWords.en.fileUnreadableNow({ code: 'ENOENT' })],
      [unreadable, kitWords.en.noFileAnyMore],
    ] as const) {
      const fault = await setting.faultOf(setting.adapter.send(to, withFile(lost, 'hello')));
      expect(fault).toMatchObject({ type: 'permanent', message: expect.stringContaining(words) });
      expect(fault.message).not.toContain(folder);
    }
    expect(shown()).toEqual([]);
  });

  test('a file without content will never be sent', async () => {
    const empty = await file('empty.txt', 'text/plain', Buffer.alloc(0));
    const fault = await setting.faultOf(setting.adapter.send(to, withFile(empty)));
    expect(fault).toMatchObject({ type: 'permanent', message: expect.stringContaining('non-empty') });
  });
});

test('files of up to 50 MB are taken', () => {
  expect(setting.adapter.capabilities.maxFileBytes).toBe(50_000_000);
});
