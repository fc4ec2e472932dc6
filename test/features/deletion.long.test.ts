import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const list = 'src/daemon/features.ts';
const names = readdirSync(join(root, 'src/features'));

let copy = '';
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'keyturn-without-'));
  for (const part of [
    'src',
    'channels',
    'packages',
    'test',
    'examples',
    'scripts',
    'bench',
    'package.json',
    'tsconfig.json',
  ])
    cpSync(join(root, part), join(copy, part), {
      recursive: true,
      filter: (path) => !/node_modules|\/dist$/.test(path),
    });
  for (const part of readdirSync(root).filter((name) => name.endsWith('.config.ts')))
    cpSync(join(root, part), join(copy, part));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Says one line through the terminal, and resolves with all that it showed. */
async function said(line: string): Promise<string> {
  const folder = mkdtempSync(join(copy, 'home-'));
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ model: 'offline', log: { level: 'error' } }));
  const daemon = run(process.execPath, [join(copy, 'src/main.ts'), '--config', join(folder, 'config.json')], {
    timeout: 120_000,
    env: { PATH: process.env.PATH, HOME: folder },
  });
  daemon.child.stdin?.end(`${line}\n`);
  return (await daemon).stdout;
}

/** Resolves with what the compiler finds wrong. */
async function faults(): Promise<string> {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const found = await run(
    process.execPath,
    [compiler, '--noEmit', '--incremental', '--tsBuildInfoFile', join(copy, 'types'), '-p', copy],
    {
      cwd: copy,
    },
  ).catch(({ stdout }: { readonly stdout: string }) => ({ stdout }));
  return found.stdout;
}

describe.each(names)('without the feature %s', (name) => {
  const parts = [`src/features/${name}`, `test/features/${name}`];
  beforeAll(() => {
    const lines = readFileSync(join(root, list), 'utf8').split('\n');
    const others = lines.filter((line) => !line.includes(`/features/${name}/`));
    expect(others).toHaveLength(lines.length - 1);
    for (const part of parts) rmSync(join(copy, part), { recursive: true, force: true });
    writeFileSync(join(copy, list), others.join('\n'));
  });
  afterAll(() => {
    for (const part of parts) cpSync(join(root, part), join(copy, part), { recursive: true });
    cpSync(join(root, list), join(copy, list));
  });

  test('all of the rest compiles, its tests too', async () => expect(await faults()).toBe(''));

  test('a daemon starts and answers', async () => {
    expect(await said('/help')).toContain('answers with a language model');
    expect(await said('list the files')).toContain('is empty');
  });
});
