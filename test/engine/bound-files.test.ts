import { readFile, rename, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cardWords } from '../../src/approval/asking/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { findShell } from '../../src/tools/guard/process/command-shell.ts';
import { type DaemonSettingOptions, daemonSetting } from '../support/daemon-setting.ts';
import { buttonOf, type Shown } from '../support/platform-traffic.ts';
import { anything, saidLike } from '../support/said.ts';
import { call, resultsOf } from '../support/scripted-model.ts';

const labels = (card: Shown): readonly string[] => card.buttons.flat().map(({ label }) => label);

/** A card that asks to run this, in a workspace with these files. */
async function asked(command: string, options: DaemonSettingOptions = {}) {
  const shell = await findShell(process.env.PATH);
  const setting = await daemonSetting({ shell, files: { 'x.sh': 'echo FIRST > ran' }, ...options });
  setting.model.next([call('shell', { command })], [call('shell', { command })], 'done');
  const ran = (): Promise<string> => readFile(join(setting.workspace, 'ran'), 'utf8');
  return {
    setting,
    ran,
    model: setting.model,
    channel: setting.channel,
    card: await setting.channel.cardFor('run it'),
  };
}

/** The script is another one when the person approves. */
async function swapped({ setting, channel }: Pick<Awaited<ReturnType<typeof asked>>, 'setting' | 'channel'>) {
  await setting.write('x.sh', 'echo SWAPPED > ran');
  await channel.press(await channel.card());
  await channel.sees(engineWords.en.filesChanged('`x.sh`'));
}

describe('an approval of a command', () => {
  test('names the script that it runs, and does not hold when that has changed', async () => {
    const around = await asked('sh x.sh');
    const { model, channel, card, ran } = around;
    expect(card.text).toMatch(saidLike(cardWords.en.bound({ files: [`\`x.sh\` (16 bytes, ${anything})`], more: 0 })));
    await swapped(around);
    const second = await channel.card();
    expect(second.text).toMatch(/Bound to `x\.sh` \(18 bytes, /);
    await expect(ran()).rejects.toThrow('ENOENT');
    expect(resultsOf(await model.asked(2)).at(-1)).toContain('`x.sh` changed after this call was approved');
    await channel.pressToSee(second, /^done$/);
    expect(await ran()).toBe('SWAPPED\n');
  });

  test('for good is one of this content: another content is asked for', async () => {
    // Without a sandbox, what a script prints may come from the network, and would have it asked for again.
    const config = { security: { taint: 'off' } };
    const { setting, channel, card, ran } = await asked('sh x.sh', { config, files: { 'x.sh': 'echo ONE >> ran' } });
    await channel.pressToSee(buttonOf(card, 'Always'), /^done$/);
    await setting.write('x.sh', 'echo LATER >> ran');
    setting.model.next([call('shell', { command: 'sh x.sh' })]);
    await channel.cardFor('and again');
    expect(await ran()).toBe('ONE\nONE\n');
  });

  test.each([
    ['a script that is not there yet', 'sh missing.sh'],
    ['what comes by a pipe', 'ls | sh'],
    ['a folder that another command has left', 'popd; sh x.sh'],
    ['another verb of npm', 'npm install'],
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
    ['a file that make is given behind another option', 'make -sf x.sh'],
    ['a program that awk loads', 'awk -f x.sh -l lib'],
    ['an order to an interpreter', 'node inspect'],
    ['an alias of git', 'git deploy'],
    ['a script that comes by a file', 'sh < x.sh'],
  ])('cannot be given for good for %s', async (_, command) => {
    const files = { 'x.sh': 'echo', own: '#!./x.sh', 'app.js': '', inspect: '', 'package.json': '{}', Makefile: '' };
    const { card } = await asked(command, { files });
    expect(labels(card)).toContain('✅ Approve');
    expect(labels(card).join()).not.toContain('Always');
  });

  test.each([
    ['ls -la', undefined],
    ['./run', 'run'],
    ['cd tools && sh y.sh', 'tools/y.sh'],
    ['date; sh -e "a b.sh"', 'a b.sh'],
    ['env X=1 timeout 5 bash run', 'run'],
    ['. ./run', 'run'],
  ])('%s binds all that it runs, and may be given for good: %s', async (command, file) => {
    const files = { run: 'ls\n', 'tools/y.sh': 'date', 'a b.sh': '#!/bin/sh\necho x > y\n' };
    const { card } = await asked(command, { files });
    if (file === undefined) expect(card.text).not.toContain('Bound to');
    else expect(card.text).toMatch(new RegExp(`Bound to \`${file}\``));
    expect(card.text).not.toContain('cannot tell');
    expect(labels(card).join()).toContain('Always');
  });

  test.each([
    ['npm test', 'package.json'],
    ['npm run build', '.npmrc'],
    ['make -j4 all', 'Makefile'],
    ['make -f Makefile -f run', 'run'],
    ['cd tools && python3 -u tool.py', 'tools/tool.py'],
    ['node app.js', 'app.js'],
    ['sh run', 'run'],
    ['git status', undefined],
    ['npx tool', undefined],
    ['python3 -c "import tool"', undefined],
    ['mytool', undefined],
    ['node .', undefined],
    ['make -C tools', undefined],
    ['python3 -m tool', undefined],
    ['npm --prefix tools test', undefined],
  ])('%s runs what is not known: the card says so, and names %s', async (command, file) => {
    const names = ['package.json', 'Makefile', 'run', 'tools/tool.py', 'app.js'];
    const { card } = await asked(command, { files: Object.fromEntries(names.map((name) => [name, './other'])) });
    if (file === undefined) expect(card.text).toContain(cardWords.en.boundToNothing({ isGrantable: true }));
    else {
      expect(card.text).toMatch(new RegExp(`Bound to .*\`${file}\``));
      expect(card.text).toContain(cardWords.en.runsMore({ isGrantable: true }));
    }
    expect(labels(card).join()).not.toContain('Always');
  });

  test('does not say that it runs a file that is not there, but holds only while none is', async () => {
    const files = { 'package.json': '{ "scripts": { "test": "date" } }' };
    const { setting, channel, card, model } = await asked('npm test', { files });
    const [shown, folded] = card.text.split(/^> \[!details\]/m);
    expect(shown).toContain(cardWords.en.onlyAsIs({ files: ['`package.json`'], more: 0 }));
    expect(shown).not.toContain('.npmrc');
    expect(folded).toContain('`.npmrc`');
    await setting.write('.npmrc', 'script-shell=./other');
    await channel.press(card);
    await channel.sees(engineWords.en.filesChanged('`.npmrc`, `package.json`'));
    const next = await channel.card();
    expect(next.text).toContain(cardWords.en.onlyAsIs({ files: ['`.npmrc`', '`package.json`'], more: 0 }));
    await channel.press(buttonOf(next, 'Deny'));
    expect(resultsOf(await model.asked(3)).join()).toContain('denied');
  });

  test('that a person cannot give for good says, too, that nobody can tell what it runs', async () => {
    const { card } = await asked('python3 app.py; rm -r build', { config: { tools: { shell: { deny: [] } } } });
    expect(card.text).toContain('Keyturn cannot tell');
  });
});

test.each(['cat x.sh | sh', 'sh < x.sh', 'python3 -m x.sh x.sh'])(
  'where nobody can tell what %s runs, what it names is looked at again',
  async (command) => swapped(await asked(command)),
);

test.each([
  ['sh x.sh', true],
  ['cat x.sh | sh', false],
])('a tool of the operator binds what its command %s runs', async (command, areAllNamed) => {
  const config = { custom_tools: [{ name: 'deploy', description: 'Deploys.', command }] };
  const setting = await daemonSetting({ config, files: { 'x.sh': 'echo FIRST > ran' } });
  setting.model.next([call('deploy', {})], 'done');
  expect(
    labels(await setting.channel.cardFor('run it'))
      .join()
      .includes('Always'),
  ).toBe(areAllNamed);
  await swapped(setting);
});

test('a folder that is exchanged for a link between card and press is not followed', async () => {
  const files = { 'a/f.txt': 'old', 'b/f.txt': 'old' };
  const { model, channel, workspace } = await daemonSetting({ files });
  model.next([call('edit_file', { path: 'a/f.txt', old_text: 'old', new_text: 'new' })], 'done');
  const card = await channel.cardFor('change it');
  expect(card.text).toContain('-old\n+new');
  await rename(join(workspace, 'a'), join(workspace, 'c'));
  await symlink('b', join(workspace, 'a'));
  await channel.pressToSee(card, /^done$/);
  expect(resultsOf(await model.asked(2)).at(-1)).toContain('`a/f.txt` changed after this call was approved');
  expect(await readFile(join(workspace, 'b', 'f.txt'), 'utf8')).toBe('old');
});
