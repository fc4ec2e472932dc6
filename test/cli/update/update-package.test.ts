import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { isNewer } from '../../../src/cli/commands/update/global-package.ts';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { newFolder } from '../../support/new-folder.ts';
import { anything, saying } from '../../support/saying.ts';

const project = join(import.meta.dirname, '../../..');
const say = updateWords.en;
const version = ownVersion();

/** A global install, and an npm that packs it and installs what it is told: the version 0.9.0, or the packed one. */
async function globalInstall() {
  const folder = await newFolder();
  const [modules, home, bin] = [join(folder, 'lib/node_modules'), join(folder, 'home'), join(folder, 'bin')];
  const own = join(modules, 'keyturn');
  for (const one of [own, home, bin]) mkdirSync(one, { recursive: true });
  for (const name of ['src', 'channels', 'packages/fakes/src', 'package.json'])
    cpSync(join(project, name), join(own, name), { recursive: true });
  symlinkSync(join(project, 'node_modules'), join(own, 'node_modules'));
  const npm = `#!/bin/sh
echo "npm $*" >> '${home}/npm-calls'
case "$*" in
  view*) cat '${home}/latest' 2>/dev/null || { echo 'npm error 404' >&2; exit 1; } ;;
  pack*) cp '${own}/package.json' '${modules}/keyturn-${version}.tgz' ;;
  install*@0.9.0)
    sed -i 's/"version": "[^"]*"/"version": "0.9.0"/' '${own}/package.json'
    [ -e '${home}/breaks' ] && echo "throw new Error('it is broken');" > '${own}/dist/src/main.js' ;;
  install*.tgz) cp "\${@: -1}" '${own}/package.json' 2>/dev/null; rm -rf '${own}/dist' ;;
esac
exit 0
`;
  writeFileSync(join(bin, 'npm'), npm.replace('#!/bin/sh', '#!/bin/bash'));
  chmodSync(join(bin, 'npm'), 0o755);
  const run = async (...args: readonly string[]) => {
    const child = spawn(process.execPath, [join(own, 'src/packaged.js'), ...args], {
      cwd: home,
      env: { PATH: `${bin}:${process.env.PATH}`, HOME: home, KEYTURN_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { code: child.exitCode, stdout, stderr };
  };
  const calls = (): readonly string[] => readFileSync(join(home, 'npm-calls'), 'utf8').trim().split('\n');
  return { run, home, modules, calls };
}

test('a global package is updated to the newest version of the registry', async () => {
  const { run, home, modules, calls } = await globalInstall();
  const unknown = await run('update', '--yes');
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toMatch(saying(say.notInRegistry({ fault: anything })));
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
  writeFileSync(join(home, 'breaks'), '');
  const { code, stderr } = await run('update', '--yes');
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(stderr).toContain('it is broken');
  expect(calls().at(-1)).toBe(`npm install --global --no-audit --no-fund ${join(modules, `keyturn-${version}.tgz`)}`);
  expect((await run('--version')).stdout.trim()).toBe(version);
  expect(existsSync(join(modules, '.keyturn-update.json'))).toBe(false);
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
