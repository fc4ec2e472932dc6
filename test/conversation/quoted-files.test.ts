import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attachmentWords } from '../../src/conversation/attachments/words.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { wordsOf } from '../support/scripted-model.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** What a reply says of the message that it answers. */
function quoting(text: string, fields: object = {}) {
  return { quote: { name: 'Ada', text, isOwn: false, ...fields } };
}

describe('a reply to a file', () => {
  test('names it where it was kept, and does not fetch it again', async () => {
    const { channel, model } = await daemonSetting();
    const report = channel.files.put('the numbers', { name: 'report.txt' });
    await channel.say('keep this', { key: 'k1', attachments: [report] });
    await model.asked(1);
    await channel.whenIdle();
    await channel.say('what does it say?', quoting('keep this', { messageKey: 'k1', attachments: [report] }));
    expect(wordsOf(await model.asked(2))).toContain(
      '[in reply to Ada:]\n> keep this\n[file of that message: received/1-report.txt (11 bytes)]\nwhat does it say?',
    );
    expect(channel.files.asked).toEqual(['file-1']);
  });

  test('that was never here fetches it now, and that of another chat too', async () => {
    const { channel, model, workspace } = await daemonSetting();
    const old = channel.files.put('old text', { name: 'old.txt', mediaType: 'text/plain' });
    await channel.say('and this one?', quoting('[file: old.txt]', { messageKey: 'k0', attachments: [old] }));
    expect(wordsOf(await model.asked(1))).toContain(
      '[file of that message: received/1-old.txt (text/plain, 8 bytes)]\nand this one?',
    );
    expect(await readFile(join(workspace, 'received/1-old.txt'), 'utf8')).toBe('old text');
    await channel.whenIdle();
    const own = channel.files.put('mine', { name: 'mine.txt' });
    await channel.say('compare', { attachments: [own], ...quoting('[file: old.txt]', { attachments: [old] }) });
    expect(wordsOf(await model.asked(2))).toMatch(
      /\[file of that message: received\/\d+\.2-old\.txt .*\]\ncompare\n\[file: received\/\d+-mine\.txt/,
    );
  });

  test('that was removed from the workspace since fetches it again', async () => {
    const { channel, model, workspace } = await daemonSetting();
    const report = channel.files.put('x', { name: 'a.txt' });
    await channel.say('keep this', { key: 'k1', attachments: [report] });
    await model.asked(1);
    await channel.whenIdle();
    await rm(join(workspace, 'received/1-a.txt'));
    await channel.say('why?', quoting('keep this', { messageKey: 'k1', attachments: [report] }));
    expect(wordsOf(await model.asked(2))).toMatch(/\[file of that message: received\/\d+-a\.txt \(1 byte\)\]/);
    expect(channel.files.asked).toEqual(['file-1', 'file-1']);
  });

  test('of several brings them all, each as it was kept', async () => {
    const { channel, model } = await daemonSetting();
    const files = ['a.txt', 'b.txt'].map((name) => channel.files.put(name, { name }));
    await channel.say('keep these', { key: 'k1', attachments: files });
    await model.asked(1);
    await channel.whenIdle();
    await channel.say('which?', quoting('keep these', { messageKey: 'k1', attachments: files }));
    expect(wordsOf(await model.asked(2))).toContain(
      '[file of that message: received/1-a.txt (5 bytes)]\n[file of that message: received/1.2-b.txt (5 bytes)]\nwhich?',
    );
    expect(channel.files.asked).toHaveLength(2);
  });

  test('that cannot be had says so to both sides, in a line, and is answered', async () => {
    const { channel, model } = await daemonSetting();
    const gone = { kind: 'file', handle: 'gone', name: 'gone.txt' } as const;
    await channel.say('what is it?', quoting('[file: gone.txt]', { attachments: [gone] }));
    expect(wordsOf(await model.asked(1))).toContain(
      `[file of that message: gone.txt, missing: ${attachmentWords.en.becauseUnfetched({ why: undefined })}`,
    );
    await channel.sees(/I could not get `gone\.txt`/);
  });

  test('that is too large says so, and does not fetch it', async () => {
    const { channel, model } = await daemonSetting({ config: { attachments: { max_bytes: 1_048_576 } } });
    const film = channel.files.put('x', { name: 'film.mkv', size: 3_000_000 });
    await channel.say('what is it?', quoting('[video]', { attachments: [film] }));
    expect(wordsOf(await model.asked(1))).toContain(
      `film.mkv (2.9 MB), missing: ${attachmentWords.en.becauseTooLarge({ limit: '1.0 MB' })}`,
    );
    await channel.sees(/could not get `film\.mkv`/);
    expect(channel.files.asked).toEqual([]);
  });

  test('is kept when the process dies while it is fetched', async () => {
    const { setting, channel, model } = await daemonSetting();
    const old = channel.files.put('x', { name: 'a.txt' });
    await channel.say('this?', quoting('[file: a.txt]', { attachments: [old] }));
    await model.asked(1);
    await setting.stop();
    setting.tamper(
      `UPDATE attachments SET state = 'pending', path = NULL; DELETE FROM turns; UPDATE conversations SET is_open = 1`,
    );
    await setting.start();
    expect(wordsOf(await model.asked(2))).toContain('[file of that message: received/1-a.txt (1 byte)]\nthis?');
  });
});

test('a reply to a picture shows it to a model that sees', async () => {
  const { channel, model } = await daemonSetting();
  const photo = channel.files.put(png, { kind: 'image', mediaType: 'image/png' });
  await channel.say('how much is it?', quoting('[photo]', { attachments: [photo] }));
  const request = await model.asked(1);
  expect(wordsOf(request)).toContain('received/1-photo.png (image/png, 16 bytes), shown below]');
  expect(request.messages.flatMap((message) => ('images' in message ? (message.images ?? []) : []))).toHaveLength(1);
});

test('a reply to a voice message brings what was said in it, as words of its author, once written down', async () => {
  let heard = 0;
  const transcribe = async () => {
    heard += 1;
    return 'buy milk';
  };
  const { channel, model } = await daemonSetting({ transcriber: { transcribe } });
  const voice = channel.files.put('x', { kind: 'voice', mediaType: 'audio/ogg' });
  await channel.say('what did he say?', quoting('[voice message]', { messageKey: 'k1', attachments: [voice] }));
  expect(wordsOf(await model.asked(1))).toMatch(
    /\[file of that message: received\/1-voice\.\w+ .*\]\n\[spoken in this file:\]\n> buy milk\nwhat did he say\?/,
  );
  await channel.whenIdle();
  await channel.say('', { key: 'k2', attachments: [voice] });
  await model.asked(2);
  await channel.whenIdle();
  await channel.say('again?', quoting('[voice message]', { messageKey: 'k2', attachments: [voice] }));
  expect(wordsOf(await model.asked(3))).toMatch(/> buy milk\nagain\?/);
  expect(heard).toBe(2);
});

test('a file of a quoted message is content of others, whoever quotes it, and belongs to nobody in the group', async () => {
  const { channel, model, setting } = await daemonSetting({ allowFrom: ['bob'] });
  const note = channel.files.put('x', { name: 'a.txt' });
  const quote = { name: 'Eve', text: 'look', isOwn: false, attachments: [note] };
  await channel.say('read it', { by: 'bob', in: group, quote });
  expect(wordsOf(await model.asked(1))).toBe(
    '[in reply to Eve:]\n> look\n[file of that message: received/1-a.txt (1 byte)]\n[Bob] read it',
  );
  await channel.whenIdle(group);
  expect(JSON.stringify(setting.rows('SELECT taint_sources FROM conversations'))).toContain('a file that Eve sent');
});

test('a message that only quotes a file and says nothing is nothing', async () => {
  const { channel, model } = await daemonSetting();
  const note = channel.files.put('x', { name: 'a.txt' });
  await channel.say('', quoting('look', { attachments: [note] }));
  await channel.askAtRest('/status', 'is up for');
  expect([model.requests.length, channel.files.asked.length]).toEqual([0, 0]);
});
