import { describe, expect, test } from 'vitest';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { approveButton, deploySetting } from './deploy-setting.ts';

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
    const button = await approveButton(channel);
    await channel.ask('one more', 'I wait');
    expect(cards()).toBe(10);
    expect(setting.rows(`SELECT count(*) AS count FROM approvals WHERE state = 'pending'`)).toEqual([{ count: 10 }]);
    const results = resultsOf(await model.asked(3));
    expect(results.filter((text) => text.startsWith('Not executed: 10 calls wait'))).toHaveLength(7);
    expect(results.filter((text) => text.startsWith('Not executed: at most 16 calls'))).toHaveLength(4);

    model.next('one is done', [call('deploy', { what: 'more' })]);
    await channel.pressToSee(button, 'one is done');
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

describe('the audit', () => {
  test('names the permission that let a call run, and none where a person was asked', async () => {
    const { setting, model, channel, deploy } = await deploySetting();
    const grants = () => setting.rows('SELECT id FROM grants').map(({ id }) => id);
    model.next([call('deploy', { what: 'site' })], 'once', [call('deploy', { what: 'shop' })], 'twice');
    const { buttons } = await channel.cardFor('deploy the site');
    await channel.pressToSee(buttons[1]?.[0]?.actionId ?? '', 'once');
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
});
