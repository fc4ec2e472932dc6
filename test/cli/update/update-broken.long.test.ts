import { readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { anything, saying } from '../../support/saying.ts';
import { expectTidy, newVersion, settingWithData } from './update-setting.ts';

const say = updateWords.en;
const version = ownVersion();

test.each([
  [
    'whose dependencies cannot be installed',
    'package-lock.json',
    (old: string) => `${old}broken`,
    /the registry is gone/,
  ],
  ['that cannot be run', 'src/main.ts', () => "throw new Error('it is broken');", /it is broken/],
  [
    'that cannot use the config',
    'src/config/validate.ts',
    (old: string) =>
      old.replace(
        'export async function validate',
        "throw new TypeError('no config');\nexport async function validate",
      ),
    /no config/,
  ],
  [
    'that cannot open the data',
    'src/store/migrations.ts',
    (old: string) => `${old.trimEnd().slice(0, -2)}  { core: 'INSERT INTO nowhere VALUES (1)' },\n];\n`,
    /nowhere/,
  ],
  [
    'that does not start',
    'src/daemon/lifecycle.ts',
    (old: string) => old.replace('await parts.localSocket.open();', "throw new Error('no socket');"),
    /no socket/,
  ],
])('of a version %s nothing stays', async (_what, file, breakIt, reason) => {
  const setting = await settingWithData();
  const { run, next, git, clone, home } = setting;
  writeFileSync(join(home, 'config.json'), '{ "model": "offline", "gateway": { "enabled": true } }', { mode: 0o600 });
  const [before, modules] = [git('rev-parse', 'HEAD'), realpathSync(join(clone, 'node_modules'))];
  next((folder) => {
    newVersion(folder);
    const path = join(folder, file);
    const broken = breakIt(readFileSync(path, 'utf8'));
    expect(broken).not.toBe(readFileSync(path, 'utf8'));
    writeFileSync(path, broken);
  });
  const { code, stderr } = await run(['update', '--yes']);
  expect(stderr).toMatch(reason);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(code).toBe(1);
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(realpathSync(join(clone, 'node_modules'))).toBe(modules);
  expect((await run(['--version'])).stdout.trim()).toBe(version);
  expect((await run(['verify'])).code).toBe(0);
  expectTidy(setting);
});
