import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { draftsFolderOf, replaceWhole } from '../../src/lib/replace-whole.ts';
import { newFolder } from '../support/new-folder.ts';
import { waitUntil } from '../support/wait-for.ts';

const isRoot = process.getuid?.() === 0;
const someone = 4711;

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe('a file that is replaced', () => {
  test('keeps its mode, as far as it may', async () => {
    const file = join(await newFolder(), 'config 配置.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    expect(await replaceWhole(file, 'new')).toEqual({ type: 'written', formerMode: 0o644 });
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['new', 0o644]);
    await replaceWhole(file, 'secret', { mostMode: 0o600 });
    expect([readFileSync(file, 'utf8'), modeOf(file)]).toEqual(['secret', 0o600]);
    expect(readdirSync(dirname(file))).toEqual(['config 配置.json']);
  });

  test('is new in a folder that is new: only its owner sees it, unless others shall', async () => {
    const folder = await newFolder();
    const [own, open] = [join(folder, 'a', 'b', '.env'), join(folder, 'c', 'unit')];
    expect(await replaceWhole(own, 'x')).toEqual({ type: 'written', formerMode: undefined });
    await replaceWhole(open, 'x', { newMode: 0o644 });
    expect([own, dirname(own), open, dirname(open)].map(modeOf)).toEqual([0o600, 0o700, 0o644, 0o755]);
  });

  test('stands behind a link, which stays one, also if nothing stands there yet', async () => {
    const folder = await newFolder();
    const [there, missing] = [join(folder, 'there'), join(folder, 'deep', 'missing')];
    writeFileSync(there, 'old');
    for (const [link, to] of [
      ['one', 'there'],
      ['two', 'one'],
      ['three', 'deep/missing'],
    ] as const)
      symlinkSync(to, join(folder, link));
    await replaceWhole(join(folder, 'two'), 'new');
    await replaceWhole(join(folder, 'three'), 'first');
    expect([readFileSync(there, 'utf8'), readFileSync(missing, 'utf8')]).toEqual(['new', 'first']);
    expect(['one', 'two', 'three'].map((link) => readlinkSync(join(folder, link)))).toEqual([
      'there',
      'one',
      'deep/missing',
    ]);
  });

  test('stays as it is if somebody has changed it, removed it or made it', async () => {
    const folder = await newFolder();
    const file = join(folder, 'file');
    const from = (text: string | undefined) => ({
      unchangedFrom: { bytes: text === undefined ? undefined : Buffer.from(text) },
    });
    expect(await replaceWhole(file, 'new', from('old'))).toEqual({ type: 'changed' });
    expect(existsSync(file)).toBe(false);
    writeFileSync(file, 'of another');
    for (const text of [undefined, '', 'old'])
      expect(await replaceWhole(file, 'new', from(text))).toEqual({ type: 'changed' });
    expect(readFileSync(file, 'utf8')).toBe('of another');
    expect(readdirSync(folder)).toEqual(['file']);
    expect((await replaceWhole(file, 'new', from('of another'))).type).toBe('written');
  });

  test('belongs to whom it belonged, and a new one to the owner of its folder, also if root writes it', async () => {
    const folder = join(await newFolder(), 'home');
    mkdirSync(folder);
    const [file, fresh] = [join(folder, 'file'), join(folder, 'new', 'folder', 'fresh')];
    writeFileSync(file, 'old');
    const owner = isRoot ? someone : (process.getuid?.() ?? 0);
    if (isRoot) for (const path of [folder, file]) chownSync(path, owner, owner);
    for (const path of [file, fresh]) await replaceWhole(path, 'new');
    const made = [file, fresh, dirname(fresh), dirname(dirname(fresh))];
    expect(made.map((path) => statSync(path).uid)).toEqual(made.map(() => owner));
  });

  test('rejects where it cannot be written, and the file is as it was', async () => {
    const folder = await newFolder();
    writeFileSync(join(folder, 'file'), 'old');
    await expect(replaceWhole(join(folder, 'file', 'below'), 'x')).rejects.toThrow('ENOTDIR');
    mkdirSync(join(folder, 'is-folder'));
    await expect(replaceWhole(join(folder, 'is-folder'), 'x')).rejects.toThrow();
    symlinkSync(folder, draftsFolderOf(join(folder, 'file')));
    // Somebody wants to have the text elsewhere.
    await expect(replaceWhole(join(folder, 'file'), 'secret')).rejects.toThrow('EEXIST');
    expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('old');
    expect(readdirSync(folder).toSorted()).toEqual(['.file.drafts', 'file', 'is-folder']);
  });

  test('is one of the two texts when several write at once', async () => {
    const file = join(await newFolder(), 'file');
    const texts = Array.from({ length: 12 }, (_, at) => `${at}`.repeat(50_000));
    await Promise.all(texts.map((text) => replaceWhole(file, text)));
    expect(texts).toContain(readFileSync(file, 'utf8'));
    expect(readdirSync(dirname(file))).toEqual(['file']);
  });
});

test('a kill leaves the file whole, and its draft only where tools see nothing; the next one removes it', async () => {
  const file = join(await newFolder(), 'config.json');
  writeFileSync(file, 'old');
  const module = join(import.meta.dirname, '../../src/lib/replace-whole.ts');
  // A text that does not end: it is killed while it writes.
  const program = `
    const { replaceWhole } = await import(${JSON.stringify(module)});
    process.stdin.resume().on('end', () => process.exit());
    await replaceWhole(${JSON.stringify(file)}, (async function* () { yield 'secret'; await new Promise(() => {}); })());
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const drafts = draftsFolderOf(file);
  const textsIn = () => readdirSync(drafts).map((name) => readFileSync(join(drafts, name), 'utf8'));
  await waitUntil(() => existsSync(drafts) && textsIn().includes('secret'));
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(readFileSync(file, 'utf8')).toBe('old');
  expect(readdirSync(dirname(file)).toSorted()).toEqual(['.config.json.drafts', 'config.json']);
  expect(modeOf(drafts)).toBe(0o700);
  await replaceWhole(file, 'new');
  expect(readdirSync(dirname(file))).toEqual(['config.json']);
});
