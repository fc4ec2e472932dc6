import { describe, expect, test } from 'vitest';
import { firstBatch } from '../../src/engine/next.ts';
import { llmOnly } from '../../src/tools/output.ts';
import type { ToolCategory } from '../../src/tools/tool.ts';
import { daemonSetting } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { RecordingTool, untilStopped } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { askedSetting, deploySetting } from './deploy-setting.ts';

const numbers = Array.from({ length: 20 }, (_, index) => String(index));

describe('an answer with twenty calls', () => {
  test('has sixteen of them run, and the model is told of the others in words', async () => {
    const look = new RecordingTool('look', 'memory');
    const { model, channel } = await deploySetting({}, look);
    model.next(
      numbers.map((what) => call('look', { what })),
      'looked',
    );
    await channel.ask('look at all', 'looked');
    expect(look.executed).toEqual(numbers.slice(0, 16));
    const results = resultsOf(await model.asked(2));
    expect(results.slice(0, 16)).toEqual(numbers.slice(0, 16).map((what) => `done: ${what}`));
    const refused = Array.from({ length: 4 }, () => expect.stringMatching(/^Not executed: at most 16 calls/));
    expect(results.slice(16)).toEqual(refused);
  });

  test('shows ten cards, and the next answer shows none before one is decided', async () => {
    const { setting, model, channel, deploy } = await deploySetting();
    const cards = () => channel.screen.filter(({ kind }) => kind === 'card').length;
    model.next(
      numbers.map((what) => call('deploy', { what })),
      [call('deploy', { what: 'more' })],
      'I wait',
    );
    await channel.say('deploy all');
    await channel.changes.waitFor(() => cards() === 10);
    const card = await channel.card();
    await channel.ask('one more', 'I wait');
    expect(cards()).toBe(10);
    expect(setting.rows(`SELECT count(*) AS count FROM approvals WHERE state = 'pending'`)).toEqual([{ count: 10 }]);
    const results = resultsOf(await model.asked(3));
    expect(results.filter((text) => text.startsWith('Not executed: 10 calls wait'))).toHaveLength(7);
    expect(results.filter((text) => text.startsWith('Not executed: at most 16 calls'))).toHaveLength(4);

    model.next('one is done', [call('deploy', { what: 'more' })]);
    await channel.pressToSee(card, 'one is done');
    await channel.say('again');
    await channel.changes.waitFor(() => cards() === 11);
    expect(deploy.executed).toEqual(['9']);
  });
});

describe('the statuses of a call', () => {
  test('carry one id, from the first that is known of it to its end', async () => {
    const look = new RecordingTool('look', 'memory');
    const { setting, model, channel } = await deploySetting({}, look);
    model.next([call('look', { what: 'here' }), call('look', { what: 'there' })], 'looked');
    await channel.ask('look', 'looked');
    const ids = setting.rows('SELECT id FROM calls ORDER BY position').map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) {
      const states = channel.statuses.filter(({ callId }) => callId === id).map(({ state }) => state);
      // Once when its name is known, and once more with its arguments.
      expect(states).toEqual(['wait', 'wait', 'doing', 'success']);
    }
    expect(channel.statuses).toHaveLength(8);
  });

  test('of two that the model gave one id are told apart', async () => {
    const look = new RecordingTool('look', 'memory');
    const { setting, model, channel } = await deploySetting({}, look);
    model.next([call('look', { what: 'here' }, 'm1'), call('look', { what: 'there' }, 'm1')], 'looked');
    await channel.ask('look', 'looked');
    const ids = setting.rows('SELECT id FROM calls ORDER BY position').map(({ id }) => id);
    const done = channel.statuses.filter(({ state }) => state === 'success').map(({ callId }) => callId);
    expect(done).toEqual(ids);
    expect(new Set(ids).size).toBe(2);
  });
});

test('the audit names the permission that let a call run, and none where a person was asked', async () => {
  const { setting, model, channel, deploy } = await deploySetting();
  const grants = () => setting.rows('SELECT id FROM grants').map(({ id }) => id);
  model.next([call('deploy', { what: 'site' })], 'once', [call('deploy', { what: 'shop' })], 'twice');
  const card = await channel.cardFor('deploy the site');
  await channel.pressToSee(buttonOf(card, '15 min'), 'once');
  await channel.ask('deploy the shop', 'twice');
  expect(deploy.executed).toEqual(['site', 'shop']);
  const named = setting.rows(
    `SELECT detail ->> 'verdict' AS verdict, detail ->> 'grant' AS grant_id FROM audit WHERE kind = 'call-proposed' ORDER BY seq`,
  );
  expect(grants()).toHaveLength(1);
  expect(named).toEqual([
    { verdict: 'awaiting', grant_id: null },
    { verdict: 'begun', grant_id: grants()[0] },
  ]);
});

describe('calls of one answer', () => {
  test('that only read run beside each other, and their results stand in their order', async () => {
    const gates = new Map(['a', 'b', 'c'].map((what) => [what, Promise.withResolvers<void>()]));
    const look = new RecordingTool('look', 'filesystem_read', async (what) => {
      await gates.get(what)?.promise;
      return llmOnly(`saw ${what}`);
    });
    const { model, channel } = await daemonSetting({ tools: [look.registration] });
    model.next(
      ['a', 'b', 'c'].map((what) => call('look', { what })),
      'looked',
    );
    await channel.say('look');
    await look.ran(3);
    for (const what of ['c', 'b', 'a']) gates.get(what)?.resolve();
    await channel.sees('looked');
    expect(resultsOf(await model.asked(2))).toEqual(['saw a', 'saw b', 'saw c']);
  });

  test('wait for one that may change something, and it waits for those before it', async () => {
    const log: string[] = [];
    const noting = (name: string, category: ToolCategory): RecordingTool =>
      new RecordingTool(name, category, async (what) => {
        log.push(`${what} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        log.push(`${what} ends`);
        return llmOnly(what);
      });
    const tools = [noting('look', 'network_read'), noting('note', 'memory')].map(({ registration }) => registration);
    const { model, channel } = await daemonSetting({ tools });
    const calls = [
      call('look', { what: 'a' }),
      call('look', { what: 'b' }),
      call('note', { what: 'n' }),
      call('look', { what: 'c' }),
      call('look', { what: 'd' }),
    ];
    model.next(calls, 'done');
    await channel.ask('go', 'done');
    expect(log).toEqual([
      'a begins',
      'b begins',
      'a ends',
      'b ends',
      'n begins',
      'n ends',
      'c begins',
      'd begins',
      'c ends',
      'd ends',
    ]);
  });

  test('are all ended by /stop', async () => {
    const look = new RecordingTool('look', 'filesystem_read', untilStopped);
    const { setting, model, channel } = await daemonSetting({ tools: [look.registration] });
    model.next([call('look', { what: 'a' }), call('look', { what: 'b' })]);
    await channel.say('look');
    await look.ran(2);
    await channel.askAtRest('/stop', 'Stopped.');
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }, { outcome: 'cancelled' }]);
  });

  test('that the model writes at once do not all begin at once where there are many', () => {
    const many = Array.from({ length: 12 }, (_, index) => index);
    expect(firstBatch(many, () => 'network_read')).toEqual(many.slice(0, 8));
    expect(firstBatch(many, () => 'memory')).toEqual([0]);
    expect(firstBatch(many, () => undefined)).toEqual([0]);
    expect(firstBatch([], () => 'memory')).toEqual([]);
  });
});

const twoAMinute = { tools: { rate_limits: { deploy: { calls: 2, per_secs: 60 } } } };

test('a call too many is asked of nobody, and runs again when its time has come', async () => {
  const { setting, model, channel, clock, deploy } = await deploySetting({ config: twoAMinute });
  model.next(
    [call('deploy', { what: 'one' })],
    [call('deploy', { what: 'two' })],
    [call('deploy', { what: 'three' })],
    'enough for now',
  );
  await channel.say('deploy all');
  await channel.press(await channel.card());
  await deploy.ran(1);
  await model.asked(2);
  await channel.changes.waitFor(() => channel.screen.filter(({ kind }) => kind === 'card').length === 2);
  clock.advance(20_000);
  await channel.pressToSee(await channel.card(), 'enough for now');

  expect(deploy.executed).toEqual(['one', 'two']);
  expect(resultsOf(await model.asked(4)).at(-1)).toBe(
    'Not executed, and nobody was asked: there were too many calls. deploy may be called 2 times in 1 min for one person, and has been. It can be called again in 40 s; until then, do without it.',
  );
  expect(setting.rows('SELECT count(*) AS count FROM approvals')).toEqual([{ count: 2 }]);

  clock.advance(40_000);
  model.next([call('deploy', { what: 'three' })], 'done');
  await channel.say('now?');
  await channel.pressToSee(await channel.card(), /^done$/);
  expect(deploy.executed).toEqual(['one', 'two', 'three']);
});

test('each person has a count of their own, and a tool that does not ask is bounded, too', async () => {
  const look = new RecordingTool('look', 'memory');
  const config = { tools: { rate_limits: { look: { calls: 1, per_secs: 60 } } } };
  const { model, channel } = await deploySetting({ config, allowFrom: ['bo'] }, look);
  model.next(
    [call('look', { what: 'a' }), call('look', { what: 'b' })],
    'seen',
    [call('look', { what: 'c' })],
    'bo has seen',
  );
  await channel.ask('look', 'seen');
  expect(look.executed).toEqual(['a']);
  await channel.say('look', { by: 'bo' });
  await channel.changes.waitFor(() => look.executed.length === 2);
  expect(look.executed).toEqual(['a', 'c']);
});

test('why somebody denies reaches neither the model nor the audit with a secret in it', async () => {
  const { setting, model, channel, card } = await askedSetting({ secrets: ['hunter2-hunter2'], answers: ['a pity'] });
  const [, id] = buttonOf(card).split(':');
  await channel.ask(`/deny ${id} the password hunter2-hunter2 is old`, 'a pity');
  const [result] = resultsOf(await model.asked(2));
  expect(result).toContain('Their reason: the password [secret] is old');
  expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).toContain('the password [secret] is old');
  expect(JSON.stringify(setting.rows('SELECT * FROM audit'))).not.toContain('hunter2');
});
