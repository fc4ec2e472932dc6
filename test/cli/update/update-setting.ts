import { type ChildProcess, type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { openStore } from '../../../src/store/index.ts';
import { newFolder } from '../../support/new-folder.ts';
import type { CommandRun } from '../../support/run-command.ts';

const project = join(import.meta.dirname, '../../..');
const modules = join(project, 'node_modules');
const own = ['src', 'channels', 'package.json', 'package-lock.json', 'CHANGELOG.md', 'config.schema.json'];

/** Stands for npm: installs by a link to the packages of this project, unless the lock file is broken. */
const npm = `#!/bin/sh
echo "npm $*" >> "$HOME/npm-calls"
[ -e "$HOME/hang" ] && { echo $$ > "$HOME/hangs"; exec sleep 1000; }
grep -q broken package-lock.json && { echo 'npm error the registry is gone' >&2; exit 1; }
ln -s '${modules}' node_modules
`;

/** Stands for systemd: runs the clone as its service, and answers a start once that can be talked to. */
const systemctl = (clone: string, served: string): string => `#!/bin/sh
cd "$HOME"
pid=$(cat pid 2>/dev/null)
lives() { [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null; }
case "$*" in
  *'restart keyturn.service'*)
    '${process.execPath}' '${clone}/src/start.js' --config '${served}/config.json' </dev/null >>log 2>&1 &
    pid=$!; echo $pid > pid
    while lives; do [ -S '${served}/data/control.sock' ] && exit 0; sleep 0.1; done
    echo 'Job for keyturn.service failed' >&2; exit 1 ;;
  *'stop keyturn.service'*)
    lives && kill "$pid"; while lives; do sleep 0.1; done; rm -f pid ;;
  *'show keyturn.service'*) lives && echo ActiveState=active || echo ActiveState=inactive ;;
esac
exit 0
`;

export interface Begun {
  readonly child: ChildProcess;
  readonly ended: Promise<CommandRun>;
}

/** Runs a script of Keyturn in a folder. */
export function beginProgram(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Begun {
  const child = spawn(process.execPath, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  return { child, ended: endOf(child) };
}

async function endOf(child: ChildProcessByStdio<null, Readable, Readable>): Promise<CommandRun> {
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

export interface UpdateSetting {
  /** The clone that is updated. */
  readonly clone: string;
  /** The folder of the config and the data. */
  readonly home: string;
  /** Makes the next version, which the clone can fetch: changes files, and commits. */
  next(change: (folder: string) => void): string;
  /** Gives a command of the clone. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandRun>;
  /** The same, while it runs. */
  begin(args: readonly string[], env?: Readonly<Record<string, string>>): Begun;
  /** Runs git in the clone. */
  git(...args: readonly string[]): string;
  /** What npm was told. */
  npmCalls(): readonly string[];
}

/** A clone of this project as it is now, and the repository that it follows. */
export function updateSetting(folder: string): UpdateSetting {
  const [remote, work, clone, home, bin] = ['remote', 'work', 'clone 克隆', 'home', 'bin'].map((name) =>
    join(folder, name),
  );
  if (!remote || !work || !clone || !home || !bin) throw new Error('a folder is missing');
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: home,
    GIT_CONFIG_GLOBAL: join(folder, 'gitconfig'),
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
  const gitIn = (cwd: string, ...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  for (const one of [work, home, bin]) mkdirSync(one);
  writeFileSync(env.GIT_CONFIG_GLOBAL, '[user]\n  name = a\n  email = a@b\n[init]\n  defaultBranch = main\n');
  writeFileSync(join(bin, 'npm'), npm, { mode: 0o755 });
  gitIn(folder, 'init', '--quiet', '--bare', remote);
  gitIn(work, 'init', '--quiet');
  for (const name of own) cpSync(join(project, name), join(work, name), { recursive: true });
  writeFileSync(join(work, '.gitignore'), 'node_modules\n.bundles\n');
  const commit = (): string => {
    gitIn(work, 'add', '--all');
    gitIn(work, 'commit', '--quiet', '--message=a');
    gitIn(work, 'push', '--quiet', remote, 'main');
    return gitIn(work, 'rev-parse', 'HEAD');
  };
  commit();
  gitIn(folder, 'clone', '--quiet', remote, clone);
  symlinkSync(modules, join(clone, 'node_modules'));
  const start = join(clone, 'src/start.js');
  return {
    clone,
    home,
    next(change) {
      change(work);
      return commit();
    },
    run: (args, more = {}) => beginProgram([start, ...args], home, { ...env, ...more }).ended,
    begin: (args, more = {}) => beginProgram([start, ...args], home, { ...env, ...more }),
    git: (...args) => gitIn(clone, ...args),
    npmCalls() {
      const calls = join(home, 'npm-calls');
      return existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
    },
  };
}

/** Makes it the version 0.9.0, with a line in its changelog. */
export function newVersion(folder: string): void {
  const file = join(folder, 'package.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"version": "[^"]*"/, '"version": "0.9.0"'));
  appendFileSync(join(folder, 'CHANGELOG.md'), '\n## [0.9.0]\n\n### Added\n\n- It dances.\n');
}

/** The clone runs as a service of its user, with the config of that folder in the home folder. It is ended with the test. */
export async function settingWithService(config: object, folder = ''): Promise<UpdateSetting> {
  const setting = updateSetting(await newFolder());
  const { home, clone } = setting;
  const served = join(home, folder);
  mkdirSync(served, { recursive: true });
  writeFileSync(join(home, '../bin/systemctl'), systemctl(clone, served), { mode: 0o755 });
  writeFileSync(join(served, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const manage = (what: string): void =>
    void execFileSync(join(home, '../bin/systemctl'), ['--user', what, 'keyturn.service'], {
      env: { PATH: process.env.PATH, HOME: home },
      stdio: 'ignore',
    });
  mkdirSync(join(home, '.config/systemd/user'), { recursive: true });
  const line = [process.execPath, join(clone, 'src/start.js'), '--config', join(served, 'config.json')];
  const unit = `[Service]\nExecStart=${line.map((word) => `"${word}"`).join(' ')}\n`;
  writeFileSync(join(home, '.config/systemd/user/keyturn.service'), unit);
  onTestFinished(() => manage('stop'));
  manage('restart');
  return setting;
}

/** With data, of which there is something to save. */
export async function settingWithData(): Promise<UpdateSetting> {
  const setting = updateSetting(await newFolder());
  await openStore(join(setting.home, 'data/keyturn.db')).close();
  return setting;
}

/** All that an update leaves behind is gone. */
export function expectTidy({ git }: UpdateSetting): void {
  const place = git('rev-parse', '--absolute-git-dir');
  expect(readdirSync(place).filter((name) => name.startsWith('keyturn-'))).toEqual([]);
  expect(git('status', '--porcelain')).toBe('');
}
