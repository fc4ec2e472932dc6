import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unconfined } from '../../../../src/tools/guard/process/bounds.ts';
import { processGuard } from '../../../../src/tools/guard/process/process.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { SeededRandom } from '../../../support/random.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { listed } from '../../setting.ts';
import { requestOf, sandboxSetting } from './sandbox-setting.ts';

const limits = { processes: 64, memory: 2 * 2 ** 30, fileSize: 2 ** 20, minFree: 1 };
const protectedNames = ['.git/hooks/', '.git/config', '.envrc', '.bashrc', '.vscode/'];

/** The same without a sandbox. */
async function bareSetting() {
  const workspace = await newFolder();
  const environment = { PATH: process.env.PATH };
  const guard = processGuard({ clock: systemClock, environment, bounds: unconfined(limits) });
  return { workspace, run: async (command: string) => guard(await requestOf(command, { directory: workspace })) };
}

describe.each([
  ['in the sandbox', () => sandboxSetting({ limits })],
  ['without it', bareSetting],
])('a command %s', (_, setting) => {
  test('leaves no setuid or setgid program behind', async () => {
    const { run, workspace } = await setting();
    await run('cp /bin/sh s; chmod 4755 s; mkdir -p a/b; cp s "a/b/t u"; chmod 2755 "a/b/t u"; echo x > "a/b/plain"');
    for (const name of ['s', 'a/b/t u']) {
      const { mode } = await stat(join(workspace, name));
      expect(mode & 0o7777).toBe(0o755);
    }
  });

  test('cannot fill the disk with one file, or the memory with one process', async () => {
    const { run, workspace } = await setting();
    expect((await run('head -c 5000000 /dev/zero > big')).exitCode).not.toBe(0);
    expect((await stat(join(workspace, 'big'))).size).toBe(2 ** 20);
    const take = (megabytes: number) => `node -e "console.log(Buffer.alloc(${megabytes} * 2 ** 20).length)"`;
    expect((await run(take(3000))).stdout).toBe('');
    expect((await run(take(100))).stdout).toBe(`${100 * 2 ** 20}\n`);
  });

  test('gets its arguments and gives its exit code as without limits', async () => {
    const { run } = await setting();
    expect(await run("printf '%s|' \"$0\" 'a  b'; exit 7")).toMatchObject({ stdout: 'sh|a  b|', exitCode: 7 });
  });
});

describe('in the sandbox', () => {
  test('a command may have only as many processes as the limit', async () => {
    const { run } = await sandboxSetting({ limits });
    expect((await run('bash -c "ulimit -u; ulimit -Hu"')).stdout).toBe('64\n64\n');
  });

  test('a command has no capability, and can get none', async () => {
    const { run } = await sandboxSetting({ limits });
    const { stdout } = await run('grep -h ^Cap /proc/self/status');
    expect(stdout.match(/\b[0-9a-f]{16}\b/g)).toEqual(Array(5).fill('0'.repeat(16)));
  });

  test('no program can be given capabilities that hold outside', async () => {
    const { run, workspace } = await sandboxSetting({ limits });
    const [setxattr, listxattr] = process.arch === 'arm64' ? [5, 11] : [188, 194];
    const set = `$file = "s"; $name = "security.capability"; $value = pack("H40", "0100000200ffffffff" . "0" x 22);
      print "tried: ", syscall(${setxattr}, $file, $name, $value, 20, 0)`;
    expect((await run(`cp /bin/sh s; perl -e '${set}'`)).stdout).toContain('tried: ');
    const list = `$file = $ARGV[0]; $names = "\\0" x 1000; print "length: ", syscall(${listxattr}, $file, $names, 1000), $names`;
    const listed = execFileSync('perl', ['-e', list, join(workspace, 's')]).toString();
    expect(listed).toMatch(/^length: \d/);
    expect(listed).not.toContain('security.capability');
  });

  test('a command cannot write a protected name, whether it exists or not', async () => {
    const workspace = await newFolder();
    execFileSync('git', ['init', '-q', workspace]);
    await mkdir(join(workspace, 'sub', '.vscode'), { recursive: true });
    await writeFile(join(workspace, 'sub', '.envrc'), 'old');
    const { run } = await sandboxSetting({ workspace, protectedNames });
    const attempts = listed`echo x > .git/hooks/post-commit ¦ echo x >> .git/config ¦ mv .git g ¦ echo x > .envrc
      ¦ rm -f .envrc && echo x > .envrc ¦ mv .bashrc b ¦ echo x > .bashrc
      ¦ mkdir -p .vscode && echo x > .vscode/tasks.json ¦ echo x > sub/.envrc ¦ echo x > sub/.vscode/tasks.json`;
    for (const attempt of attempts) expect(`${attempt}: ${(await run(attempt)).exitCode}`).toMatch(/: [1-9]\d*$/);
    expect(
      (await run('echo hi > a && git add a && git -c user.name=a -c user.email=a commit -qm a && git log --oneline'))
        .exitCode,
    ).toBe(0);
    expect((await readdir(workspace)).toSorted()).toEqual(['.git', 'a', 'sub']);
    expect(await readFile(join(workspace, 'sub', '.envrc'), 'utf8')).toBe('old');
    expect(await readdir(join(workspace, 'sub', '.vscode'))).toEqual([]);
  });

  test('a protected name holds in inner folders, however the config writes it', async () => {
    const workspace = await newFolder();
    await mkdir(join(workspace, 'sub'));
    await writeFile(join(workspace, 'sub', '.envrc'), 'old');
    const { run } = await sandboxSetting({ workspace, protectedNames: ['./.envrc'] });
    expect((await run('echo x > sub/.envrc')).exitCode).not.toBe(0);
    expect(await readFile(join(workspace, 'sub', '.envrc'), 'utf8')).toBe('old');
  });

  test('protected names that a command creates in inner folders are reported, and nothing else', async () => {
    const workspace = await newFolder();
    await mkdir(join(workspace, 'old'));
    await writeFile(join(workspace, 'old', '.envrc'), 'old');
    const { run } = await sandboxSetting({ workspace, protectedNames });
    const { refusals } = await run('git init -q new; mkdir -p a/b a/.git; echo x > a/b/.envrc; ln -s x a/.bashrc');
    expect(refusals).toEqual([
      'It has made "a/.bashrc", "a/b/.envrc", "new/.git/config", "new/.git/hooks", which may run when somebody works with that folder. Let a person look at it first.',
    ]);
    await rm(join(workspace, 'a', '.bashrc'));
    expect((await run('echo y > a/file; mkdir c')).refusals).toEqual([]);
  });

  test('a command runs in a worktree of git, where `.git` is a file', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    await writeFile(join(workspace, '.git'), 'gitdir: elsewhere');
    expect((await run('echo runs')).stdout).toBe('runs\n');
  });

  test.each([
    ['.envrc', 'real', 'real'],
    ['sub/.envrc', '../real', 'real'],
    ['.git', 'repository', 'repository/hooks/pre-commit'],
  ])(
    'a link in the path of a protected name can be neither replaced nor written through: %s',
    async (link, to, real) => {
      const { run, workspace } = await sandboxSetting({ protectedNames });
      await mkdir(join(workspace, 'sub'));
      await mkdir(join(workspace, 'repository', 'hooks'), { recursive: true });
      await writeFile(join(workspace, real), 'old');
      await symlink(to, join(workspace, link));
      for (const command of [
        `echo x > ${link}; echo x > ${real}`,
        `rm -f ${link}; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit; echo x > .envrc; echo x > sub/.envrc`,
      ]) {
        await run(command).catch((error: unknown) => expect(String(error)).toContain('is a link'));
      }
      expect(await readlink(join(workspace, link))).toBe(to);
      expect(await readFile(join(workspace, real), 'utf8')).toBe('old');
    },
  );

  test('many commands run at the same time, and none of their stand-ins is left', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const random = new SeededRandom(7);
    const workers = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < 8; count += 1) {
        const aborting = new AbortController();
        const ended = run(`sleep 0.0${random.integer(0, 9)}; echo x > .envrc || echo held`, {
          signal: aborting.signal,
        });
        if (random.chance(0.2)) aborting.abort();
        const { stdout, stderr, exitCode } = await ended.catch(() => ({ stdout: 'held\n', stderr: '', exitCode: 0 }));
        if (!aborting.signal.aborted)
          expect({ stdout, exitCode, stderr }).toMatchObject({ stdout: 'held\n', exitCode: 0 });
      }
    });
    await Promise.all(workers);
    expect(await readdir(workspace)).toEqual([]);
  });

  test('the stand-ins of a killed process protect the next one too, and go with its commands', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const { run: runNext } = await sandboxSetting({ workspace, protectedNames });
    await mkdir(join(workspace, '.git'));
    await writeFile(join(workspace, '.bashrc'), '');
    // The first process does not come to let go of it: it is killed while its command runs.
    const aborting = new AbortController();
    const held = run('echo begun > begun; exec sleep 60', { signal: aborting.signal });
    await waitUntil(() => existsSync(join(workspace, 'begun')), { what: 'the command to run' });
    const attempts = ['echo x > .envrc', 'mkdir -p .vscode && echo x > .vscode/tasks.json', 'echo x > .git/config'];
    for (const attempt of attempts) expect((await runNext(attempt)).exitCode).not.toBe(0);
    expect((await readdir(workspace)).toSorted()).toEqual(['.bashrc', '.git', 'begun']);
    expect(await readdir(join(workspace, '.git'))).toEqual([]);
    aborting.abort();
    await held;
  });

  test('what a person puts there while a command runs stays', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    const running = run('touch begun; while [ ! -e done ]; do sleep 0.01; done; cat .envrc');
    await waitUntil(() => existsSync(join(workspace, 'begun')), { what: 'the command to run' });
    await writeFile(join(workspace, '.envrc'), 'mine');
    await writeFile(join(workspace, 'done'), '');
    expect((await running).stdout).toBe('');
    expect(await readFile(join(workspace, '.envrc'), 'utf8')).toBe('mine');
    expect((await run('cat .envrc; echo x > .envrc || echo held')).stdout).toBe('mineheld\n');
  });

  test('a repository can be made there', async () => {
    const { run, workspace } = await sandboxSetting({ protectedNames });
    expect((await run('git init -q . && git status')).exitCode).toBe(0);
    expect(await readdir(workspace)).toEqual(['.git']);
  });
});
