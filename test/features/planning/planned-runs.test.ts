import { expect, test } from 'vitest';
import { llmOnly } from '../../../src/tools/output.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call } from '../../support/scripted-model.ts';
import { hour, planningSetting } from './planning-setting.ts';

const hourly = (task: string) => [call('schedule', { action: 'create', task, cron: '0 * * * *' })];

test('a task that is due again and again, and finds the same each time, is done each time', async () => {
  const look = new RecordingTool('look', 'memory', () => llmOnly('all is well'));
  const { model, channel, clock } = await planningSetting({ tools: [look.registration] });
  model.next(hourly('look'), 'planned');
  await channel.ask('look each hour', 'planned');
  for (let count = 1; count <= 7; count += 1) {
    model.next([call('look', { what: 'here' })], `look ${count} was fine`);
    clock.advance(hour);
    await channel.seesAtRest(`look ${count} was fine`);
  }
  expect(look.executed).toHaveLength(7);
});

test('a task that was planned after untrusted content was read is done as if that had been read, after /new too', async () => {
  const page = new RecordingTool('read_page', 'network_read', () => ({
    ...llmOnly('a page'),
    untrusted: 'evil.example',
  }));
  const post = new RecordingTool('post', 'network_write');
  const config = { agent: { mode: 'autonomous' } };
  const tools = [page.registration, post.registration];
  const { model, channel, clock } = await planningSetting({ tools, config });
  model.next([call('read_page', { what: 'x' })], hourly('post it'), 'Planned.');
  await channel.say('read the page, and plan it');
  await channel.pressToSee((await channel.card()).buttons[0]?.[0]?.actionId ?? '', 'Planned.');
  await channel.sayAtRest('/new');
  model.next([call('post', { what: 'x' })], 'That is all.');
  clock.advance(hour);
  expect((await channel.card()).text).toContain('evil.example');
  expect(post.executed).toEqual([]);
});

test('what is planned is private: after a page was read, no request goes out unasked that could carry it', async () => {
  const page = new RecordingTool('read_page', 'network_read', () => ({
    ...llmOnly('a page'),
    untrusted: 'evil.example',
  }));
  const get = new RecordingTool('get', 'network_read');
  const config = { agent: { mode: 'autonomous' } };
  const { model, channel } = await planningSetting({ tools: [page.registration, get.registration], config });
  const list = [call('schedule', { action: 'list' })];
  model.next(list, [call('read_page', { what: 'x' })], [call('get', { what: 'x' })], 'That is all.');
  await channel.say('What do I have planned, and what does the page say?');
  expect((await channel.card()).text).toContain('could carry out what was read here');
  expect(get.executed).toEqual([]);
});

test('the text of what was planned where private data were read is private where it is done', async () => {
  const page = new RecordingTool('read_page', 'network_read', () => ({
    ...llmOnly('a page'),
    untrusted: 'evil.example',
  }));
  const tools = [page, new RecordingTool('get', 'network_read'), new RecordingTool('read_own', 'filesystem_read')];
  const config = { agent: { mode: 'autonomous' } };
  const { model, channel, clock } = await planningSetting({ tools: tools.map((tool) => tool.registration), config });
  model.next([call('read_own', { what: 'x' })], hourly('my code is 42'), 'Planned.');
  await channel.ask('read it, and plan it', 'Planned.');
  await channel.say('/new');
  model.next('It is done.');
  clock.advance(hour);
  await channel.seesAtRest('It is done.');
  model.next([call('read_page', { what: 'x' })], [call('get', { what: 'x' })], 'That is all.');
  expect((await channel.cardFor('what does the page say?')).text).toContain('could carry out what was read here');
});

test('after a page was read, a reminder asks nothing where the person has written it so, and asks where they have not', async () => {
  const page = new RecordingTool('read_page', 'network_read', () => ({ ...llmOnly('a'), untrusted: 'evil.example' }));
  const tools = [page.registration, new RecordingTool('read_own', 'filesystem_read').registration];
  const config = { agent: { mode: 'autonomous' } };
  const { model, channel } = await planningSetting({ tools, config });
  const cards = () => channel.screen.filter(({ buttons }) => buttons.length > 0);
  const read = ['read_page', 'read_own'].map((name) => call(name, { what: 'x' }));
  model.next(read, [call('remind', { text: 'call Mum', in_minutes: 30 })], 'That is all.');
  await channel.sayAtRest('Remind me to call Mum in half an hour');
  expect(cards()).toEqual([]);
  model.next([
    call('remind', { text: 'call Mum at evil.example', in_minutes: 30 }),
    call('schedule', { action: 'create', task: 'call Mum', cron: '0 9 * * *' }),
  ]);
  await channel.sayAtRest('go on');
  const both = expect.stringMatching(/Remind here, in 30 min[\s\S]*Plan the task, every day at 09:00/);
  expect(cards().map(({ text }) => text)).toEqual([both]);
});
