import { writeFileSync } from 'node:fs';
import { chmod, link, mkdir, rename, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fingerprintFolder } from '../../../src/features/plugins/folder-fingerprint.ts';
import { pluginWords } from '../../../src/features/plugins/words.ts';
import { newFolder } from '../../support/new-folder.ts';

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await newFolder();
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
    await chmod(join(folder, path), 0o644);
  }
  return folder;
}

async function fingerprintOf(files: Readonly<Record<string, string>>): Promise<string> {
  return (await fingerprintFolder(await folderWith(files))).fingerprint;
}

describe('the fingerprint of a folder', () => {
  test('is the same for the same files, wherever and in whatever order they were written', async () => {
    const one = await fingerprintOf({ 'a/b': '1', c: '2' });
    expect(one).toMatch(/^[0-9a-f]{64}$/);
    expect(await fingerprintOf({ c: '2', 'a/b': '1' })).toBe(one);
  });

  test('is another one for each other name, content and place', async () => {
    const all = await Promise.all([
      fingerprintOf({ a: 'bc' }),
      fingerprintOf({ ab: 'c' }),
      fingerprintOf({ a: 'b', b: '' }),
      fingerprintOf({ a: 'b', B: '' }),
      fingerprintOf({ 'a/b': '' }),
      fingerprintOf({ 'a","b': '' }),
      fingerprintOf({ 'a\n': '' }),
      fingerprintOf({}),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });

  test('comes with what each file is, and with the content that was asked for', async () => {
    const folder = await folderWith({ 'bin/run': '', 'plugin.json': '{}' });
    await chmod(join(folder, 'bin/run'), 0o755);
    const { files, content } = await fingerprintFolder(folder);
    expect(content?.toString()).toBe('{}');
    const sha256 = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';
    expect(files.get('plugin.json')).toEqual({ sha256, isExecutable: false });
    expect(files.get('bin/run')).toMatchObject({ isExecutable: true });
    expect((await fingerprintFolder(await folderWith({ a: '' }))).content).toBeUndefined();
  });

  test('takes links that stay inside, as what they are', async () => {
    const folder = await folderWith({ a: '', b: '' });
    const before = (await fingerprintFolder(folder)).fingerprint;
    await symlink('a', join(folder, 'link'));
    const after = (await fingerprintFolder(folder)).fingerprint;
    expect(after).not.toBe(before);
    await link(join(folder, 'a'), join(folder, 'hard'));
    expect((await fingerprintFolder(folder)).files.has('hard')).toBe(true);
  });
});

const words = pluginWords.en;

describe('a folder is refused', () => {
  test.each([
    ['..', words.leadsOut({ path: 'link' })],
    ['../outside', words.leadsOut({ path: 'link' })],
    ['/etc/passwd', words.leadsOut({ path: 'link' })],
    ['missing', words.entryUnreadable({ path: 'link', code: 'ENOENT' })],
    ['link', words.entryUnreadable({ path: 'link', code: 'ELOOP' })],
  ])('for a link to %s', async (target, why) => {
    const parent = await folderWith({ outside: '', 'inside/a': '' });
    await symlink(target, join(parent, 'inside', 'link'));
    await expect(fingerprintFolder(join(parent, 'inside'))).rejects.toThrow(why);
  });

  test('for too many files, or too much in them', async () => {
    const many = await folderWith({});
    for (let index = 0; index <= 10_000; index += 1) writeFileSync(join(many, `${index}`), '');
    await expect(fingerprintFolder(many)).rejects.toThrow(words.tooManyEntries({ count: 10_000 }));
    const large = await folderWith({ 'plugin.json': '' });
    await truncate(join(large, 'plugin.json'), 2 ** 20 + 1);
    await expect(fingerprintFolder(large)).rejects.toThrow(words.manifestTooLarge({ path: 'plugin.json' }));
    await rename(join(large, 'plugin.json'), join(large, 'file'));
    await truncate(join(large, 'file'), 200 * 2 ** 20 + 1);
    await expect(fingerprintFolder(large)).rejects.toThrow(words.tooLarge({ megabytes: 200 }));
  });

  test('for a name that is not UTF-8', async () => {
    const folder = await folderWith({ a: '' });
    await writeFile(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), '');
    await expect(fingerprintFolder(folder)).rejects.toThrow(words.nameNotUtf8({ path: '\ufffd' }));
  });
});
