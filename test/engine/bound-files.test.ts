import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { daemonSetting } from '../support/daemon-setting.ts';
import type { Shown } from '../support/platform-traffic.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';

async function pressOn(channel: TestChannel, label: string): Promise<void> {
  const card = await channel.card();
  const button = card.buttons.flat().find((each) => each.label.includes(label));
  if (button === undefined) throw new Error(`no button ${label}`);
  await channel.press(button.actionId);
}

const labels = (card: Shown): readonly string[] => card.buttons.flat().map(({ label }) => label);

describe('an approval of a command', () => {
  test('names the script that it runs, and does not hold when that has changed', async () => {
    const { model, channel, workspace } = await daemonSetting();
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'x.sh'), 'echo FIRST > ran');
    model.next([call('shell', { command: 'sh x.sh' })], [call('shell', { command: 'sh x.sh' })], 'done');
    const card = await channel.cardFor('run it');
    expect(card.text).toMatch(/Bound to `x\.sh` \(16 bytes, [0-9a-f]{8}\)\. If that changes before it runs/);

    await writeFile(join(workspace, 'x.sh'), 'echo SWAPPED > ran');
    await pressOn(channel, 'Approve');
    await channel.sees('It did not run: `x.sh` changed after this was approved.');
    const second = await channel.card();
    expect(second.text).toMatch(/Bound to `x\.sh` \(18 bytes, /);
    await expect(readFile(join(workspace, 'ran'), 'utf8')).rejects.toThrow('ENOENT');
    expect(resultsOf(await model.asked(2)).at(-1)).toContain('`x.sh` changed after this call was approved');

    await pressOn(channel, 'Approve');
    await channel.sees('done');
    expect(await readFile(join(workspace, 'ran'), 'utf8')).toBe('SWAPPED\n');
  });

  test('for good is one of this content: another content is asked for', async () => {
    // Without a sandbox, what a script prints may come from the network, and would have it asked for again.
    const { model, channel, workspace } = await daemonSetting({ config: { security: { taint: 'off' } } });
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'x.sh'), 'echo ONE >> ran');
    const run = call('shell', { command: 'sh x.sh' });
    model.next([run], 'first', [run], 'second', [run], 'third');
    await channel.cardFor('once');
    await pressOn(channel, 'Always');
    await channel.sees('first');
    await channel.ask('again', 'second');
    await writeFile(join(workspace, 'x.sh'), 'echo LATER >> ran');
    await channel.cardFor('and again');
    expect(await readFile(join(workspace, 'ran'), 'utf8')).toBe('ONE\nONE\n');
  });

  test.each([
    ['a script that is not there yet', 'sh missing.sh'],
    ['what comes by a pipe', 'ls | sh'],
    ['a module by its name', 'python3 -m app'],
    ['what a tool finds by itself', 'pytest'],
    ['a script outside of the workspace', 'sh /tmp/x.sh'],
    ['a script that has an interpreter of its own', './own'],
    ['a module that a variable loads', 'NODE_OPTIONS=--require=./x.sh node app.js'],
    ['a folder that only running it would tell', 'cd "$(cat where)" && sh x.sh'],
    ['a folder that a pattern names', 'cd s*b && sh x.sh'],
    ['a package in another folder', 'npm test --prefix other'],
    ['another shell of npm', 'npm test --script-shell=./x.sh'],
    ['a shell that make is given', 'make SHELL=./x.sh'],
    ['a program that awk loads', 'awk -f x.sh -l lib'],
    ['an order to an interpreter', 'node inspect'],
    ['an alias of git', 'git deploy'],
    ['a script that comes by a file', 'sh < x.sh'],
  ])('cannot be given for good for %s', async (_, command) => {
    const { model, channel, workspace } = await daemonSetting();
    await mkdir(workspace, { recursive: true });
    for (const [name, text] of Object.entries({
      'x.sh': 'echo',
      own: '#!./x.sh',
      'app.js': '',
      inspect: '',
      'package.json': '{}',
    }))
      await writeFile(join(workspace, name), text);
    model.next([call('shell', { command })], 'done');
    const card = await channel.cardFor('run it');
    expect(labels(card)).toContain('✅ Approve');
    expect(labels(card)).not.toContain('Always');
  });

  test.each([
    ['ls -la', undefined],
    ['npm test', 'package.json'],
    ['npm run build', '.npmrc'],
    ['make -j4 all', 'Makefile'],
    ['make -f Makefile -f run', 'run'],
    ['git status', undefined],
    ['./run', 'run'],
    ['cd tools && python3 -u tool.py', 'tools/tool.py'],
    ['node app.js; sh -e "a b.sh"', 'a b.sh'],
    ['env X=1 timeout 5 bash run', 'run'],
  ])('%s binds what it runs: %s', async (command, file) => {
    const { model, channel, workspace } = await daemonSetting();
    await mkdir(join(workspace, 'tools'), { recursive: true });
    for (const name of ['package.json', 'Makefile', 'run', 'tools/tool.py', 'app.js', 'a b.sh'])
      await writeFile(join(workspace, name), '{}');
    model.next([call('shell', { command })], 'done');
    const card = await channel.cardFor('run it');
    if (file === undefined) expect(card.text).not.toContain('Bound to');
    else expect(card.text).toMatch(new RegExp(`Bound to .*\`${file}\``));
    expect(labels(card)).toContain('Always');
  });
});

test.each(['cat x.sh | sh', 'sh < x.sh', 'python3 -m x.sh x.sh'])(
  'where nobody can tell what %s runs, what it names is looked at again',
  async (command) => {
    const { model, channel, workspace } = await daemonSetting();
    await mkdir(workspace, { recursive: true });
    await writeFile(join(workspace, 'x.sh'), 'echo FIRST > ran');
    model.next([call('shell', { command })], 'done');
    await channel.cardFor('run it');
    await writeFile(join(workspace, 'x.sh'), 'echo SWAPPED > ran');
    await pressOn(channel, 'Approve');
    await channel.sees('It did not run: `x.sh` changed after this was approved.');
  },
);

test.each([
  ['sh x.sh', true],
  ['cat x.sh | sh', false],
])('a tool of the operator binds what its command %s runs', async (command, areAllNamed) => {
  const deploy = { name: 'deploy', description: 'Deploys.', command };
  const { model, channel, workspace } = await daemonSetting({ config: { custom_tools: [deploy] } });
  await mkdir(workspace, { recursive: true });
  await writeFile(join(workspace, 'x.sh'), 'echo FIRST > ran');
  model.next([call('deploy', {})], 'done');
  const card = await channel.cardFor('run it');
  expect(labels(card).some((label) => label.includes('Always'))).toBe(areAllNamed);
  await writeFile(join(workspace, 'x.sh'), 'echo SWAPPED > ran');
  await pressOn(channel, 'Approve');
  await channel.sees('It did not run: `x.sh` changed after this was approved.');
});

test('a folder that is exchanged for a link between card and press is not followed', async () => {
  const { model, channel, workspace } = await daemonSetting();
  for (const folder of ['a', 'b']) {
    await mkdir(join(workspace, folder), { recursive: true });
    await writeFile(join(workspace, folder, 'f.txt'), 'old');
  }
  model.next([call('edit_file', { path: 'a/f.txt', old_text: 'old', new_text: 'new' })], 'done');
  await channel.cardFor('change it');
  await rename(join(workspace, 'a'), join(workspace, 'c'));
  await symlink('b', join(workspace, 'a'));
  await pressOn(channel, 'Approve');
  await channel.sees('done');
  expect(resultsOf(await model.asked(2)).at(-1)).toContain('`a/f.txt` changed after this call was approved');
  expect(await readFile(join(workspace, 'b', 'f.txt'), 'utf8')).toBe('old');
  await rm(join(workspace, 'c'), { recursive: true });
});
