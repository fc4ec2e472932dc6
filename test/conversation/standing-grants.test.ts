import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sharingWarnings } from '../../src/config/workspace-template.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { call } from '../support/scripted-model.ts';

test('a standing permission holds only as long as its giver may decide, and /grants says so', async () => {
  const setting = await daemonSetting({ allowFrom: ['ada', 'bob'] });
  const { model, channel } = setting;
  const run = call('shell', { command: 'echo hi' });
  model.next([run], 'first', [run], 'second', [run], 'third');
  const card = await channel.cardFor('once');
  const always = card.buttons.flat().find(({ label }) => label === 'Always');
  await channel.pressToSee(always?.actionId ?? '', 'first');
  await channel.ask('again', 'second');

  await setting.restart({ owners: ['test:bob'], approval: { forward_to: ['test:ada'] } });
  await setting.channel.ask('/grants', 'Not in force: `test:ada`, who gave it, may no longer decide');
  await setting.channel.ask('and again', '**Run `echo hi`?** Read-only.');
});

test('people whom the template parts have folders of their own', async () => {
  const setting = await daemonSetting({ allowFrom: ['bob'] });
  const { model, channel, folder } = setting;
  await setting.restart({ workspace: join(folder, 'workspaces', '{sender}'), approval: { policy: 'always_allow' } });
  for (const [by, said] of [
    ['ada', 'one'],
    ['bob', 'two'],
  ] as const) {
    model.next([call('write_file', { path: 'mine.txt', content: by })], said);
    await channel.ask('write', said, { by, in: group });
  }
  const folders = (await readdir(join(folder, 'workspaces'))).toSorted();
  expect(folders).toEqual(['test%3Aada', 'test%3Abob']);
  expect(await readFile(join(folder, 'workspaces', 'test%3Abob', 'mine.txt'), 'utf8')).toBe('bob');
});

test.each([
  ['nobody else may talk', { allow_from: [] }, './w', 0, 0],
  ['only owners are named', { allow_from: ['1'] }, './w', 0, 0],
  ['somebody else is named', { allow_from: ['1', '2'] }, './w', 0, 1],
  ['a group lets somebody else in', { groups: { '-5': { allow_from: ['2'] } } }, './w', 0, 1],
  ['somebody was let in with a code', {}, './w', 1, 1],
  ['people have folders of their own', { allow_from: ['2'] }, './w/{sender}', 1, 0],
  ['the channel is off', { allow_from: ['2'], enabled: false }, './w', 0, 0],
])('what is said at start of a shared folder when %s', (_, block, workspace, letIn, count) => {
  const warnings = sharingWarnings({ workspace, owners: ['telegram:1'], channels: { telegram: block } }, letIn);
  expect(warnings).toHaveLength(count);
  if (count > 0) expect(warnings[0]).toContain('Put {sender} in it, as "./w/{sender}"');
});
