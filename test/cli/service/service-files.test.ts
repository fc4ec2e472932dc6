import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOMParser } from 'linkedom';
import { expect, test } from 'vitest';
import { launchd } from '../../../src/cli/commands/service/launchd.ts';
import { changedLines } from '../../../src/cli/commands/service/service-manager.ts';
import type { ServiceOrder } from '../../../src/cli/commands/service/service-order.ts';
import { systemd } from '../../../src/cli/commands/service/systemd.ts';
import { sparingOptions, sparingVariables } from '../../../src/find-node.js';
import { newFolder } from '../../support/new-folder.ts';
import { serviceSetting } from './service-setting.ts';

const odd = 'my "100%" folder \\ 聊天 $HOME & <i>';

/** A service whose program, files and folder have everything in their names that a unit or a plist reads as its own. */
async function oddOrder(): Promise<ServiceOrder> {
  const folder = join(await newFolder(), odd);
  await mkdir(folder);
  const node = join(folder, 'node');
  await writeFile(node, '#!/bin/sh\n');
  await chmod(node, 0o755);
  const start = join(folder, 'start.js');
  await writeFile(start, '');
  const config = join(folder, 'config.json');
  return { node, start, config, folder, dataFolder: join(folder, 'data'), stopSecs: 45 };
}

function partsIn(home: string, path = '/nowhere') {
  return { environment: { PATH: path }, home, uid: 501, allowsRoot: false };
}

test('the unit names paths so that systemd reads them as they are', async () => {
  const order = await oddOrder();
  const unit = systemd(partsIn('/home/ann'));
  const text = unit.describe(order);
  expect(unit.pathsIn(text)).toEqual(['/bin/sh', order.node, order.start, order.config]);
  const plain = { ...order, node: '/opt/a b/100%/node' };
  expect(unit.pathsIn(unit.describe(plain))).toEqual([plain.node, order.start, order.config]);
  expect(unit.describe(plain)).toContain('\nExecStart=":/opt/a b/100%%/node" ');
  expect(text).toContain(`\nWorkingDirectory=${order.folder.replaceAll('%', '%%')}\n`);
  expect(text).toContain(`" ${sparingOptions.map((option) => `"${option}"`).join(' ')} "`);
  for (const [name, value] of Object.entries(sparingVariables)) expect(text).toMatch(`${name}=${value}`);
  expect(text).toContain('\nTimeoutStopSec=55\n');
  expect(text).toContain('\nRestartPreventExitStatus=78\n');
});

test('systemd itself finds nothing wrong with the unit, where it is installed', async () => {
  const order = await oddOrder();
  const file = join(order.folder, '..', 'keyturn.service');
  await writeFile(file, systemd(partsIn('/home/ann')).describe(order));
  const env = { PATH: process.env.PATH, XDG_RUNTIME_DIR: order.folder };
  const found = spawnSync('systemd-analyze', ['verify', '--man=no', '--user', file], { encoding: 'utf8', env });
  // Without systemd there is nobody to ask.
  expect(`${found.stdout ?? ''}${found.stderr ?? ''}`).not.toContain('keyturn.service');
});

test('the agent of launchd names the same paths, and its log', async () => {
  const order = await oddOrder();
  const agent = launchd(partsIn('/Users/ann'));
  const text = agent.describe(order);
  expect(agent.file).toBe('/Users/ann/Library/LaunchAgents/keyturn.plist');
  expect(agent.pathsIn(text)).toEqual([order.node, order.start, order.config]);
  const { documentElement } = new DOMParser().parseFromString(text, 'text/xml');
  const strings = [...documentElement.querySelectorAll('string')].map((one) => one.textContent);
  const words = [order.node, ...sparingOptions, order.start, '--config', order.config, order.folder];
  expect(strings.slice(1, words.length + 1)).toEqual(words);
  expect(strings.at(-1)).toBe('/Users/ann/Library/Logs/keyturn.log');
  expect(text).toMatch(/<key>ExitTimeOut<\/key>\s*<integer>55</);
});

test('launchd is told to load the agent, and to let it go', async () => {
  const { folder, told } = await serviceSetting(await newFolder());
  const agent = launchd(partsIn(folder, `${join(folder, 'bin')}:${process.env.PATH}`));
  expect(agent.problem()).toBeUndefined();
  expect(agent.state().isActive).toBe(false);
  expect(agent.start()).toBeUndefined();
  expect(agent.state()).toMatchObject({ isActive: true, isEnabled: true, pid: 17 });
  expect(agent.stop()).toBeUndefined();
  expect(told()).toEqual([
    'launchctl bootout gui/501/keyturn',
    'launchctl enable gui/501/keyturn',
    `launchctl bootstrap gui/501 ${agent.file}`,
    'launchctl bootout gui/501/keyturn',
  ]);
});

test('root gets no service, unless root says so, and a machine without a manager has none', () => {
  for (const make of [systemd, launchd]) {
    const parts = partsIn('/root');
    const refused = make({ ...parts, uid: 0 }).problem()?.('en');
    expect(refused).toContain('--as-root');
    expect(make({ ...parts, uid: 0, allowsRoot: true }).problem()?.('en')).toContain('docs/deploy.md');
    expect(make({ ...parts, uid: 0, allowsRoot: true }).problem()?.('en')).not.toBe(refused);
  }
});

test('what changes is shown line by line', () => {
  expect(changedLines('[Unit]\nA=1\nB=2\n', '[Unit]\nA=1\nB=3\n\nC=4\n')).toEqual(['- B=2', '+ B=3', '+ C=4']);
});

test('the service of the whole machine waits for notices, too', async () => {
  const unit = await readFile(join(import.meta.dirname, '../../../contrib/keyturn.service'), 'utf8');
  const own = systemd(partsIn('/home/ann')).describe(await oddOrder());
  for (const line of [
    'Type=notify',
    'NotifyAccess=all',
    'WatchdogSec=120',
    'RestartPreventExitStatus=78',
    'KillMode=mixed',
  ])
    for (const text of [unit, own]) expect(text).toContain(`\n${line}\n`);
});
