import { existsSync } from 'node:fs';
import { readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceWords } from '../../src/tools/guard/workspace/words.ts';
import type { FileDraft } from '../../src/tools/output.ts';
import { messageWords } from '../../src/words/words.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { type DeliverySettingOptions, deliverySetting } from '../support/delivery-setting.ts';
import { newFolder } from '../support/new-folder.ts';
import { anything, saying } from '../support/saying.ts';
import { type ScriptedRequest, wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';

const words = messageWords.en;

/** A delivery to a channel that takes files of up to 100 bytes, and a folder of files to send. */
async function fileSetting({ capabilities, ...options }: DeliverySettingOptions = {}) {
  const setting = await deliverySetting({ ...options, capabilities: { maxFileBytes: 100, ...capabilities } });
  const folder = await newFolder();
  return {
    ...setting,
    folder,
    async write(name: string, content: string): Promise<FileDraft> {
      await writeFile(join(folder, name), content);
      return { name, mediaType: 'text/csv', path: join(folder, name), from: `out/${name}` };
    },
    seen: () =>
      setting.channel.screen.map(({ text, file }) => (file === undefined ? text : `${file.name}: ${file.content}`)),
    copies: async (id: string) => ((await setting.store.files.owners()).includes(id) ? 'kept' : 'gone'),
  };
}

const transient = { type: 'transient' } as const;
const permanent = { type: 'permanent' } as const;

describe('the files of a message', () => {
  test('follow its text one by one, each with an id of its own', async () => {
    const { channel, share, write, whenIdle, seen } = await fileSetting();
    await share('Two lists:', [await write('a.csv', '1;2'), await write('b.csv', '3;4')]);
    await whenIdle();
    expect(seen()).toEqual(['Two lists:', 'a.csv: 1;2', 'b.csv: 3;4']);
    expect(channel.screen[1]?.file?.mediaType).toBe('text/csv');
    expect(new Set(channel.screen.map(({ id }) => id)).size).toBe(3);
  });

  test('need no text', async () => {
    const { share, write, whenIdle, seen } = await fileSetting();
    await share('', [await write('a.csv', '1;2')]);
    await whenIdle();
    expect(seen()).toEqual(['a.csv: 1;2']);
  });

  test('arrive as they were when the message was stored', async () => {
    const { channel, clock, folder, share, write, whenIdle, seen } = await fileSetting();
    const draft = await write('a.csv', 'then');
    channel.failNext(transient);
    await share('', [draft, draft]);
    await clock.waitsFor(500);
    await writeFile(draft.path, 'now');
    clock.advance(500);
    await whenIdle();
    await rm(folder, { recursive: true });
    expect(seen()).toEqual(['a.csv: then', 'a.csv: then']);
  });

  test('come before the buttons', async () => {
    const { channel, share, write, whenIdle } = await fileSetting();
    const buttons = [[{ actionId: 'x', label: 'X', shortcut: 'x', style: 'plain' as const }]];
    await share('What now?', [await write('a.csv', '1;2')], { buttons });
    await whenIdle();
    expect(channel.screen.map(({ text, buttons: found }) => [text, found.length])).toEqual([
      ['', 0],
      ['What now?', 1],
    ]);
  });

  test('lose whatever no name of a file may have', async () => {
    const { channel, share, write, whenIdle } = await fileSetting();
    const draft = await write('a.csv', '1');
    await share('', [{ ...draft, name: '../../etc/pass\u202ewd\n.csv' }]);
    await whenIdle();
    expect(channel.screen[0]?.file?.name).toBe('_.._etc_pass_u202ewd .csv');
  });
});

describe('the copies of files', () => {
  test('are kept until the message has arrived', async () => {
    const { channel, clock, share, write, whenIdle, copies } = await fileSetting();
    channel.failNext(transient, { withFile: true });
    const id = await share('One list:', [await write('a.csv', '1')]);
    await clock.waitsFor(500);
    expect(await copies(id)).toBe('kept');
    clock.advance(500);
    await whenIdle();
    expect(await copies(id)).toBe('gone');
  });

  test('are kept with a message that its chat refuses, for when it takes something again', async () => {
    const { channel, share, write, whenIdle, copies, rows } = await fileSetting();
    // The text, and what would stand in its place.
    for (let send = 0; send < 2; send += 1) channel.failNext(permanent, { withFile: false });
    const id = await share('One list:', [await write('a.csv', '1')]);
    await whenIdle();
    expect(rows('SELECT state FROM outbox')[0]).toEqual({ state: 'failed' });
    expect(await copies(id)).toBe('kept');
  });

  test('whose message was never stored, or has arrived, are removed at the next start; others stay', async () => {
    const { channel, clock, store, share, write, copies, restart } = await fileSetting();
    const draft = await write('a.csv', '1');
    await store.files.keep('neverstored', [draft]);
    channel.failNext(transient);
    const id = await share('', [draft]);
    await clock.waitsFor(500);
    channel.failNext(transient);
    await restart();
    expect(await copies(id)).toBe('kept');
    expect(await copies('neverstored')).toBe('gone');
  });

  test('that vanish have a line in their place', async () => {
    const { channel, clock, store, share, write, whenIdle, seen } = await fileSetting();
    channel.failNext(transient);
    const id = await share('Two lists:', [await write('a.csv', '1'), await write('b.csv', '2')]);
    await clock.waitsFor(500);
    await rm(store.files.pathOf(id, '0'));
    clock.advance(500);
    await whenIdle();
    expect(seen()).toEqual(['Two lists:', expect.stringMatching(/^📎 The file `a\.csv` could not/), 'b.csv: 2']);
  });
});

describe('a file that can not be shown', () => {
  test('because the channel takes none has a line in its place, which says where it is', async () => {
    const { share, write, whenIdle, seen } = await fileSetting({ capabilities: { maxFileBytes: 0 } });
    const draft = await write('a.csv', '1');
    await share('A list:', [draft, { name: 'b`c.csv', mediaType: draft.mediaType, path: draft.path }]);
    await whenIdle();
    expect(seen()).toEqual([
      'A list:',
      words.fileUnshown({ name: '`a.csv`', why: words.noFiles, path: '`out/a.csv`' }),
      words.fileUnshown({ name: '``b`c.csv``', why: words.noFiles, path: undefined }),
    ]);
  });

  test('because it is too large leaves the others', async () => {
    const { share, write, whenIdle, seen } = await fileSetting();
    await share('', [await write('big.csv', 'x'.repeat(101)), await write('small.csv', '1')]);
    await whenIdle();
    expect(seen()).toEqual([
      expect.stringContaining(words.fileTooLarge({ size: '101 bytes', most: '100 bytes' })),
      'small.csv: 1',
    ]);
  });

  test('because the platform refuses it leaves the others, and what was sent before is not sent again', async () => {
    const { channel, share, write, whenIdle, seen } = await fileSetting();
    channel.failNext(permanent, { withFile: true });
    await share('Two lists:', [await write('a.csv', '1'), await write('b.csv', '2')]);
    await whenIdle();
    expect(seen()).toEqual(['Two lists:', expect.stringContaining(words.fileFailed), 'b.csv: 2']);
  });
});

test('a process that dies while it sends files sends at most one part again', async () => {
  for (const died of [1, 2, 3]) {
    const { channel, share, write, whenIdle, diesAfter, seen, rows } = await fileSetting();
    const drafts = [await write('a.csv', '1'), await write('b.csv', '2')];
    const release = channel.hold();
    await share('Two lists:', drafts);
    const dead = diesAfter(died);
    release();
    await dead;
    await whenIdle();
    const parts = ['Two lists:', 'a.csv: 1', 'b.csv: 2'];
    expect(seen()).toEqual([...parts.slice(0, died), ...parts.slice(died - 1)]);
    expect(rows('SELECT state FROM outbox')).toEqual([{ state: 'delivered' }]);
  }
});

test('a folder of files is read by its owner only, and is not made for a message without any', async () => {
  const { store, say, share, write, whenIdle, clock, channel } = await fileSetting();
  await say('hello');
  await whenIdle();
  const folder = join(store.files.pathOf('x', '0'), '..', '..');
  expect(existsSync(folder)).toBe(false);
  channel.failNext(transient);
  const id = await share('', [await write('a.csv', '1')]);
  await clock.waitsFor(500);
  expect(await readdir(join(folder, id))).toEqual(['0']);
});

function imagesOf({ messages }: ScriptedRequest): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'user' ? (message.images ?? []).map(({ mediaType, bytes }) => `${mediaType} ${bytes.length}`) : [],
  );
}

describe('a picture', () => {
  test('is seen by a model that sees', async () => {
    const { channel, model } = await daemonSetting();
    await channel.say('what is it?', {
      attachments: [channel.files.put(png, { kind: 'image', mediaType: 'image/jpeg' })],
    });
    const request = await model.asked(1);
    expect(wordsOf(request)).toMatch(/\[file: received\/1-photo\.jpg \(image\/jpeg, \d+ bytes\), shown below\]$/);
    expect(imagesOf(request)).toEqual([`image/png ${png.length}`]);
  });

  test('is only announced to a model that does not', async () => {
    const { channel, model } = await daemonSetting();
    model.seesImages = false;
    await channel.say('what is it?', { attachments: [channel.files.put(png, { kind: 'image' })] });
    const request = await model.asked(1);
    expect(wordsOf(request)).toMatch(/, you can't see it\]$/);
    expect(imagesOf(request)).toEqual([]);
  });

  test('that is none, is too large, or is gone, is a line that says so', async () => {
    const { channel, model, workspace } = await daemonSetting();
    const svg = channel.files.put('<svg/>', { kind: 'image', name: 'a.svg' });
    const large = channel.files.put(Buffer.alloc(3.75 * 2 ** 20 + 1), { kind: 'image', name: 'b.png' });
    const gone = channel.files.put(png, { kind: 'image', name: 'c.png' });
    await channel.say('look', { attachments: [svg, large, gone] });
    await model.asked(1);
    await channel.whenIdle();
    await rm(join(workspace, 'received/1.3-c.png'));
    await channel.say('again');
    const request = await model.asked(2);
    expect(wordsOf(request)).toMatch(/a\.svg .*it is no JPEG, PNG, GIF or WebP\]/);
    expect(wordsOf(request)).toMatch(
      saying(
        `b.png ${anything}${workspaceWords.en.tooLargeToRead({ path: anything, size: '3.8 MB', most: '3.8 MB' })}]`,
      ),
    );
    expect(wordsOf(request)).toMatch(/c\.png .*does not exist\.\]/);
    expect(imagesOf(request)).toEqual([]);
  });

  test('that was exchanged for a link out of the workspace is not read', async () => {
    const { channel, model, folder, workspace } = await daemonSetting();
    await channel.say('look', { attachments: [channel.files.put(png, { kind: 'image', name: 'a.png' })] });
    await model.asked(1);
    await channel.whenIdle();
    await rm(join(workspace, 'received/1-a.png'));
    await symlink(join(folder, 'data', 'keyturn.db'), join(workspace, 'received/1-a.png'));
    await channel.say('again');
    const request = await model.asked(2);
    expect(wordsOf(request)).toContain('outside the workspace');
    expect(imagesOf(request)).toEqual([]);
  });

  test('is shown again while it is one of the newest six', async () => {
    const { channel, model } = await daemonSetting();
    for (let number = 1; number <= 8; number += 1) {
      await channel.say(`picture ${number}`, { attachments: [channel.files.put(png, { kind: 'image' })] });
      await model.asked(number);
      await channel.whenIdle();
    }
    const request = await model.asked(8);
    expect(imagesOf(request)).toHaveLength(6);
    expect(wordsOf(request).match(/not shown again/g)).toHaveLength(2);
    expect(wordsOf(request).match(/shown below/g)).toHaveLength(6);
  });
});
