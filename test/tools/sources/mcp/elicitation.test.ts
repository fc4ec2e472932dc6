import { expect, test } from 'vitest';
import { group } from '../../../support/daemon-setting.ts';
import { mcpSetting } from '../../../support/mcp/mcp-setting.ts';
import { definition, serverFolder } from '../../../support/mcp/server-folder.ts';
import { call, resultsOf } from '../../../support/scripted-model.ts';

const form = { message: 'How many?', requestedSchema: { type: 'object', properties: { count: { type: 'integer' } } } };

test('while a person is asked, the time of the call stands still', async () => {
  const server = await serverFolder(definition('ask'));
  const setting = await mcpSetting({ box: server.config({ timeout_secs: 10 }) });
  setting.model.next([call('box_ask', form)]);
  await setting.channel.say('ask me');
  await setting.channel.card();
  setting.clock.advance(3_600_000);
  await setting.channel.say('7');
  expect(JSON.parse(resultsOf(await setting.model.asked(2))[0] ?? '')).toEqual({
    action: 'accept',
    content: { count: 7 },
  });
});

test('/stop calls the question off, and the server is told that nobody wants its work any more', async () => {
  const server = await serverFolder(definition('ask'));
  const setting = await mcpSetting({ box: server.config() });
  setting.model.next([call('box_ask', form)]);
  await setting.channel.say('ask me');
  await setting.channel.card();
  await setting.channel.say('/stop');
  await setting.channel.sees('Called off, since what asked has ended');
  await server.hears('notifications/cancelled');
  await setting.channel.whenIdle();
  expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
});

test('nobody is asked where it cannot be known whom the server means', async () => {
  const server = await serverFolder(definition('ask'), definition('wait'));
  const setting = await mcpSetting({ box: server.config() }, { allowFrom: ['bob'] });
  const { channel, model } = setting;
  model.next([call('box_wait', {})]);
  await channel.say('wait', { in: group, by: 'bob' });
  await server.hears('tools/call');
  model.next([call('box_ask', form)]);
  await channel.say('ask me');
  expect(resultsOf(await model.asked(3))[0]).toBe('{"action":"cancel"}');
  expect(channel.screen.flatMap(({ buttons }) => buttons)).toEqual([]);
  await channel.say('/stop', { in: group, by: 'bob' });
  await channel.whenIdle(group);
});

test('a server of the newest protocol is called, and asks a person, too', async () => {
  const server = await serverFolder(definition('echo'), definition('ask'));
  const setting = await mcpSetting({ box: server.config({}, 'modern') });
  setting.model.next([call('box_echo', { a: 1 })], [call('box_ask', form)]);
  await setting.channel.say('go');
  await setting.channel.card();
  await setting.channel.say('7');
  const results = resultsOf(await setting.model.asked(3));
  expect(results[0]).toContain('{"a":1}');
  expect(JSON.parse(results.at(-1) ?? '')).toEqual({ action: 'accept', content: { count: 7 } });
  expect(server.heard).not.toContain('initialize');
});
