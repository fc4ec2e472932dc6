import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { statusWords } from '../../src/conversation/commands/reports/words.ts';
import { engineWords } from '../../src/engine/words.ts';
import { costOf } from '../../src/runs/run-budget.ts';
import { budgetWords } from '../../src/runs/words.ts';
import { group } from '../support/daemon-setting.ts';
import { buttonOf } from '../support/platform-traffic.ts';
import { anyTime, anything, saidLike } from '../support/said.ts';
import { held, wordsOf } from '../support/scripted-model.ts';
import { spendingSetting } from './budget-setting.ts';

const hour = 3_600_000;
const bob = { by: 'bob' };
/** What a run would do that has used up its 250 tokens. */
const moreTokens = budgetWords.en.moreTokens('250');
const calledOff = (what: string): string => approvalWords.en.cancelled(what);
const [adasChat, bobsChat] = ['test:ada', 'test:bob'];

describe('a run that has used up its budget', () => {
  test('stops before the next call of the model, and asks', async () => {
    const { model, channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.whenIdle();
    const reason = budgetWords.en.runUsedUp({ spent: '300', limit: '250', isMoney: false });
    expect(card.text).toContain(approvalWords.en.mayI({ reason, what: moreTokens }));
    expect(card.buttons.flat().map(({ label }) => label)).toEqual([
      approvalWords.en.buttonGoOn,
      approvalWords.en.buttonStop,
    ]);
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
      saidLike(approvalWords.en.letGoOn({ person: 'Ada', what: moreTokens, time: anything })),
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
    await channel.seesAtRest('⏹️ Ada stopped it at');
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
    await channel.sees(saidLike(approvalWords.en.stillWaiting({ what: anything, time: anything })));
    clock.advance(30_000);
    await channel.sees(approvalWords.en.nobodySaid({ canGoOn: false }));
    await channel.seesAtRest(approvalWords.en.expired(moreTokens));
    expect(setting.rows('SELECT is_open FROM conversations')).toEqual([{ is_open: 0 }]);
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'expired' }]);
  });

  test.each(['/stop', '/new'])('is over after %s, which calls off the question', async (command) => {
    const { channel, setting } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    await channel.askAtRest(command, calledOff(moreTokens));
    expect(setting.rows(`SELECT state FROM approvals`)).toEqual([{ state: 'cancelled' }]);
    const receipt = await channel.press(card);
    expect(receipt.notice).toBe(approvalWords.en.toastSettled('cancelled'));
  });

  test('reads what is said meanwhile when it goes on; its writer is told so once', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    const card = await channel.cardFor('look around');
    const waits = saidLike(approvalWords.en.waitsForBudget(anyTime));
    await channel.ask('and be quick', waits);
    await channel.sayAtRest('please');
    expect(channel.screen.filter(({ text }) => waits.test(text))).toHaveLength(1);
    expect(model.requests).toHaveLength(3);
    model.otherwise(() => 'all seen');
    await channel.pressToSee(card, 'all seen');
    expect(wordsOf(await model.asked(4))).toMatch(/and be quick\n\nplease$/);
  });

  test('can be let go on by typing, and /status shows that it waits', async () => {
    const { model, channel } = await spendingSetting({ budget: { tokens_per_run: 250 } });
    await channel.sayAtRest('look around');
    const id = /\/approve (\w+)/.exec((await channel.card()).text)?.[1] ?? '';
    const line = statusWords.en.waitingLine({
      what: moreTokens,
      until: anything,
      conversationIds: undefined,
    });
    await channel.ask('/status', saidLike(line));
    model.otherwise(() => 'done');
    await channel.ask(`/approve ${id}`, 'done');
  });
});

describe('a budget of turns', () => {
  test('is asked for like the others, and given for as many again', async () => {
    const { model, channel } = await spendingSetting({ agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } });
    const card = await channel.cardFor('look around');
    expect(card.text).toContain(
      approvalWords.en.mayI({ reason: budgetWords.en.turnsTaken(2), what: budgetWords.en.moreTurns(2) }),
    );
    await channel.press(card);
    await channel.seesAtRest(budgetWords.en.turnsTaken(4));
    expect(model.requests).toHaveLength(4);
  });

  test('gives way to what is said next: that begins another run, and the question is called off', async () => {
    const { model, channel, setting } = await spendingSetting({ agent: { max_turns: 2, burst_ms: 0, max_repeats: 0 } });
    await channel.cardFor('look around');
    await channel.whenIdle();
    model.otherwise(() => 'fresh');
    await channel.ask('go on', 'fresh');
    await channel.seesAtRest(calledOff(budgetWords.en.moreTurns(2)));
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
      budgetWords.en.personUsedUp({ person: 'Ada', spent: '200', limit: '150', isMoney: false, timeZone: 'UTC' }),
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
    expect(card.text).toContain(
      budgetWords.en.allUsedUp({ spent: '200', limit: '150', isMoney: false, timeZone: 'Europe/Berlin' }),
    );
    await channel.sees(approvalWords.en.forwarded(budgetWords.en.moreTokens('150')), bobsChat);
    const stranger = await channel.press(card, bob);
    expect(stranger.notice).toBe(engineWords.en.toastNotYours);
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
    await channel.askAtRest('two', approvalWords.en.unreachable(budgetWords.en.moreTokens('50')), bob);
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
