import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import { type ScriptedRequest, wordsOf } from '../support/scripted-model.ts';
import { png } from '../support/test-attachments.ts';

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
    expect(wordsOf(request)).toMatch(/b\.png .*too large to read: 3\.8 MB, at most 3\.8 MB\.\]/);
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
