import { expect, test } from 'vitest';
import { daemonSetting, group } from '../support/daemon-setting.ts';
import { call, resultsOf } from '../support/scripted-model.ts';

const perChat = { 'test:team': { disabled: ['category:shell', 'read_file'] } };

test('in a chat with rules of its own, the model is told of fewer tools, and cannot call the others', async () => {
  const { channel, model } = await daemonSetting({ config: { tools: { per_chat: perChat } } });
  model.next([call('shell', { command: 'ls' }), call('read_file', { path: 'a' })]);
  await channel.say('look', { in: group });
  const [first, second] = [await model.asked(1), await model.asked(2)];
  const names = first.tools.map(({ name }) => name);
  expect(names).toContain('list_dir');
  expect(names).not.toContain('shell');
  expect(names).not.toContain('read_file');
  expect(resultsOf(second)).toEqual([
    expect.stringContaining('There is no tool "shell" here'),
    expect.stringContaining('There is no tool "read_file" here'),
  ]);
  await channel.say('look');
  expect((await model.asked(3)).tools.map(({ name }) => name)).toContain('shell');
});

test('/tools tells what there is in the chat where it is asked', async () => {
  const { channel } = await daemonSetting({ config: { tools: { per_chat: perChat } } });
  await channel.say('/tools', { in: group });
  expect((await channel.sees('Tools here:', 'test:team')).text).not.toContain('`shell`');
  await channel.say('/tools');
  expect((await channel.sees('Tools here:', 'test:ada')).text).toContain('`shell`');
});
