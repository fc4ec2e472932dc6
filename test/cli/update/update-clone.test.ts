import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundlesOfClone, noteOfClone } from '../../../src/bundle.js';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { newFolder } from '../../support/new-folder.ts';
import { anything, saying } from '../../support/saying.ts';
import { expectTidy, newVersion, settingWithData, type UpdateSetting, updateSetting } from './update-setting.ts';

const say = updateWords.en;
const version = ownVersion();

test('--check tells what is newer and what changes, and changes nothing', async () => {
  const { run, next, git } = updateSetting(await newFolder());
  const before = git('rev-parse', 'HEAD');
  expect((await run(['update', '--check'])).stdout.trim()).toBe(say.newest({ version }));
  next(newVersion);
  const { code, stdout } = await run(['update', '--check']);
  expect(code).toBe(0);
  expect(stdout).toContain(say.newer({ from: version, to: '0.9.0' }));
  expect(stdout).toContain('## [0.9.0]\n### Added\n- It dances.');
  const json = JSON.parse((await run(['update', '--check', '--json'])).stdout);
  expect(json).toMatchObject({ update: true, version, newest: '0.9.0', gone_keys: [] });
  expect((await run(['update'])).code).toBe(1);
  expect(git('rev-parse', 'HEAD')).toBe(before);
});

test('a version that works is taken, after a backup, and after it has opened a copy of the data and started', async () => {
  const setting = await settingWithData();
  const { run, next, git, home, npmCalls } = setting;
  const commit = next((folder) => {
    newVersion(folder);
    const collectors = "Object.keys(process.env).filter((name) => name.startsWith('OTEL_EXPORTER'))";
    const tells = `import { writeFileSync } from 'node:fs';\nwriteFileSync(\`\${process.env.HOME}/trial\`, String(${collectors}));\n`;
    appendFileSync(join(folder, 'src/cli/run-daemon.ts'), tells);
  });
  const { code, stdout, stderr } = await run(['update', '--yes'], {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  });
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(say.steps.tried({ hasData: true }));
  // The start that only tries it sends no traces.
  expect(readFileSync(join(home, 'trial'), 'utf8')).toBe('');
  expect(stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
  expect(readdirSync(join(home, 'data/backups'))).toEqual([expect.stringMatching(/^keyturn-.*\.tar\.gz$/)]);
  expect(git('rev-parse', 'HEAD')).toBe(commit);
  expect((await run(['--version'])).stdout.trim()).toBe('0.9.0');
  // Its dependencies are those of before.
  expect(npmCalls()).toEqual([]);
  expectTidy(setting);
});

test('data of which no backup can be made end the update before anything is replaced', async () => {
  const setting = updateSetting(await newFolder());
  const { run, next, git, home } = setting;
  const before = git('rev-parse', 'HEAD');
  next(newVersion);
  mkdirSync(join(home, 'data'));
  writeFileSync(join(home, 'data/keyturn.db'), 'no database '.repeat(1000));
  const { code, stdout, stderr } = await run(['update', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: say.notSaved({ fault: anything }) })));
  expect(stdout).toBe('');
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expectTidy(setting);
});

test('other dependencies are installed, with those for developers if they were there', async () => {
  const setting = updateSetting(await newFolder());
  const { run, next, npmCalls, clone } = setting;
  next((folder) => {
    newVersion(folder);
    appendFileSync(join(folder, 'package-lock.json'), '\n');
  });
  const { code, stdout } = await run(['update', '--yes']);
  expect(code).toBe(0);
  expect(stdout).toContain(say.steps.tried({ hasData: false }));
  expect(npmCalls()).toEqual(['npm ci --no-audit --no-fund']);
  expect(existsSync(join(clone, 'node_modules'))).toBe(true);
  expectTidy(setting);
});

describe('a clone that was packed', () => {
  /** As npm makes it: with the packages of this project, and a bundle of the former version. */
  function packedSetting(setting: UpdateSetting, script: string): void {
    const modules = join(setting.clone, 'node_modules');
    const linked = realpathSync(modules);
    rmSync(modules);
    mkdirSync(modules);
    mkdirSync(join(setting.clone, bundlesOfClone));
    for (const name of readdirSync(linked)) if (name !== '.cache') symlinkSync(join(linked, name), join(modules, name));
    writeFileSync(join(setting.clone, bundlesOfClone, noteOfClone), '{ "folder": "bundle-1", "files": [] }');
    setting.next((folder) => {
      newVersion(folder);
      mkdirSync(join(folder, 'scripts'));
      cpSync(join(import.meta.dirname, '../../../scripts/run.js'), join(folder, 'scripts/run.js'));
      writeFileSync(join(folder, 'scripts/bundle-clone.ts'), script);
    });
  }

  test('is packed again, before the newer version is tried', async () => {
    const setting = updateSetting(await newFolder());
    const { run, home } = setting;
    packedSetting(
      setting,
      "import { appendFileSync } from 'node:fs';\nappendFileSync(process.env.HOME + '/steps', 'packed ');\n",
    );
    const { code, stdout, stderr } = await run(['update', '--yes']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
    expect(readFileSync(join(home, 'steps'), 'utf8')).toBe('packed ');
    expectTidy(setting);
  });

  test('is updated all the same if it cannot be packed, and says so', async () => {
    const setting = updateSetting(await newFolder());
    packedSetting(setting, "throw new Error('no room');\n");
    const { code, stdout, stderr } = await setting.run(['update', '--yes']);
    expect(code).toBe(0);
    expect(stderr).toMatch(saying(say.notPacked({ fault: anything })));
    expect(stderr).toContain('no room');
    expect(stdout).toContain(say.updated({ from: version, to: '0.9.0' }));
    expectTidy(setting);
  });
});

test('a version that does not start is taken back, with its dependencies, and the data stays as it is', async () => {
  const setting = await settingWithData();
  const { run, next, git, clone } = setting;
  const [before, modules] = [git('rev-parse', 'HEAD'), readlinkSync(join(clone, 'node_modules'))];
  next((folder) => {
    newVersion(folder);
    appendFileSync(join(folder, 'package-lock.json'), '\n');
    appendFileSync(join(folder, 'src/cli/run-daemon.ts'), "\nthrow new Error('it is broken');\n");
  });
  const { code, stderr } = await run(['update', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(stderr).toContain('it is broken');
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(readlinkSync(join(clone, 'node_modules'))).toBe(modules);
  expect((await run(['verify'])).code).toBe(0);
  expectTidy(setting);
});

test('a clone with changes of its own, with commits of its own, or on no branch, is left as it is', async () => {
  const { run, next, git, clone } = updateSetting(await newFolder());
  next(newVersion);
  const before = git('rev-parse', 'HEAD');
  appendFileSync(join(clone, 'CHANGELOG.md'), 'mine\n');
  const changed = await run(['update', '--yes']);
  expect(changed.code).toBe(1);
  expect(changed.stderr.trim()).toBe(say.localChanges({ files: ['CHANGELOG.md'], count: 1 }));
  git('commit', '--all', '--quiet', '--message=mine');
  const diverged = await run(['update', '--yes']);
  expect(diverged.stderr.trim()).toBe(say.diverged({ branch: 'origin/main' }));
  git('reset', '--quiet', '--hard', before);
  git('switch', '--quiet', '--detach');
  expect((await run(['update', '--yes'])).stderr.trim()).toBe(say.noBranch);
  git('switch', '--quiet', '--create', 'mine');
  expect((await run(['update', '--yes'])).stderr.trim()).toBe(say.noUpstream({ branch: 'mine' }));
  git('switch', '--quiet', 'main');
  git('remote', 'set-url', 'origin', join(clone, 'gone'));
  expect((await run(['update', '--yes'])).stderr).toMatch(saying(say.notFetched({ fault: anything })));
  expect(git('rev-parse', 'HEAD')).toBe(before);
});

test('keys of the config that the newer version does not know are named before', async () => {
  const { run, next, home } = updateSetting(await newFolder());
  writeFileSync(
    join(home, 'config.json'),
    '{ "owners": ["terminal:1"], "tools": { "undo": true }, "undo": { "enabled": true } }',
  );
  next((folder) => {
    newVersion(folder);
    const file = join(folder, 'config.schema.json');
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    delete schema.properties.owners;
    writeFileSync(file, JSON.stringify(schema));
  });
  const { stdout } = await run(['update', '--check', '--json']);
  expect(JSON.parse(stdout).gone_keys).toEqual(['owners']);
});

test('an update that was killed is told at the next one, which goes back first', async () => {
  const setting = updateSetting(await newFolder());
  const { run, next, git, clone } = setting;
  const before = git('rev-parse', 'HEAD');
  const after = next(newVersion);
  git('fetch', '--quiet');
  // As it is once the newer code is in place: first while the process is at work, then when it was killed.
  const working = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1e9)', 'update'], { stdio: 'ignore' });
  onTestFinished(() => void working.kill());
  const note = { from: { version, id: before }, to: { version: '0.9.0', id: after }, pid: working.pid };
  writeFileSync(join(git('rev-parse', '--absolute-git-dir'), 'keyturn-update.json'), JSON.stringify(note));
  git('merge', '--quiet', '--ff-only', after);
  const early = await run(['update', '--yes']);
  expect(early.code).toBe(1);
  expect(early.stderr).toMatch(saying(say.underWay({ from: version, to: '0.9.0', pid: working.pid ?? 0 })));
  expect(git('rev-parse', 'HEAD')).toBe(after);
  const gone = once(working, 'exit');
  working.kill('SIGKILL');
  await gone;
  const told = await run(['update']);
  expect(told.code).toBe(1);
  expect(told.stderr).toContain(say.interrupted({ from: version, to: '0.9.0' }));
  expect(git('rev-parse', 'HEAD')).toBe(after);
  // What was done since is kept: edits, then commits.
  appendFileSync(join(clone, 'CHANGELOG.md'), 'mine\n');
  const edited = await run(['update', '--yes']);
  expect(edited.stderr).toContain(say.localChanges({ files: ['CHANGELOG.md'], count: 1 }));
  expect(readFileSync(join(clone, 'CHANGELOG.md'), 'utf8')).toMatch(/mine\n$/);
  git('commit', '--all', '--quiet', '--message=mine');
  const mine = git('rev-parse', 'HEAD');
  const committed = await run(['update', '--yes']);
  const file = join(git('rev-parse', '--absolute-git-dir'), 'keyturn-update.json');
  expect(committed.stderr).toContain(say.movedOn({ head: mine, from: before, to: after, note: file }));
  expect(git('rev-parse', 'HEAD')).toBe(mine);
  git('reset', '--quiet', '--keep', after);
  const { stderr } = await run(['update', '--yes']);
  expect(stderr).toContain(say.wentBack({ version, fault: say.wasInterrupted }));
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expectTidy(setting);
});
