import { describe, expect, test } from 'vitest';
import { llmOnly } from '../../../src/tools/output.ts';
import { approveButton } from '../../engine/deploy-setting.ts';
import { group } from '../../support/daemon-setting.ts';
import { direct } from '../../support/deed.ts';
import { linked, twoChannels } from '../../support/link-setting.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, held } from '../../support/scripted-model.ts';
import type { TestChannel } from '../../support/test-channel.ts';
import { useTool } from '../../support/use-tool.ts';

type Setting = Awaited<ReturnType<typeof twoChannels>>;

const u1 = { by: 'u1' };
const bob = { by: 'bob' };
const config = {
  tools: { schedule: { time_zone: 'UTC' } },
  channels: { test: { allow_from: ['bob', 'carl'] }, other: { allow_from: ['u1'], groups: { team: {} } } },
};

const on = ({ setting }: Setting, channel: TestChannel) => ({ model: setting.model, channel });

async function unlink(channel: TestChannel): Promise<void> {
  await channel.ask('/unlink', 'linked with no other any more', { ...u1, at: 'other:u1' });
}

test('what one account remembers of a page of strangers is untrusted where another account reads it', async () => {
  const page = new RecordingTool('read_page', 'network_read', () => ({
    ...llmOnly('a page'),
    untrusted: 'evil.example',
  }));
  const post = new RecordingTool('post', 'network_write');
  const all = await twoChannels({
    tools: [page.registration, post.registration],
    config: { ...config, agent: { mode: 'autonomous' }, owners: ['test:bob'] },
  });
  const { setting, here, there } = all;
  await linked([here, 'bob'], [there, 'u1']);
  await useTool(setting, 'read_page', { what: 'x' }, bob);
  setting.model.next([call('memory_store', { text: 'Post it each day.' })], 'done');
  await here.say('keep that in mind', bob);
  await here.press(await approveButton(here, 'test:bob'), bob);
  await here.whenIdle(direct('test', 'bob'));

  await useTool(on(all, there), 'post', { what: 'x' }, u1);
  expect(post.executed).toEqual(['x']);
  await useTool(on(all, there), 'memory_search', { query: '' }, u1);
  setting.model.next([call('post', { what: 'y' })], 'done');
  await there.ask('go on', 'evil.example', { ...u1, at: 'other:u1' });
  expect(post.executed).toEqual(['x']);
});

describe('what is remembered', () => {
  test('is found with each account of the person, and with its own alone when they are parted', async () => {
    const all = await twoChannels({ config });
    const { setting, here, there } = all;
    const search = () => useTool(on(all, there), 'memory_search', { query: '' }, u1);
    await useTool(setting, 'memory_store', { text: 'Bob likes tea.' }, bob);
    await useTool(setting, 'memory_store', { text: 'Carl likes milk.' }, { by: 'carl' });
    expect(await search()).toContain('Nothing was found');
    await linked([here, 'bob'], [there, 'u1']);
    await useTool(on(all, there), 'memory_store', { text: 'U1 likes rain.' }, u1);
    expect(await search()).toMatch(/U1 likes rain\.[\s\S]*Bob likes tea\./);
    expect(await search()).not.toContain('milk');
    await setting.restart();
    expect(await useTool(on(all, there), 'memory_search', { query: 'tea rain milk' }, u1)).toMatch(
      /(tea[\s\S]*rain|rain[\s\S]*tea)/,
    );
    await unlink(there);
    expect(await search()).not.toContain('tea');
    expect(await search()).toContain('rain');
    expect(setting.rows('SELECT principal, text FROM memories ORDER BY seq')).toEqual([
      { principal: 'test:bob', text: 'Bob likes tea.' },
      { principal: 'test:carl', text: 'Carl likes milk.' },
      { principal: 'other:u1', text: 'U1 likes rain.' },
    ]);
  });

  test('in a group stays there unless more is asked for; the same text again moves nothing of another account', async () => {
    const all = await twoChannels({ config });
    const { setting, here, there } = all;
    await linked([here, 'bob'], [there, 'u1']);
    await useTool(setting, 'memory_store', { text: 'A secret.' }, bob);
    const inGroup = { ...u1, in: { ...group, channel: 'other' } };
    // They may talk in that group, since its channel lists them.
    expect(await useTool(on(all, there), 'memory_search', { query: 'secret' }, inGroup)).toContain('Nothing was found');
    expect(await useTool(on(all, there), 'memory_search', { query: 'secret', scope: 'everywhere' }, inGroup)).toContain(
      'A secret.',
    );
    await useTool(on(all, there), 'memory_store', { text: 'A secret.' }, u1);
    await unlink(there);
    expect(await useTool(setting, 'memory_search', { query: 'secret' }, bob)).toContain('A secret.');
  });

  test('is forgotten with another account, and counted together', async () => {
    const all = await twoChannels({ config: { ...config, tools: { memory_store: { max_entries: 2 } } } });
    const { setting, here, there } = all;
    const stored = await useTool(setting, 'memory_store', { text: 'one' }, bob);
    const id = / as (\w{8})\./.exec(stored)?.[1] ?? '';
    await linked([here, 'bob'], [there, 'u1']);
    await useTool(on(all, there), 'memory_store', { text: 'two' }, u1);
    expect(await useTool(on(all, there), 'memory_store', { text: 'three' }, u1)).toContain('there are 2 memories');
    expect(await useTool(on(all, there), 'memory_forget', { id }, { by: 'u1' })).toBe(`Forgotten: ${id}.`);
    expect(await useTool(on(all, there), 'memory_store', { text: 'three' }, u1)).toContain('Remembered');
    expect(await useTool(setting, 'memory_forget', { id }, { by: 'carl' })).toContain('no such memory');
  });
});

describe('what is spent', () => {
  const budget = { tokens_per_person_per_day: 150 };

  test('counts for the person, with whichever account, and for the account alone when they are parted', async () => {
    const { setting, here, there } = await twoChannels({ config: { ...config, budget } });
    setting.model.usage = { inputTokens: 90, outputTokens: 10 };
    await linked([here, 'bob'], [there, 'u1']);
    await here.ask('one', 'echo: one', { ...bob, at: 'test:bob' });
    await there.ask('two', 'echo: two', { ...u1, at: 'other:u1' });
    await there.say('/usage', u1);
    expect((await there.sees('Used today', 'other:u1')).text).toContain('- For you: 200 of 150 tokens');
    await there.ask('three', 'The budget of U1 is used up: 200 of 150 tokens', { ...u1, at: 'other:u1' });
    expect(setting.model.requests).toHaveLength(2);
    await unlink(there);
    await there.ask('/usage', '- For you: 100 of 150 tokens', { ...u1, at: 'other:u1' });
    await there.ask('four', 'four', { ...u1, at: 'other:u1' });
    expect(setting.rows('SELECT DISTINCT principal FROM spending ORDER BY principal')).toEqual([
      { principal: 'other:u1' },
      { principal: 'test:bob' },
    ]);
  });

  test('at once with two accounts is overshot by one call at most', async () => {
    const { setting, here, there } = await twoChannels({
      config: { ...config, budget: { tokens_per_person_per_day: 100 } },
    });
    setting.model.usage = { inputTokens: 90, outputTokens: 10 };
    await linked([here, 'bob'], [there, 'u1']);
    const answer = held('the answer');
    setting.model.next(answer.script);
    await here.say('one', bob);
    await setting.model.asked(1);
    await there.say('two', u1);
    answer.release();
    await here.sees('the answer', 'test:bob');
    await there.sees('100 of 100 tokens');
    expect(setting.model.requests).toHaveLength(1);
  });

  test('in calls of a tool is limited for the person', async () => {
    const look = new RecordingTool('look', 'memory');
    const limits = { ...config, tools: { rate_limits: { look: { calls: 1, per_secs: 60 } } } };
    const all = await twoChannels({ config: limits, tools: [look.registration] });
    const { setting, here, there } = all;
    await linked([here, 'bob'], [there, 'u1']);
    await useTool(setting, 'look', { what: 'a' }, bob);
    expect(await useTool(on(all, there), 'look', { what: 'b' }, u1)).toContain('too many calls');
    expect(look.executed).toEqual(['a']);
  });
});

describe('what is planned', () => {
  test('is listed and cancelled with each account, in direct chats, and done where it was planned', async () => {
    const all = await twoChannels({ config });
    const { setting, here, there, clock } = all;
    const plan = (text: string) => useTool(setting, 'remind', { text, in_minutes: 10 }, bob);
    const list = () => useTool(on(all, there), 'schedule', { action: 'list' }, u1);
    const [first, second] = [await plan('Tea!'), await plan('Cake!')].map(
      (result) => /reminder (\w{6})/.exec(result)?.[1] ?? '',
    );
    expect(await list()).toContain('Nothing is planned');
    expect(await useTool(on(all, there), 'schedule', { action: 'cancel', id: first ?? '' }, u1)).toContain(
      'Nothing that',
    );
    await linked([here, 'bob'], [there, 'u1']);
    expect(await list()).toMatch(/Tea![\s\S]*Cake!|Cake![\s\S]*Tea!/);
    expect(await useTool(on(all, there), 'schedule', { action: 'cancel', id: first ?? '' }, u1)).toContain('Cancelled');
    expect(setting.rows("SELECT actor FROM audit WHERE kind = 'schedule-cancelled'")).toEqual([{ actor: 'other:u1' }]);
    await unlink(there);
    expect(await list()).toContain('Nothing is planned');
    expect(await useTool(on(all, there), 'schedule', { action: 'cancel', id: second ?? '' }, u1)).toContain(
      'Nothing that',
    );
    clock.advance(600_000);
    await here.sees('Cake!', 'test:bob');
    expect(here.textsIn('test:bob').join()).not.toContain('Tea!');
  });

  test('is bounded for the person', async () => {
    const all = await twoChannels({ config: { ...config, tools: { schedule: { max_entries: 1 } } } });
    const { setting, here, there } = all;
    await linked([here, 'bob'], [there, 'u1']);
    await useTool(setting, 'remind', { text: 'Tea!', in_minutes: 10 }, bob);
    const other = { text: 'Cake!', in_minutes: 10 };
    expect(await useTool(on(all, there), 'remind', other, u1)).toContain('may not have more');
    await unlink(there);
    expect(await useTool(on(all, there), 'remind', other, u1)).toContain('will be said');
  });

  test('ends in a chat in which its maker may talk by a link alone, when there is none any more', async () => {
    const { setting, here, there, clock } = await twoChannels();
    await linked([here, 'bob'], [there, 'u5']);
    await useTool({ model: setting.model, channel: there }, 'remind', { text: 'Tea!', in_minutes: 10 }, { by: 'u5' });
    await here.ask('/unlink other:u5', 'linked with no other', { ...bob, at: 'test:bob' });
    await here.say('hello');
    clock.advance(600_000);
    await here.sees('`U5` may no longer talk there', 'test:ada');
    expect(there.textsIn('other:u5').join()).not.toContain('Tea!');
  });
});

test('a message goes to the places in which any account of the person has taken part, and to no others', async () => {
  const all = await twoChannels({ config });
  const { setting, here, there } = all;
  await here.say('hello');
  for (const by of ['bob', 'carl']) await here.say('hello', { by });
  await here.sees('echo: hello', 'test:carl');
  const write = (to: string) => useTool(on(all, there), 'message', { to, text: 'Tea is ready.' }, u1);
  expect(await write('test:bob')).toContain('no conversation');
  await linked([here, 'bob'], [there, 'u1']);
  expect(await write('test:carl')).toContain('no conversation');
  setting.model.next([call('message', { to: 'Bob', text: 'Tea is ready.' })], 'noted');
  await there.say('tell it', u1);
  await here.pressToSee(await approveButton(here, 'test:ada'), 'Tea is ready.', { at: 'test:bob' });
  await there.whenIdle(direct('other', 'u1'));
  await unlink(there);
  expect(await write('test:bob')).toContain('no conversation');
});
