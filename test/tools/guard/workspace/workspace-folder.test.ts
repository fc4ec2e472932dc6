import { realpathSync, rmdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../../../src/contract.ts';
import { workspaceWords } from '../../../../src/tools/guard/workspace/words.ts';
import { makeFolder, workspaceFinder } from '../../../../src/tools/guard/workspace/workspace.ts';
import { newFolder } from '../../../support/new-folder.ts';

function conversation(chatId: string, more: Partial<Conversation> = {}): Conversation {
  return { channel: 'test', chatId, kind: 'group', ...more };
}

describe('the folder of a conversation', () => {
  test('is the same for all, if the template says nothing else', async () => {
    const folder = join(await newFolder(), 'workspace');
    const find = workspaceFinder(folder);
    expect([await find(conversation('a')), await find(conversation('b'))]).toEqual(
      [folder, folder].map((path) => realpathSync(path)),
    );
    expect(statSync(folder).isDirectory()).toBe(true);
    // Other accounts of the machine do not get in.
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('is named after the person that a run serves', async () => {
    const folder = await newFolder();
    const find = workspaceFinder(join(folder, '{sender}'));
    expect(relative(folder, find(conversation('a'), 'test:ada'))).toBe('test%3Aada');
    expect(relative(folder, find(conversation('a'), 'test:bob'))).toBe('test%3Abob');
  });

  test('is named after the channel, the chat and the thread', async () => {
    const folder = await newFolder();
    const find = workspaceFinder(join(folder, '{channel}', '{chat_id}', '{thread_id}'));
    expect(relative(folder, await find(conversation('-100')))).toBe('test/-100/main');
    expect(relative(folder, await find(conversation('-100', { threadId: '7' })))).toBe('test/-100/7');
  });

  test('has no links in its path', async () => {
    const folder = await newFolder();
    symlinkSync(await newFolder(), join(folder, 'link'));
    const found = await workspaceFinder(join(folder, 'link', '{chat_id}'))(conversation('a'));
    expect(found).toBe(realpathSync(found));
    expect(found).not.toContain('link');
  });

  test('is refused once it is exchanged for a link that leads elsewhere', async () => {
    const [folder, elsewhere] = [await newFolder(), await newFolder()];
    const find = workspaceFinder(join(folder, '{chat_id}'));
    const path = find(conversation('a'));
    rmdirSync(path);
    symlinkSync(elsewhere, path);
    expect(() => find(conversation('a'))).toThrow(
      workspaceWords.en.folderExchanged({ folder: path, now: elsewhere, before: path }),
    );
  });

  test.each([
    ...String.raw`.. . ../.. /etc a/b ..\.. ~ $& {channel} é CON a. %2e%2e`.split(' '),
    ...['\0', '', '\ud800', 'x'.repeat(5000)],
  ])('is one folder deep below its place, whatever the id: %j', async (chatId) => {
    const folder = realpathSync(await newFolder());
    const find = workspaceFinder(join(folder, '{chat_id}', 'files'));
    const path = relative(folder, await find(conversation(chatId)));
    expect(path).toMatch(/^[^/\\]+\/files$/);
    expect(path).not.toMatch(/^\.\.?\//);
  });

  test('is another one for each id', async () => {
    const folder = await newFolder();
    const find = workspaceFinder(join(folder, '{chat_id}'));
    const id = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.string({ unit: fc.constantFrom('a', '.', '%', '/', '-'), maxLength: 4 }),
    );
    await fc.assert(
      fc.asyncProperty(id, id, async (a, b) => {
        fc.pre(a !== b);
        expect(await find(conversation(a))).not.toBe(await find(conversation(b)));
      }),
      { seed: 17 },
    );
    const long = 'x'.repeat(200);
    expect(await find(conversation(`${long}1`))).not.toBe(await find(conversation(`${long}2`)));
  });

  test('is another one for each tenant', async () => {
    const find = workspaceFinder(join(await newFolder(), '{chat_id}'));
    const [one, other] = [conversation('c', { tenant: 'a-b' }), conversation('b-c', { tenant: 'a' })];
    expect(await find(one)).not.toBe(await find(other));
  });
});

test('a folder is made with its parents, for this user alone, and can exist already', async () => {
  const above = join(await newFolder(), 'above');
  makeFolder(join(above, 'below'));
  makeFolder(join(above, 'below'));
  expect([above, join(above, 'below')].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
});

test('a folder is refused if a file has its name', async () => {
  const file = join(await newFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('EEXIST');
});

test('a folder is refused at once if the system does not allow it', () => {
  expect(() => makeFolder('/proc/keyturn/data')).toThrow(/ENOENT|EACCES|EPERM|EROFS/);
});
