import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/lib/clock.ts';
import { unconfined } from '../../../../src/tools/guard/process/bounds.ts';
import { findShell, plainShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { processGuard } from '../../../../src/tools/guard/process/process.ts';
import { daemonSetting } from '../../../support/daemon-setting.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';
import { requestOf } from './sandbox-setting.ts';

const systemPath = '/usr/local/bin:/usr/bin:/bin';

test('the bash of the system is found, with its version', async () => {
  const shell = await findShell(systemPath);
  expect(shell).toMatchObject({ isBash: true, name: expect.stringMatching(/^bash \d+\.\d+$/) });
  const folder = await newFolder();
  await symlink(shell.path, join(folder, 'bash'));
  expect(await findShell(folder)).toEqual(shell);
});

test('a bash that tools or the user could have written, or that is none, is not taken', async () => {
  const folder = await newFolder();
  const lies = '#!/bin/sh\necho 5.2.0\n';
  await writeFile(join(folder, 'bash'), lies, { mode: 0o755 });
  for (const path of ['', folder, 'relative', `${folder}:/nowhere`])
    expect(await findShell(path)).toMatchObject({ path: '/bin/sh', isBash: false, name: expect.stringMatching(/^sh/) });
  expect(await findShell(`${folder}:${systemPath}`)).toMatchObject({ isBash: true });
});

test('the shell of commands takes no files, functions, options or state from the environment', async () => {
  const shell = await findShell(systemPath);
  const folder = await newFolder();
  await writeFile(join(folder, '.bashrc'), 'echo rc');
  await writeFile(join(folder, '.bash_profile'), 'echo profile');
  await writeFile(join(folder, 'env'), 'echo env');
  const guard = processGuard({
    clock: systemClock,
    bounds: unconfined(undefined, [], shell),
    environment: { PATH: systemPath, HOME: folder },
  });
  const variables = {
    ...{ BASH_ENV: join(folder, 'env'), SHELLOPTS: 'xtrace', BASHOPTS: 'extdebug', POSIXLY_CORRECT: '1', TMOUT: '1' },
    ...{ 'BASH_FUNC_ls%%': '() { echo function; }', PS4: 'ps4', CDPATH: '/', IFS: ',', GLOBIGNORE: '*', KEPT: 'kept' },
  };
  const command =
    'touch a; ls a; cd usr 2>/dev/null; x="b c"; set -- $x; echo $# $KEPT; [[ -o posix ]] || cat <(echo bash); env';
  const result = await guard(await requestOf(command, { directory: folder, variables }));
  expect(result.stderr).toBe('');
  expect(result.stdout).toMatch(/^a\n2 kept\nbash\n/);
  expect(result.stdout).not.toMatch(/^(?:BASH_ENV|POSIXLY_CORRECT|PS4|CDPATH|TMOUT|BASH_FUNC)/m);
});

test('a command is read by bash, and the card and the model are told so', async () => {
  const shell = await findShell(systemPath);
  const { model, channel } = await daemonSetting({ shell, config: { agent: { mode: 'assistant' } } });
  model.next([call('shell', { command: 'x=abc; [[ $x == a* ]] && echo {1..3} &> f; cat f' })], 'done');
  await channel.say('go on');
  const card = await channel.card();
  expect(card.text).toContain(`Tool \`Shell (${shell.name})\``);
  await channel.press(card);
  await channel.sees('done');
  expect(resultsOf(await model.asked(2)).at(-1)).toBe('[exit code 0]\n1 2 3');
  const tools = (await model.asked(1)).tools ?? [];
  expect(JSON.stringify(tools)).toContain(`Runs a command in ${shell.name} in the workspace`);
});

test('without bash a command that only bash reads is refused before anybody is asked', async () => {
  const { setting, model, channel } = await daemonSetting({ shell: plainShell });
  model.next([call('shell', { command: 'mkdir -p p/{a,b}' })], 'I see.');
  await channel.say('go on');
  await channel.sees('I see.');
  expect(setting.rows('SELECT * FROM approvals')).toEqual([]);
  expect(resultsOf(await model.asked(2)).at(-1)).toContain('`{a,b}` is bash, and there is no bash here');
});
