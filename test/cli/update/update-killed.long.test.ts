import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { newFolder } from '../../support/new-folder.ts';
import { anyNumber, anything, saying } from '../../support/saying.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { globalInstall } from './package-setting.ts';
import { type Begun, expectTidy, newVersion, settingWithData, updateSetting } from './update-setting.ts';

const say = updateWords.en;
const version = ownVersion();
const modules = join(import.meta.dirname, '../../../node_modules');

function withOtherPackages(folder: string): void {
  newVersion(folder);
  appendFileSync(join(folder, 'package-lock.json'), '\n');
}

/** Kills it while its npm is at work, and that npm, too. */
async function killedInNpm({ child }: Begun, home: string): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
  process.kill(Number(readFileSync(join(home, 'hangs'), 'utf8')), 'SIGKILL');
  rmSync(join(home, 'hang'));
}

async function hangs(home: string): Promise<void> {
  await waitUntil(() => existsSync(join(home, 'hangs')) && readFileSync(join(home, 'hangs'), 'utf8').endsWith('\n'));
}

test('an update that was killed while packages are installed is gone back, with the former packages', async () => {
  const setting = await settingWithData();
  const { run, begin, next, git, clone, home } = setting;
  const [before, linked] = [git('rev-parse', 'HEAD'), readlinkSync(join(clone, 'node_modules'))];
  const after = next(withOtherPackages);
  writeFileSync(join(home, 'hang'), '');
  const begun = begin(['update', '--yes']);
  onTestFinished(() => void begun.child.kill('SIGKILL'));
  await hangs(home);
  const second = await run(['update', '--yes']);
  expect(second.code).toBe(1);
  expect(second.stderr).toMatch(saying(say.underWay({ from: version, to: '0.9.0', pid: begun.child.pid ?? 0 })));
  await killedInNpm(begun, home);
  expect(git('rev-parse', 'HEAD')).toBe(after);
  expect(existsSync(join(clone, 'node_modules/zod'))).toBe(false);
  const { code, stderr } = await run(['update', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toContain(say.interrupted({ from: version, to: '0.9.0' }));
  expect(stderr).toContain(say.wentBack({ version, fault: say.wasInterrupted }));
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(readlinkSync(join(clone, 'node_modules'))).toBe(linked);
  expectTidy(setting);
  expect((await run(['update', '--yes'])).stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
  expectTidy(setting);
});

test('an update that was killed while it removes the former packages is not gone back', async () => {
  const setting = await settingWithData();
  const { run, next, git, clone, home } = setting;
  const after = next(withOtherPackages);
  rmSync(join(clone, 'node_modules'));
  mkdirSync(join(clone, 'node_modules'));
  for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(clone, 'node_modules', name));
  const killer = join(home, 'killer.cjs');
  writeFileSync(killer, killsInRemoval);
  const killed = await run(['update', '--yes'], { NODE_OPTIONS: `--require=${killer}` });
  expect(killed.code).toBe(null);
  expect(killed.stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
  const left = join(git('rev-parse', '--absolute-git-dir'), 'keyturn-former-modules');
  expect(readdirSync(left)).not.toContain('zod');
  const { code, stdout, stderr } = await run(['update', '--yes']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout.trim()).toBe(say.newest({ version: '0.9.0' }));
  expect(git('rev-parse', 'HEAD')).toBe(after);
  expect(readlinkSync(join(clone, 'node_modules'))).toBe(modules);
  expectTidy(setting);
});

/** Has the process die when half of the former packages are removed. */
const killsInRemoval = `
const fs = require('node:fs');
const remove = fs.rmSync;
fs.rmSync = (path, options) => {
  if (!String(path).endsWith('keyturn-former-modules') || !fs.existsSync(path)) return remove(path, options);
  remove(path + '/zod', { recursive: true });
  process.kill(process.pid, 'SIGKILL');
};
require('node:module').syncBuiltinESMExports();
`;

test('of two updates at once, one updates', async () => {
  const setting = updateSetting(await newFolder());
  const { run, next, git } = setting;
  const after = next(newVersion);
  // Two that fetch the same would be in each other's way before.
  git('fetch', '--quiet');
  const runs = await Promise.all([run(['update', '--yes']), run(['update', '--yes'])]);
  const [other, ...more] = runs.filter(({ code }) => code !== 0);
  expect(more).toEqual([]);
  expect(other?.stderr).toMatch(saying(say.underWay({ from: version, to: '0.9.0', pid: anyNumber })));
  expect(git('rev-parse', 'HEAD')).toBe(after);
  expectTidy(setting);
});

test('an update of a global package that was killed before it was packed leaves it as it is', async () => {
  const { run, begin, home, modules: folder, calls } = await globalInstall();
  writeFileSync(join(home, 'latest'), '0.9.0\n');
  writeFileSync(join(home, 'hang'), '');
  const begun = begin('update', '--yes');
  onTestFinished(() => void begun.child.kill('SIGKILL'));
  await hangs(home);
  await killedInNpm(begun, home);
  const { code, stderr } = await run('update', '--yes');
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(calls().at(-1)).toMatch(/^npm pack/);
  expect(readdirSync(folder)).toEqual(['keyturn']);
  expect((await run('update', '--yes')).stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
});
