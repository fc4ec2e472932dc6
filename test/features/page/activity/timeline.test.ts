import { describe, expect, test } from 'vitest';
import type { Figures, HitPage, RunPage, Timeline, TimelineCall } from '../../../../src/features/page/wire/activity.ts';
import type { JsonValue } from '../../../../src/lib/json.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { readPage } from '../../../support/recording-tool.ts';
import { call } from '../../../support/scripted-model.ts';
import { noon, withRuns } from './stored-runs.ts';

const tools = () => [unlock, readPage().registration];

async function timeline(who: SignedIn, id: string): Promise<Timeline> {
  const found: Timeline = JSON.parse(await (await who.get(`runs/${id}`)).text());
  return found;
}

async function newest(who: SignedIn): Promise<Timeline> {
  const page: RunPage = JSON.parse(await (await who.get('runs')).text());
  return timeline(who, page.runs[0]?.id ?? '');
}

function callsOf({ turns }: Timeline): readonly TimelineCall[] {
  return turns.flatMap(({ calls }) => calls);
}

describe('the timeline of a run', () => {
  test('goes from the message to the reply, with the rule that asked, who allowed it, and what had been read before', async () => {
    const setting = await pageSetting({ tools: tools() });
    const { channel, model, clock } = setting.daemon;
    const answer = 'It is **open**.\n\nThe back\ndoor is not.';
    model.next([call('read_page', { what: 'news' })], [call('unlock', { door: 'front' })], answer);
    await channel.say('read the page, then open the door');
    const card = await channel.sees(/nlock the front door/);
    clock.advance(5_000);
    await channel.press(card, { by: 'ada' });
    await channel.sees(/It is \*\*open/);
    const owner = await setting.browser();
    const told = await newest(owner);
    expect(told.run).toMatchObject({
      text: 'read the page, then open the door',
      end: { end: 'answered' },
      calls: 2,
      turns: 3,
    });
    expect(told.messages).toMatchObject([
      { kind: 'message', text: 'read the page, then open the door', person: { principal: 'test:ada' } },
    ]);
    expect(told.turns.map(({ model: name, text }) => [name, text])).toEqual([
      ['scripted', ''],
      ['scripted', ''],
      ['scripted', answer],
    ]);
    const [read, opened] = callsOf(told);
    expect(read).toMatchObject({
      name: 'read_page',
      outcome: 'success',
      rule: { rule: 'not-dangerous' },
      ruleOfTwo: { untrusted: false, sources: [] },
    });
    expect(opened).toMatchObject({
      name: 'unlock',
      category: 'hardware',
      arguments: JSON.stringify({ door: 'front' }, undefined, 2),
      output: 'front is open',
      isOutputCut: false,
      rule: { rule: 'asked', because: ['tainted'] },
      decision: { state: 'approved', decidedBy: { principal: 'test:ada' } },
      ruleOfTwo: { untrusted: true, changes: true },
    });
    const { askedAt = 0, decidedAt = 0 } = opened?.decision ?? {};
    expect(decidedAt - askedAt).toBeGreaterThanOrEqual(5_000);
    expect(opened?.ruleOfTwo.sources).toHaveLength(1);
    expect(told.deliveries).toMatchObject([
      { kind: 'card', state: 'sent' },
      { kind: 'reply', state: 'sent', markdown: answer, isCut: false },
    ]);
  });

  test('is found by the run, by a call and by an approval; by nobody else but owners', async () => {
    const setting = await pageSetting({ tools: tools() });
    const { channel, model } = setting.daemon;
    model.next('Fine.');
    await channel.say('hello');
    await channel.sees('Fine.');
    const owner = await setting.browser();
    const ofAda = (await newest(owner)).run.id;
    model.next([call('unlock', { door: 'front' })], 'No.');
    await channel.say('open', { by: 'bob' });
    await channel.sees(/nlock the front door/);
    const friend = await setting.browser('bob');
    const told = await newest(friend);
    const [asked] = callsOf(told);
    expect(asked).toMatchObject({ state: 'awaiting', decision: { state: 'pending' } });
    for (const id of [told.run.id, asked?.id ?? '', asked?.decision?.id ?? ''])
      expect([id, (await timeline(owner, id)).run.id]).toEqual([id, told.run.id]);
    expect((await friend.get(`runs/${ofAda}`)).status).toBe(404);
    expect((await friend.get('runs/run999999')).status).toBe(404);
    expect((await friend.get(`runs/${ofAda}/output/${asked?.id}`)).status).toBe(404);
  });

  test('has the beginning of a long output, and all of it for whoever asks', async () => {
    const setting = await pageSetting({
      config: { approval: { policy: 'always_allow' } },
      files: { 'long.txt': 'line of words\n'.repeat(2_000) },
    });
    const { channel, model } = setting.daemon;
    model.next([call('read_file', { path: 'long.txt' })], 'Read.');
    await channel.say('read it');
    await channel.sees('Read.');
    const owner = await setting.browser();
    const told = await newest(owner);
    const [read] = callsOf(told);
    expect(read?.isOutputCut).toBe(true);
    const asked = await owner.get(`runs/${told.run.id}/output/${read?.id}`);
    const answer: { readonly output: string } = JSON.parse(await asked.text());
    expect(answer.output.startsWith(read?.output ?? '?')).toBe(true);
    expect(answer.output.length).toBeGreaterThan(read?.output?.length ?? 0);
    expect(read?.rule).toEqual({ rule: 'policy-off' });
  });

  test('of a call with arguments nested hundreds of levels deep has no more spaces than words', async () => {
    const setting = await pageSetting({ tools: tools() });
    const { channel, model } = setting.daemon;
    const deep: JsonValue = JSON.parse(`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`);
    model.next([call('read_page', { what: deep })], 'No.');
    await channel.say('read it');
    await channel.sees('No.');
    const [read] = callsOf(await newest(await setting.browser()));
    expect(read).toMatchObject({ name: 'read_page', arguments: JSON.stringify({ what: deep }) });
  });

  test('leads to the work that it gave to others, and back', async () => {
    const agents = { scout: { description: 'looks things up', prompt: 'You are the scout.' } };
    const setting = await pageSetting({ config: { agents } });
    const { channel, model } = setting.daemon;
    model.next([call('delegate', { agent: 'scout', task: 'look' })], 'it is 42', 'The scout says 42.');
    await channel.say('ask the scout');
    await channel.sees('The scout says 42.');
    const owner = await setting.browser();
    const page: RunPage = JSON.parse(await (await owner.get('runs')).text());
    const above = page.runs.find(({ isSubRun }) => !isSubRun);
    const told = await timeline(owner, above?.id ?? '');
    const [delegated] = callsOf(told);
    expect(delegated?.subRun).toMatchObject({ isSubRun: true, place: { conversationId: 'test:ada' } });
    const below = await timeline(owner, delegated?.subRun?.id ?? '');
    expect(below.parent).toEqual({ runId: above?.id, callId: delegated?.id });
    expect(below.turns.map(({ text }) => text)).toEqual(['it is 42']);
  });

  test('names the person who decided on the page', async () => {
    const setting = await pageSetting({ tools: tools() });
    const { channel, model } = setting.daemon;
    model.next([call('unlock', { door: 'front' })], 'It is open.');
    await channel.say('open the door');
    await channel.sees(/nlock the front door/);
    const owner = await setting.browser();
    const [asked] = callsOf(await newest(owner));
    const id = asked?.decision?.id ?? '';
    const decided = await owner.post('decide', { id, choice: `ap:${id}:a` });
    expect(decided.status).toBe(200);
    await channel.sees('It is open.');
    const [opened] = callsOf(await newest(owner));
    expect(opened?.decision).toMatchObject({ state: 'approved', decidedBy: { name: 'Ada' } });
    expect(opened?.decision?.decidedBy?.principal).toMatch(/^device:/);
  });

  test('shows a friend what was done in their session, by a device that is gone', async () => {
    const setting = await pageSetting();
    const { daemon } = setting;
    await withRuns(daemon, [{ at: noon, says: 'hello from the phone', by: 'bob' }]);
    await daemon.stop();
    daemon.tamper(`UPDATE turns SET principal = 'device:gone', conversation_id = 'device:s1';
      UPDATE inbox SET principal = 'device:gone', conversation_id = 'device:s1' WHERE seq = 1;
      UPDATE spending SET principal = 'device:gone', conversation_id = 'device:s1';
      INSERT INTO conversations (id, channel, chat_id, kind, seen_at) VALUES ('device:s1', 'device', 's1', 'direct', 1);
      INSERT INTO device_sessions (id, principal, created_at) VALUES ('s1', 'test:bob', 1)`);
    await daemon.start();
    const friend = await setting.browser('bob');
    expect(await newest(friend)).toMatchObject({
      run: { place: { conversationId: 'device:s1' } },
      messages: [{ text: 'hello from the phone' }],
    });
    const found: HitPage = JSON.parse(await (await friend.get('search?q=phone')).text());
    expect(found.hits).toHaveLength(1);
    const figures: Figures = JSON.parse(await (await friend.get('figures?days=7')).text());
    expect([figures.models, figures.days.map(({ runs }) => runs)]).toEqual([
      [expect.objectContaining({ tokens: 10 })],
      [1],
    ]);
  });
});
