import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { updateWords } from '../../../src/cli/commands/update/words.ts';
import { ownVersion } from '../../../src/lib/own-version.ts';
import { anything, saying } from '../../support/saying.ts';
import { expectTidy, newVersion, settingWithService, type UpdateSetting } from './update-setting.ts';

const say = updateWords.en;
const version = ownVersion();
const config = { model: 'offline', language: 'en', gateway: { enabled: true, port: 0 } };

async function running({ run }: UpdateSetting): Promise<unknown> {
  const status: unknown = JSON.parse((await run(['status', '--json'])).stdout);
  return status;
}

test('a service is stopped, updated, and runs as the newer version', async () => {
  const setting = await settingWithService(config);
  const { run, next } = setting;
  expect(await running(setting)).toMatchObject({ running: true, version });
  next(newVersion);
  const { code, stdout, stderr } = await run(['update', '--yes']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(say.steps.stopping);
  expect(await running(setting)).toMatchObject({ running: true, version: '0.9.0' });
  expectTidy(setting);
});

test('a version that changes the data and does not run with it is taken back with the data, and the service runs as before', async () => {
  const setting = await settingWithService(config);
  const { run, next, git, home } = setting;
  const before = git('rev-parse', 'HEAD');
  next((folder) => {
    newVersion(folder);
    const steps = join(folder, 'src/store/migrations.ts');
    const table = "{ core: 'CREATE TABLE added_later (id INTEGER PRIMARY KEY) STRICT' }";
    writeFileSync(steps, `${readFileSync(steps, 'utf8').trimEnd().slice(0, -2)}  ${table},\n];\n`);
    const life = join(folder, 'src/daemon/lifecycle.ts');
    const refuse = "if (services.config.language !== undefined) throw new Error('not in this language');";
    const text = readFileSync(life, 'utf8');
    writeFileSync(life, text.replace('await parts.localSocket.open();', `${refuse}\n$&`));
  });
  const { code, stderr } = await run(['update', '--yes']);
  expect(code).toBe(1);
  expect(stderr).toMatch(saying(say.wentBack({ version, fault: anything })));
  expect(stderr).toContain('Job for keyturn.service failed');
  expect(readFileSync(join(home, 'log'), 'utf8')).toContain('not in this language');
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(await running(setting)).toMatchObject({ running: true, version });
  // What the newer version had left is still there.
  expect(readdirSync(join(home, 'data')).filter((name) => name.startsWith('before-restore-'))).toHaveLength(1);
  expectTidy(setting);
});

test('a service whose config is elsewhere is updated with that one, and its data is saved', async () => {
  const setting = await settingWithService(config, 'srv');
  const { run, next, home, git } = setting;
  const before = git('rev-parse', 'HEAD');
  const served = join(home, 'srv/config.json');
  next(newVersion);
  const own = join(home, 'own.json');
  writeFileSync(own, '{ "model": "offline" }', { mode: 0o600 });
  const other = await run(['update', '--yes', '--config', own]);
  expect(other.code).toBe(1);
  expect(other.stderr.trim()).toBe(say.otherConfig({ config: served, named: own }));
  expect(git('rev-parse', 'HEAD')).toBe(before);
  const { code, stderr } = await run(['update', '--yes']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(readdirSync(join(home, 'srv/data/backups'))).toHaveLength(1);
  expect(existsSync(join(home, 'data'))).toBe(false);
  const status = await run(['status', '--json', '--config', served]);
  expect(JSON.parse(status.stdout)).toMatchObject({ running: true, version: '0.9.0' });
  expectTidy(setting);
});

test('a Keyturn that runs and is no service is left alone', async () => {
  const setting = await settingWithService(config);
  const { run, next, git, home } = setting;
  const unit = join(home, '.config/systemd/user/keyturn.service');
  const before = git('rev-parse', 'HEAD');
  next(newVersion);
  const { code, stderr } = await run(['update', '--yes'], { XDG_CONFIG_HOME: join(home, 'elsewhere') });
  expect(code).toBe(1);
  expect(stderr.trim()).toBe(say.runsOutside);
  expect(git('rev-parse', 'HEAD')).toBe(before);
  expect(existsSync(unit)).toBe(true);
  expect(await running(setting)).toMatchObject({ running: true, version });
});
