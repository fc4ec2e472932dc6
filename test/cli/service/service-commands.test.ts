import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { serviceWords } from '../../../src/cli/commands/service/words.ts';
import { lockData } from '../../../src/store/examine.ts';
import { newFolder } from '../../support/new-folder.ts';
import { anything, saying } from '../../support/saying.ts';
import { type ServiceSetting, serviceSetting } from './service-setting.ts';

const say = serviceWords.en;
const start = [
  'systemctl --user daemon-reload',
  'systemctl --user enable keyturn.service',
  'systemctl --user restart keyturn.service',
];

async function installed(): Promise<ServiceSetting> {
  const setting = await serviceSetting(await newFolder());
  expect((await setting.run(['service', 'install'])).code).toBe(0);
  return setting;
}

test('install writes a unit, has systemd start it, and says where its log is and that it ends with the login', async () => {
  const { run, unit, told } = await serviceSetting(await newFolder());
  const { code, stdout, stderr } = await run(['service', 'install']);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  expect(stdout).toContain(say.installed({ file: unit }));
  expect(stdout).toContain('journalctl --user -u keyturn');
  expect(stdout).toMatch(saying(say.lingerLater({ command: anything })));
  expect(told()).toEqual(start);
  expect(readFileSync(unit, 'utf8')).toContain('Type=notify');
});

test('install once more changes nothing, and starts nothing again', async () => {
  const { run, told } = await installed();
  expect((await run(['service', 'install'])).code).toBe(0);
  expect(told()).toEqual(start);
});

test('a unit that differs is shown, and replaced only with --force', async () => {
  const { run, unit, told } = await installed();
  const text = readFileSync(unit, 'utf8');
  const own = text.replace('UMask=0077', 'UMask=0022');
  writeFileSync(unit, own);
  const refused = await run(['service', 'install']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('\n- UMask=0022\n+ UMask=0077\n');
  expect(refused.stderr).toContain(say.addForce);
  expect(readFileSync(unit, 'utf8')).toBe(own);
  expect(told()).toEqual(start);
  expect((await run(['service', 'install', '--force'])).code).toBe(0);
  expect(readFileSync(unit, 'utf8')).toBe(text);
  expect(told()).toEqual([...start, ...start]);
});

test('with --linger it goes on when its user logs out', async () => {
  const { run, told } = await serviceSetting(await newFolder());
  expect((await run(['service', 'install', '--linger'])).stdout).toContain(say.lingers);
  expect(told().at(-1)).toMatch(/^loginctl enable-linger \S+$/);
  expect((await run(['service', 'install'])).stdout).toContain(say.lingers);
});

test('--print shows the unit, and writes and starts nothing', async () => {
  const { run, unit, told } = await serviceSetting(await newFolder());
  const { code, stdout } = await run(['service', 'install', '--print']);
  expect(code).toBe(0);
  expect(stdout).toContain('\n[Service]\n');
  expect(existsSync(unit)).toBe(false);
  expect(told()).toEqual([]);
});

test('a start that systemd refuses is said with its reason, and where the log is', async () => {
  const { run, refuses } = await serviceSetting(await newFolder());
  await refuses('systemctl --user restart keyturn.service');
  const { code, stderr } = await run(['service', 'install']);
  expect(code).toBe(1);
  expect(stderr).toContain(say.notStarted({ fault: 'it is told to fail', command: 'journalctl --user -u keyturn -e' }));
});

test('without a systemd of this user nothing is written, and what to do is said', async () => {
  const { run, refuses, unit } = await serviceSetting(await newFolder());
  await refuses('systemctl --user show-environment');
  const { code, stderr } = await run(['service', 'install']);
  expect(code).toBe(1);
  expect(stderr.trim()).toBe(say.noUserManager({ fault: 'it is told to fail' }));
  expect(existsSync(unit)).toBe(false);
  const nowhere = await run(['service', 'install'], { PATH: '/nowhere' });
  expect(nowhere.code).toBe(1);
  expect(nowhere.stderr.trim()).toBe(say.noManager);
});

test('without a config there is no service, and a Keyturn that runs beside it is named', async () => {
  const { run, folder } = await serviceSetting(await newFolder());
  const file = join(folder, 'config.json');
  const text = readFileSync(file);
  rmSync(file);
  const missing = await run(['service', 'install']);
  expect(missing.code).toBe(1);
  expect(missing.stderr.trim()).toBe(say.lacksConfig({ file }));
  writeFileSync(file, text);
  const data = join(folder, 'data');
  await mkdir(data);
  onTestFinished(lockData(data));
  const { code, stderr } = await run(['service', 'install']);
  expect(code).toBe(1);
  expect(stderr.trim()).toBe(say.outsideRuns({ folder: data }));
});

test.each(['ends in \\', 'ends in a blank '])(
  'a folder that %s gets no service, since its unit would not say it',
  async (name) => {
    const folder = join(await newFolder(), name);
    const { run, unit } = await serviceSetting(folder);
    const { code, stdout, stderr } = await run(['service', 'install', '--print']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim()).toBe(say.oddPath({ path: folder }));
    expect(existsSync(unit)).toBe(false);
  },
);

test('variables that only the terminal has are named, and their values are not', async () => {
  const config = { model: 'offline', channels: { telegram: { enabled: true, token: `\${BOT_TOKEN}` } } };
  const { run, folder } = await serviceSetting(await newFolder(), config);
  const env = { BOT_TOKEN: '1234567:hunter2', ANTHROPIC_API_KEY: 'hunter2', OPENAI_API_KEY: 'hunter2' };
  writeFileSync(join(folder, '.env'), 'OPENAI_API_KEY=there\n', { mode: 0o600 });
  const { stderr } = await run(['service', 'install'], env);
  expect(stderr.trim()).toBe(say.ofTerminal({ names: ['BOT_TOKEN', 'ANTHROPIC_API_KEY'], file: join(folder, '.env') }));
});

test('status tells what runs, how it ended last, and whether the unit is of this version and place', async () => {
  const { run, unit } = await installed();
  const { code, stdout } = await run(['service', 'status']);
  expect(code).toBe(0);
  for (const part of ['active (running)', 'Mon 2026-03-30 09:00:00 UTC', '78, exit-code', say.startsItself])
    expect(stdout).toContain(part);
  expect(stdout).not.toContain(say.isOutdated);
  writeFileSync(unit, `${readFileSync(unit, 'utf8')}Nice=5\n`);
  expect((await run(['service', 'status'])).stdout).toContain(say.isOutdated);
  writeFileSync(unit, readFileSync(unit, 'utf8').replace(/start\.js/, 'moved.js'));
  expect((await run(['service', 'status'])).stdout).toMatch(saying(say.pathGone({ path: anything })));
  const json = JSON.parse((await run(['service', 'status', '--json'])).stdout);
  expect(json).toMatchObject({
    manager: 'systemd',
    installed: true,
    active: true,
    pid: 17,
    restarts: 3,
    current: false,
  });
  expect(json.gone).toMatch(/moved\.js$/);
});

test('status of what is not installed is the same for a person and a program, also where no manager can be asked', async () => {
  const { folder, run, unit, refuses } = await serviceSetting(await newFolder());
  await refuses('systemctl --user show-environment');
  const told = await run(['service', 'status']);
  expect(told).toMatchObject({ code: 3, stdout: `${say.notInstalled({ file: unit })}\n` });
  const { code, stdout } = await run(['service', 'status', '--json']);
  expect(code).toBe(3);
  expect(JSON.parse(stdout)).toMatchObject({ file: unit, installed: false, active: false, current: false });
  expect(existsSync(join(folder, '.config'))).toBe(false);
});

test('remove ends the service and takes the unit away, once', async () => {
  const { run, unit, told } = await installed();
  expect((await run(['service', 'remove'])).stdout).toContain(say.removed({ file: unit }));
  expect(existsSync(unit)).toBe(false);
  expect(told().slice(3)).toEqual([
    'systemctl --user disable --now keyturn.service',
    'systemctl --user daemon-reload',
    'systemctl --user reset-failed keyturn.service',
  ]);
  const again = await run(['service', 'remove']);
  expect(again.code).toBe(0);
  expect(again.stdout.trim()).toBe(say.notInstalled({ file: unit }));
  const { code, stdout } = await run(['service', 'status']);
  expect(code).toBe(3);
  expect(stdout.trim()).toBe(say.notInstalled({ file: unit }));
});
