import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { type DaemonSettingOptions, group } from '../../support/daemon-setting.ts';
import { type Deed, direct } from '../../support/deed.ts';
import { linked, twoChannels } from '../../support/link-setting.ts';
import { RecordingTool, readPage } from '../../support/recording-tool.ts';
import { call, held } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';

const u1 = { by: 'u1' };
const bob = { by: 'bob' };
const config = {
  tools: { schedule: { time_zone: 'UTC' } },
  channels: { test: { allow_from: ['bob', 'carl'] }, other: { allow_from: ['u1'], groups: { team: {} } } },
};

/** A daemon in which Bob talks on one channel, and U1, who may be the same person, on the other. */
async function twoAccounts({ config: more, ...options }: DaemonSettingOptions = {}) {
  const all = await twoChannels({ ...options, config: { ...config, ...more } });
  const { here, there } = all;
  const { model } = all.setting;
  return {
    ...all,
    model,
    link: () => linked([here, 'bob'], [there, 'u1']),
    unlink: () => there.ask('/unlink', 'no longer linked', { ...u1, at: 'other:u1' }),
    bobUses: (name: string, args: JsonObject) => useTool({ model, channel: here }, name, args, bob),
    u1Uses: (name: string, args: JsonObject, deed: Deed = {}) =>
      useTool({ model, channel: there }, name, args, { ...u1, ...deed }),
  };
}

test('what one account remembers of a page of strangers is untrusted where another account reads it', async () => {
  const post = new RecordingTool('post', 'network_write');
  const { model, here, there, link, bobUses, u1Uses } = await twoAccounts({
    tools: [readPage().registration, post.registration],
    config: { agent: { mode: 'autonomous' }, owners: ['test:bob'] },
  });
  await link();
  await bobUses('read_page', { what: 'x' });
  model.next([call('memory_store', { text: 'Post it each day.' })], 'done');
  await here.press(await here.cardFor('keep that in mind', bob), bob);
  await here.whenIdle(direct('test', 'bob'));

  await u1Uses('post', { what: 'x' });
  expect(post.executed).toEqual(['x']);
  await u1Uses('memory_search', { query: '' });
  model.next([call('post', { what: 'y' })], 'done');
  await there.ask('go on', 'evil.example', { ...u1, at: 'other:u1' });
  expect(post.executed).toEqual(['x']);
});

describe('what is remembered', () => {
  test('is found with each account of the person, and with its own alone when they are parted', async () => {
    const { setting, link, unlink, bobUses, u1Uses } = await twoAccounts();
    const search = () => u1Uses('memory_search', { query: '' });
    await bobUses('memory_store', { text: 'Bob likes tea.' });
    await useTool(setting, 'memory_store', { text: 'Carl likes milk.' }, { by: 'carl' });
    expect(await search()).toContain('Nothing was found');
    await link();
    await u1Uses('memory_store', { text: 'U1 likes rain.' });
    expect(await search()).toMatch(/U1 likes rain\.[\s\S]*Bob likes tea\./);
    expect(await search()).not.toContain('milk');
    await setting.restart();
    expect(await u1Uses('memory_search', { query: 'tea rain milk' })).toMatch(/(tea[\s\S]*rain|rain[\s\S]*tea)/);
    await unlink();
    expect(await search()).not.toContain('tea');
    expect(await search()).toContain('rain');
    expect(setting.rows('SELECT principal, text FROM memories ORDER BY seq')).toEqual([
      { principal: 'test:bob', text: 'Bob likes tea.' },
      { principal: 'test:carl', text: 'Carl likes milk.' },
      { principal: 'other:u1', text: 'U1 likes rain.' },
    ]);
  });

  test('in a group stays there unless more is asked for; the same text again moves nothing of another account', async () => {
    const { link, unlink, bobUses, u1Uses } = await twoAccounts();
    await link();
    await bobUses('memory_store', { text: 'A secret.' });
    const inGroup = { ...u1, in: { ...group, channel: 'other' } };
    // They may talk in that group, since its channel lists them.
    expect(await u1Uses('memory_search', { query: 'secret' }, inGroup)).toContain('Nothing was found');
    expect(await u1Uses('memory_search', { query: 'secret', scope: 'everywhere' }, inGroup)).toContain('A secret.');
    await u1Uses('memory_store', { text: 'A secret.' });
    await unlink();
    expect(await bobUses('memory_search', { query: 'secret' })).toContain('A secret.');
  });

  test('is forgotten with another account, and counted together', async () => {
    const { setting, link, bobUses, u1Uses } = await twoAccounts({
      config: { tools: { memory_store: { max_entries: 2 } } },
    });
    const stored = await bobUses('memory_store', { text: 'one' });
    const id = / as (\w{8})\./.exec(stored)?.[1] ?? '';
    await link();
    await u1Uses('memory_store', { text: 'two' });
    expect(await u1Uses('memory_store', { text: 'three' })).toContain('there are 2 memories');
    expect(await u1Uses('memory_forget', { id })).toBe(`Forgotten: ${id}.`);
    expect(await u1Uses('memory_store', { text: 'three' })).toContain('Remembered');
    expect(await useTool(setting, 'memory_forget', { id }, { by: 'carl' })).toContain('no such memory');
  });
});

describe('what is spent', () => {
  const budget = { tokens_per_person_per_day: 150 };

  test('counts for the person, with whichever account, and for the account alone when they are parted', async () => {
    const { setting, model, here, there, link, unlink } = await twoAccounts({ config: { budget } });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await link();
    await here.ask('one', 'echo: one', { ...bob, at: 'test:bob' });
    await there.ask('two', 'echo: two', { ...u1, at: 'other:u1' });
    expect((await there.ask('/usage', 'Used today', { ...u1, at: 'other:u1' })).text).toContain(
      '- For you: 200 of 150 tokens',
    );
    await there.ask('three', 'The budget of U1 is used up: 200 of 150 tokens', { ...u1, at: 'other:u1' });
    expect(model.requests).toHaveLength(2);
    await unlink();
    await there.ask('/usage', '- For you: 100 of 150 tokens', { ...u1, at: 'other:u1' });
    await there.ask('four', 'four', { ...u1, at: 'other:u1' });
    expect(setting.rows('SELECT DISTINCT principal FROM spending ORDER BY principal')).toEqual([
      { principal: 'other:u1' },
      { principal: 'test:bob' },
    ]);
  });

  test('at once with two accounts is overshot by one call at most', async () => {
    const { model, here, there, link } = await twoAccounts({ config: { budget: { tokens_per_person_per_day: 100 } } });
    model.usage = { inputTokens: 90, outputTokens: 10 };
    await link();
    const answer = held('the answer');
    model.next(answer.script);
    await here.say('one', bob);
    await model.asked(1);
    await there.say('two', u1);
    answer.release();
    await here.sees('the answer', 'test:bob');
    await there.sees('100 of 100 tokens');
    expect(model.requests).toHaveLength(1);
  });

  test('in calls of a tool is limited for the person', async () => {
    const look = new RecordingTool('look', 'memory');
    const limits = { tools: { rate_limits: { look: { calls: 1, per_secs: 60 } } } };
    const { link, bobUses, u1Uses } = await twoAccounts({ config: limits, tools: [look.registration] });
    await link();
    await bobUses('look', { what: 'a' });
    expect(await u1Uses('look', { what: 'b' })).toContain('too many calls');
    expect(look.executed).toEqual(['a']);
  });
});

describe('what is planned', () => {
  test('is listed and cancelled with each account, in direct chats, and done where it was planned', async () => {
    const { setting, here, clock, link, unlink, bobUses, u1Uses } = await twoAccounts();
    const plan = (text: string) => bobUses('remind', { text, in_minutes: 10 });
    const list = () => u1Uses('schedule', { action: 'list' });
    const [first = '', second = ''] = [await plan('Tea!'), await plan('Cake!')].map(
      (words) => / (\w{6}) is set/.exec(words)?.[1],
    );
    const cancel = (id: string) => u1Uses('schedule', { action: 'cancel', id });
    expect(await list()).toContain('Nothing is planned');
    expect(await cancel(first)).toContain('Nothing that');
    await link();
    expect(await list()).toMatch(/Tea![\s\S]*Cake!|Cake![\s\S]*Tea!/);
    expect(await cancel(first)).toContain('Cancelled');
    expect(setting.rows("SELECT actor FROM audit WHERE kind = 'schedule-cancelled'")).toEqual([{ actor: 'other:u1' }]);
    await unlink();
    expect(await list()).toContain('Nothing is planned');
    expect(await cancel(second)).toContain('Nothing that');
    clock.advance(600_000);
    await here.sees('Cake!', 'test:bob');
    expect(here.textsIn('test:bob').join()).not.toContain('Tea!');
  });

  test('is bounded for the person', async () => {
    const { link, unlink, bobUses, u1Uses } = await twoAccounts({
      config: { tools: { schedule: { max_entries: 1 } } },
    });
    await link();
    await bobUses('remind', { text: 'Tea!', in_minutes: 10 });
    const other = { text: 'Cake!', in_minutes: 10 };
    expect(await u1Uses('remind', other)).toContain('which is the limit');
    await unlink();
    expect(await u1Uses('remind', other)).toContain('is set');
  });

  test('ends in a chat in which its maker may talk by a link alone, when there is none any more', async () => {
    const { setting, here, there, clock } = await twoChannels();
    await linked([here, 'bob'], [there, 'u5']);
    await useTool({ model: setting.model, channel: there }, 'remind', { text: 'Tea!', in_minutes: 10 }, { by: 'u5' });
    await here.ask('/unlink other:u5', 'no longer linked', { ...bob, at: 'test:bob' });
    await here.say('hello');
    clock.advance(600_000);
    await here.sees('`U5` may no longer talk there', 'test:ada');
    expect(there.textsIn('other:u5').join()).not.toContain('Tea!');
  });
});

test('a message goes to the places in which any account of the person has taken part, and to no others', async () => {
  const { model, here, there, link, unlink, u1Uses } = await twoAccounts();
  await here.say('hello');
  for (const by of ['bob', 'carl']) await here.say('hello', { by });
  await here.sees('echo: hello', 'test:carl');
  const write = (to: string) => u1Uses('message', { to, text: 'Tea is ready.' });
  expect(await write('test:bob')).toContain('no conversation');
  await link();
  expect(await write('test:carl')).toContain('no conversation');
  model.next([call('message', { to: 'Bob', text: 'Tea is ready.' })], 'noted');
  await there.say('tell it', u1);
  await here.pressToSee(await here.card('test:ada'), 'Tea is ready.', { at: 'test:bob' });
  await there.whenIdle(direct('other', 'u1'));
  await unlink();
  expect(await write('test:bob')).toContain('no conversation');
});
