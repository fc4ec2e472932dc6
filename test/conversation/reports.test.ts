import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sharingWarnings } from '../../src/config/workspace-template.ts';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import { call, ScriptedModel } from '../support/scripted-model.ts';

test('/status tells an owner of the machine and of all channels, and others of neither', async () => {
  const { channel, workspace } = await daemonSetting({ allowFrom: ['bob'], moreChannels: [{ name: 'other' }] });
  const { text: toOwner } = await channel.ask('/status', 'is up for', { at: 'test:ada' });
  expect(toOwner).toContain(workspace);
  expect(toOwner).toContain('other: connected');

  const { text: toBob } = await channel.ask('/status', 'is up for', { by: 'bob', at: 'test:bob' });
  expect(toBob).not.toContain(workspace);
  expect(toBob).not.toContain('other');
  expect(toBob).toContain('test: connected');
});

test('/status tells an owner which messages could not be shown in the last day, and nobody else', async () => {
  const { channel, clock } = await daemonSetting({ allowFrom: ['bob', 'eve'] });
  for (const by of ['bob', 'eve']) {
    // The message, and what would stand in its place.
    for (let send = 0; send < 2; send += 1) channel.failNext({ type: 'permanent' }, { of: 'send' });
    await channel.say('hello', { by });
    await channel.whenIdle(direct(channel.name, by));
    clock.advance(60_000);
  }
  const { text } = await channel.ask('/status', 'is up for', { at: 'test:ada' });
  expect(text).toMatch(
    /2 messages could not be shown in the last day\. The newest, in `test:eve` at \d\d:\d\d: .*permanent/,
  );
  await channel.say('/status', { by: 'bob' });
  expect((await channel.sees('is up for', 'test:bob')).text).not.toContain('could not be shown');
  clock.advance(86_400_000);
  await channel.sayAtRest('/status');
  expect(channel.textsIn('test:ada').at(-1)).not.toContain('could not be shown');
});

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

const config = { tools: { schedule: { time_zone: 'UTC' } } };

describe('/usage', () => {
  test('says that nothing was used', async () => {
    const { channel } = await daemonSetting({ config });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text).toBe(
      ['Used today:', '- In this conversation: 0 tokens', '- For you: 0 tokens', '- For all: 0 tokens'].join('\n'),
    );
  });

  test('tells an owner of the conversation, themselves and all, by model', async () => {
    const other = new ScriptedModel('other');
    other.usage = { inputTokens: 4000, outputTokens: 1000, cost: 27_000, model: 'other' };
    const { channel, model } = await daemonSetting({ config, allowFrom: ['bob'], moreModels: { other } });
    model.usage = { inputTokens: 90, outputTokens: 10, cost: 1_500_000 };
    await channel.ask('one', 'echo: one');
    await channel.say('/model other', { in: group });
    await channel.ask('two', 'echo: [Ada] two', { in: group });
    await channel.ask('three', 'echo: three', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today');
    expect(text.split('\n')).toEqual([
      'Used today:',
      '- In this conversation: 100 tokens, 1.50 in money (scripted)',
      '- For you: 5,100 tokens, 1.53 in money',
      '  - other: 5,000 tokens, 0.027 in money',
      '  - scripted: 100 tokens, 1.50 in money',
      '- For all: 5,200 tokens, 3.03 in money',
      '  - other: 5,000 tokens, 0.027 in money',
      '  - scripted: 200 tokens, 3.00 in money',
    ]);
  });

  test('tells others of themselves alone, with the bounds that hold for them', async () => {
    const budget = { tokens_per_run: 5000, money_per_run: 0.5, tokens_per_person_per_day: 1000, money_per_day: 20 };
    const { channel, model } = await daemonSetting({ config: { ...config, budget }, allowFrom: ['bob'] });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    await channel.ask('two', 'echo: two', { by: 'bob' });
    const { text } = await channel.ask('/usage', 'Used today', { by: 'bob', at: 'test:bob' });
    expect(text.split('\n')).toEqual([
      'Used today:',
      '- In this conversation: 100 tokens (scripted)',
      '- For you: 100 of 1,000 tokens (scripted)',
      '',
      'Answering one message may take 5,000 tokens and 0.50 before I ask.',
    ]);
  });

  test('starts over with the day of the time zone that the config names', async () => {
    // The clock of the setting stands at 22:13 UTC.
    const zone = { tools: { schedule: { time_zone: 'Asia/Tokyo' } } };
    const { channel, model, clock, setting } = await settingIn(zone);
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await channel.ask('one', 'echo: one');
    expect(setting.rows('SELECT day FROM spending')).toEqual([{ day: '2023-11-15' }]);
    clock.advance(17 * 3_600_000);
    await channel.ask('/usage', '- For you: 0 tokens');
  });

  test('counts answers that were not kept', async () => {
    const { channel, model, setting } = await settingIn(config);
    model.usage = { inputTokens: 90, outputTokens: 10 };
    model.next([]);
    await channel.askAtRest('one', 'The model gave an empty answer');
    expect(setting.rows('SELECT tokens FROM spending')).toEqual([{ tokens: 100 }]);
  });
});

async function settingIn(config: Readonly<Record<string, unknown>>) {
  const setting = await daemonSetting({ config });
  const { channel, model, clock } = setting;
  return { setting, channel, model, clock };
}
