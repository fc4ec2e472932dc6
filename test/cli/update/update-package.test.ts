import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isNewer } from '../../../src/cli/commands/update/global-package.ts';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { anything, saying } from '../../support/saying.ts';
import { globalInstall } from './package-setting.ts';

const say = updateWords.en;
const version = ownVersion();

test('a global package is updated to the newest version of the registry', async () => {
  const { run, home, modules, calls } = await globalInstall();
  const unknown = await run('update', '--yes');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr.trim()).toBe(say.notPublished);
  writeFileSync(join(home, 'away'), '');
  expect((await run('update')).stderr).toMatch(saying(say.notInRegistry({ fault: anything })));
  rmSync(join(home, 'away'));
  writeFileSync(join(home, 'latest'), `${version}\n`);
  expect((await run('update')).stdout.trim()).toBe(say.newest({ version }));
  writeFileSync(join(home, 'latest'), '0.9.0\n');
  const { code, stdout, stderr } = await run('update', '--yes');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
  expect(calls().at(-1)).toBe('npm install --global --no-audit --no-fund keyturn@0.9.0');
  expect(readdirSync(modules)).toEqual(['keyturn']);
});

test('a newer package that cannot be run is replaced by the one that was there, which was packed before', async () => {
  const { run, home, modules, calls } = await globalInstall();
  writeFileSync(join(home, 'latest'), '0.9.0\n');
  // Before it is packed, nothing has to be put back.
  writeFileSync(join(home, 'full'), '');
  const full = await run('update', '--yes');
  expect(full.code).toBe(1);
  expect(full.stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(full.stderr).toContain('ENOSPC');
  expect(calls().at(-1)).toMatch(/^npm pack/);
  expect(readdirSync(modules)).toEqual(['keyturn']);
  rmSync(join(home, 'full'));
  writeFileSync(join(home, 'breaks'), '');
  const { code, stderr } = await run('update', '--yes');
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(stderr).toContain('it is broken');
  expect(calls().at(-1)).toBe(`npm install --global --no-audit --no-fund ${join(modules, `keyturn-${version}.tgz`)}`);
  expect((await run('--version')).stdout.trim()).toBe(version);
  expect(readdirSync(modules)).toEqual(['keyturn']);
});

test.each([
  ['0.10.0', '0.9.9', true],
  ['0.9.9', '0.10.0', false],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.2', '1.0.0', false],
])('whether %s is newer than %s: %s', (one, than, isIt) => {
  expect(isNewer(one, than)).toBe(isIt);
});
