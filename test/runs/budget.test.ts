import { describe, expect, test } from 'vitest';
import { costOf } from '../../src/runs/run-budget.ts';
import { group } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { held, wordsOf } from '../support/scripted-model.ts';
import { spendingSetting } from './budget-setting.ts';

const hour = 3_600_000;
const bob = { by: 'bob' };
const [adasChat, bobsChat] = ['test:ada', 'test:bob'];

describe('a run that has used up its budget', () => {
  test('stops before the next call of the model, and asks', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.whenIdle();
    expect(card.text).toContain('The budget for this is used up: 300 of 250 tokens.');
    expect(card.text).toContain('May I **go on with this for up to 250 more tokens**?');
    expect(card.buttons.flat().map(({ label }) => label)).toEqual(['▶️ Go on for this run', '⏹️ Stop']);
    expect(model.requests).toHaveLength(3);
    expect(setting.rows('SELECT model, input_tokens, output_tokens FROM turns LIMIT 1')).toEqual([
      { model: 'scripted', input_tokens: 90, output_tokens: 10 },
    ]);
  });

  test('goes on as far again when it is let, and asks again then', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const first = await channel.cardFor('look around');
    await channel.press(first);
    await channel.seesAtRest(/600 of 250 tokens/);
    expect(model.requests).toHaveLength(6);
    expect((await channel.sees('▶️')).text).toMatch(
      /^▶️ `test:ada` \(`Ada`\) at \d\d:\d\d(?: UTC)? let me go on with this for up to 250 more tokens\.$/,
    );
    expect(setting.rows(`SELECT kind, actor FROM audit WHERE kind IN ('extension-asked', 'approval-decided')`)).toEqual(
      [
        { kind: 'extension-asked', actor: 'test:ada' },
        { kind: 'approval-decided', actor: 'test:ada' },
        { kind: 'extension-asked', actor: 'test:ada' },
      ],
    );
  });

  test('is over when somebody stops it, and the next message begins another', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.press(buttonOf(card, 'Stop'));
    await channel.seesAtRest('⏹️ Stopped by `test:ada`');
    expect(setting.rows(`SELECT reason FROM turns WHERE kind = 'closing'`)).toEqual([{ reason: 'budget' }]);
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
    model.otherwise(() => 'fresh');
    await channel.ask('something else', 'fresh');
    expect(wordsOf(await model.asked(4))).toContain('its budget was used up');
  });

  test('is over when nobody answers in time, and says so', async () => {
    const budget = { tokens_per_run: 250, ask_timeout_secs: 60 };
    const { channel, clock, setting } = await spendingSetting({ budget });
    await channel.cardFor('look around');
    await channel.whenIdle();
    clock.advance(31_000);
    await channel.sees(/Still waiting: Go on with this .* Until \d\d:\d\d(?: UTC)?\. /);
    clock.advance(30_000);
    await channel.sees('Nobody said whether I should go on, so I have stopped here.');
    await channel.seesAtRest('⌛ Nobody decided in time');
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'expired' }]);
  });

  test.each(['/stop', '/new'])('is over after %s, which calls off the question', async (command) => {
    const { channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.askAtRest(command, '🚫 Called off: go on with this');
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'cancelled' }]);
    const receipt = await channel.press(card);
    expect(receipt.notice).toBe('That was called off before.');
  });

  test('reads what is said meanwhile when it goes on; its writer is told so once', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.ask('and be quick', 'I have read this, and will answer it when somebody lets me go on');
    await channel.sayAtRest('please');
    expect(channel.screen.filter(({ text }) => text.includes('I have read this'))).toHaveLength(1);
    expect(model.requests).toHaveLength(3);
    model.otherwise(() => 'all seen');
    await channel.pressToSee(card, 'all seen');
    expect(wordsOf(await model.asked(4))).toMatch(/and be quick\n\nplease$/);
  });

  test('can be let go on by typing, and /status shows that it waits', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    await channel.say('look around');
    const id = /\/approve (\w+)/.exec((await channel.card()).text)?.[1] ?? '';
    await channel.ask('/status', new RegExp(`Waiting for a decision here:\\n- \`${id}\`: go on with this`));
    model.otherwise(() => 'done');
    await channel.ask(`/approve ${id}`, 'done');
  });
});

describe('a budget of turns', () => {
  test('is asked for like the others, and given for as many again', async () => {
    const { model, channel } = await spendingSetting({ agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } });
    const card = await channel.cardFor('look around');
    expect(card.text).toContain(
      'I have taken 2 turns for this and stopped here. May I **go on with this for up to 2 more turns**?',
    );
    await channel.press(card);
    await channel.seesAtRest('I have taken 4 turns for this');
    expect(model.requests).toHaveLength(4);
  });

  test('gives way to what is said next: that begins another run, and the question is called off', async () => {
    const { model, channel, setting } = await spendingSetting({ agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } });
    await channel.cardFor('look around');
    await channel.whenIdle();
    model.otherwise(() => 'fresh');
    await channel.ask('go on', 'fresh');
    await channel.seesAtRest('🚫 Called off: go on with this');
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'cancelled' }]);
    expect(setting.rows(`SELECT reason FROM turns WHERE kind = 'closing'`)).toEqual([{ reason: 'limit' }]);
  });

  test('may be given by the person themselves, even if they are no approver', async () => {
    const { model, channel } = await spendingSetting({ agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } });
    const card = await channel.cardFor('look around', { ...bob, at: bobsChat });
    model.otherwise(() => 'enough');
    await channel.pressToSee(card, 'enough', bob);
  });
});

describe('a budget of a day', () => {
  test('counts all that a person has had done in all conversations, and ends with the day', async () => {
    const config = { budget: { tokens_per_person_per_day: 150 }, tools: { schedule: { time_zone: 'UTC' } } };
    const { model, channel, clock } = await spendingSetting(config);
    model.otherwise(() => 'hello');
    await channel.ask('one', 'hello');
    await channel.ask('two', 'hello', { in: group, at: 'test:team' });
    expect((await channel.cardFor('three')).text).toContain(
      'The budget of Ada is used up: 200 of 150 tokens today (UTC).',
    );
    expect(model.requests).toHaveLength(2);
    await channel.sayAtRest('/stop');
    clock.advance(24 * hour);
    await channel.say('four');
    await model.asked(3);
  });

  test('of one person is none of another', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_person_per_day: 50 } });
    model.otherwise(() => 'hello');
    await channel.sayAtRest('one');
    await channel.say('two', bob);
    await model.asked(2);
  });

  test('that is used up by one who is no approver is asked of an owner, where they are', async () => {
    const schedule = { time_zone: 'Europe/Berlin' };
    const { model, channel } = await spendingSetting({ budget: { tokens_per_day: 150 }, tools: { schedule } });
    model.otherwise(() => 'hello');
    await channel.sayAtRest('one');
    await channel.ask('two', 'hello', { ...bob, at: bobsChat });
    const card = await channel.cardFor('three', { ...bob, at: adasChat });
    expect(card.text).toContain("Everybody's budget is used up: 200 of 150 tokens today (Europe/Berlin).");
    await channel.sees('I asked an owner for permission to go on with this', bobsChat);
    const stranger = await channel.press(card, bob);
    expect(stranger.notice).toContain('You may not decide that');
    await channel.press(card);
    await model.asked(3);
  });

  test('is extended for one run, and not for the one that follows', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_day: 150 } });
    const card = await channel.cardFor('look around', { in: group });
    const last = held('enough');
    model.next(last.script);
    await channel.press(card, { in: group });
    await model.asked(3);
    // It is there before the first run ends, so that the conversation does not come to rest between them.
    await channel.say('and I?', { in: group, by: 'bob' });
    last.release();
    await channel.sees('enough');
    expect((await channel.card()).text).toContain('300 of 150 tokens today');
    await channel.whenIdle();
    expect(model.requests).toHaveLength(3);
  });

  test('that two have used up is extended for each as far as was said, no matter who goes on first', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_day: 150 } });
    const here = await channel.cardFor('look around', { in: group, at: 'test:team' });
    const there = await channel.cardFor('look around', { at: adasChat });
    await channel.press(here, { in: group });
    await channel.sees('400 of 150 tokens today', 'test:team');
    await channel.pressToSee(there, '600 of 150 tokens today', { at: adasChat });
    expect(model.requests).toHaveLength(6);
  });

  test('that nobody can extend ends the run with words', async () => {
    const { model, channel } = await spendingSetting({ owners: [], budget: { tokens_per_day: 50 } });
    model.otherwise(() => 'hello');
    await channel.ask('one', 'hello', { ...bob, at: bobsChat });
    await channel.askAtRest('two', 'I know of no chat in which an owner could give it', bob);
    expect(model.requests).toHaveLength(1);
  });
});

test.each([
  ['what it read and wrote', { inputTokens: 1000, outputTokens: 100 }, {}, 4500],
  ['what was kept like the rest', { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 0 }, {}, 3000],
  [
    'what was kept, where that is cheaper',
    { inputTokens: 1000, cachedInputTokens: 900, outputTokens: 0 },
    { cached_input_per_million: 0.3 },
    570,
  ],
  ['no part of a millionth less', { inputTokens: 1, outputTokens: 0 }, { input_per_million: 0.1 }, 1],
  ['nothing', { inputTokens: 0, outputTokens: 0 }, {}, 0],
])('the cost of an answer counts %s', (_what, usage, price, cost) => {
  expect(costOf(usage, { input_per_million: 3, output_per_million: 15, ...price })).toBe(cost);
});
