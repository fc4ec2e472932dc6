import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { newFolder } from '../../support/new-folder.ts';
import type { CommandRun } from '../../support/run-command.ts';
import { type Begun, beginProgram } from './update-setting.ts';

const project = join(import.meta.dirname, '../../..');
const version = ownVersion();

/** A global install, and an npm that packs it and installs what it is told: the version 0.9.0, or the packed one. */
export async function globalInstall() {
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
  view*) [ ! -e '${home}/away' ] || { echo 'npm error code ENOTFOUND' >&2; exit 1; }
    cat '${home}/latest' 2>/dev/null || { echo 'npm error code E404' >&2; exit 1; } ;;
  pack*)
    [ -e '${home}/full' ] && { echo 'npm error ENOSPC' >&2; exit 1; }
    [ -e '${home}/hang' ] && { echo $$ > '${home}/hangs'; exec sleep 1000; }
    cp '${own}/package.json' '${modules}/keyturn-${version}.tgz' ;;
  install*@0.9.0)
    sed -i 's/"version": "[^"]*"/"version": "0.9.0"/' '${own}/package.json'
    [ -e '${home}/breaks' ] && echo "throw new Error('it is broken');" > '${own}/dist/src/main.js' ;;
  install*.tgz) cp "\${@: -1}" '${own}/package.json' || exit 1; rm -rf '${own}/dist' ;;
esac
exit 0
`;
  writeFileSync(join(bin, 'npm'), npm.replace('#!/bin/sh', '#!/bin/bash'));
  chmodSync(join(bin, 'npm'), 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, KEYTURN_HOME: home };
  const begin = (...args: readonly string[]): Begun => beginProgram([join(own, 'src/packaged.js'), ...args], home, env);
  const run = async (...args: readonly string[]): Promise<CommandRun> => begin(...args).ended;
  const calls = (): readonly string[] => readFileSync(join(home, 'npm-calls'), 'utf8').trim().split('\n');
  return { run, begin, home, modules, calls };
}
