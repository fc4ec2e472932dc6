import { expect, test } from 'vitest';
import { toolsToLookAt } from '../../scripts/builtin-definitions.ts';
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
  expect((await channel.ask('/tools', 'Tools here:', { in: group, at: 'test:team' })).text).not.toContain('`shell`');
  expect((await channel.ask('/tools', 'Tools here:', { at: 'test:ada' })).text).toContain('`shell`');
});

const allowed = {
  http_request: { allowed_domains: ['api.example.com'] },
  attempt_completion: { in_chats: true },
};

test.each(toolsToLookAt(allowed).map(({ name }) => name))(
  '%s is there, and not when it is switched off',
  async (name) => {
    const off = { ...allowed, [name]: { ...(name === 'http_request' ? allowed.http_request : {}), enabled: false } };
    const setting = await daemonSetting({ config: { tools: allowed } });
    await setting.channel.say('hello');
    expect((await setting.model.asked(1)).tools.map((tool) => tool.name)).toContain(name);
    await setting.restart({ tools: off });
    await setting.channel.say('hello again');
    expect((await setting.model.asked(2)).tools.map((tool) => tool.name)).not.toContain(name);
  },
);
