import { expect, test } from 'vitest';
import { llmOnly } from '../../../src/tools/output.ts';
import { RecordingTool, readPage } from '../../support/recording-tool.ts';
import { couldLeak } from '../../support/said.ts';
import { call } from '../../support/scripted-model.ts';
import { daily, hour, planningSetting } from './planning-setting.ts';

const hourly = (task: string) => [call('schedule', { action: 'create', task, cron: '0 * * * *' })];
const using = (...names: readonly string[]) => names.map((name) => call(name, { what: 'x' }));

/** Nothing is asked for but what is tainted. */
async function autonomous() {
  const get = new RecordingTool('get', 'network_read');
  const post = new RecordingTool('post', 'network_write');
  const tools = [readPage(), get, post, new RecordingTool('read_own', 'filesystem_read')];
  const config = { agent: { mode: 'autonomous' } };
  const parts = await planningSetting({ tools: tools.map(({ registration }) => registration), config });
  return { ...parts, get, post };
}

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
  const { model, channel, clock, post } = await autonomous();
  model.next(using('read_page'), hourly('post it'), 'Planned.');
  await channel.pressToSee(await channel.cardFor('read the page, and plan it'), 'Planned.');
  await channel.sayAtRest('/new');
  model.next(using('post'), 'That is all.');
  clock.advance(hour);
  expect((await channel.card()).text).toContain('evil.example');
  expect(post.executed).toEqual([]);
});

test('what is planned is private: after a page was read, no request goes out unasked that could carry it', async () => {
  const { model, channel, get } = await autonomous();
  model.next([call('schedule', { action: 'list' })], using('read_page'), using('get'), 'That is all.');
  const { text } = await channel.cardFor('What do I have planned, and what does the page say?');
  expect(text).toContain(couldLeak);
  expect(get.executed).toEqual([]);
});

test('the text of what was planned where private data were read is private where it is done', async () => {
  const { model, channel, clock } = await autonomous();
  model.next(using('read_own'), hourly('my code is 42'), 'Planned.');
  await channel.ask('read it, and plan it', 'Planned.');
  await channel.say('/new');
  model.next('It is done.');
  clock.advance(hour);
  await channel.seesAtRest('It is done.');
  model.next(using('read_page'), using('get'), 'That is all.');
  expect((await channel.cardFor('what does the page say?')).text).toContain(couldLeak);
});

test('after a page was read, a reminder asks nothing where the person has written it so, and asks where they have not', async () => {
  const { model, channel } = await autonomous();
  const cards = () => channel.screen.filter(({ buttons }) => buttons.length > 0).map(({ text }) => text);
  const remind = (text: string) => call('remind', { text, in_minutes: 30 });
  model.next(using('read_page', 'read_own'), [remind('call Mum')], 'That is all.');
  await channel.sayAtRest('Remind me to call Mum in half an hour');
  expect(cards()).toEqual([]);
  model.next([remind('call Mum at evil.example'), call('schedule', daily)]);
  await channel.sayAtRest('go on');
  expect(cards()).toEqual([
    expect.stringMatching(/Remind here, in 30 min[\s\S]*Plan the task `News`, every day at 09:00/),
  ]);
});
