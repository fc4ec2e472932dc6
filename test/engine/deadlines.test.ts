import { describe, expect, test } from 'vitest';
import type { Choice } from '../../src/approval/approval.ts';
import { approvalWords } from '../../src/approval/words.ts';
import type { Conversation } from '../../src/contract.ts';
import { countSyncs } from '../support/count-syncs.ts';
import { direct } from '../support/deed.ts';
import { anything, saidLike } from '../support/said.ts';
import { originOf } from '../support/store-setting.ts';
import { type ApprovalSetting, approvalSetting } from './approval-setting.ts';

function reminders(setting: ApprovalSetting): readonly unknown[] {
  return setting
    .rows(`SELECT conversation_id AS id FROM outbox WHERE kind = 'notice' ORDER BY seq`)
    .map(({ id }) => id);
}

describe('an approval that nobody decides', () => {
  test.each(['this', 'the next'])(
    'is ended at its time by %s process: the call, the card and the audit say so',
    async (which) => {
      const setting = await approvalSetting();
      await setting.ask();
      if (which === 'this') {
        await setting.pass(29);
        expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
        await setting.pass(1);
      } else {
        setting.clock.advance(3_600_000);
        await setting.restart();
        expect(reminders(setting)).toEqual([]);
      }
      expect(setting.rows('SELECT state, decided_by FROM approvals')).toEqual([
        { state: 'expired', decided_by: 'keyturn' },
      ]);
      expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
      expect(setting.cards()).toEqual([{ id: 'test:ada', markdown: expect.stringMatching(/^⌛/), pressable: 0 }]);
      expect(setting.woken).toEqual(['test:ada']);
      expect(setting.clock.waits).toEqual([]);
    },
  );

  test('lets its run go on as soon as its end can be seen, though the disk does not answer', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    const syncs = countSyncs();
    syncs.hold();
    setting.clock.advance(30 * 60_000);
    const attended = setting.approvals.attend();
    await expect.poll(() => setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(setting.woken).toEqual(['test:ada']);
    syncs.release();
    await attended;
    expect(setting.woken).toEqual(['test:ada']);
  });

  test('is ended once, though a decision comes in the same instant', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    setting.clock.advance(30 * 60_000);
    const decision = setting.approvals.decide(originOf('ada', direct('test')), id, { type: 'once' });
    await Promise.all([decision, setting.approvals.attend()]);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
    expect(setting.rows('SELECT state, outcome FROM calls')).toEqual([{ state: 'done', outcome: 'expired' }]);
    expect(setting.woken).toEqual(['test:ada']);
  });
});

describe('the time of an approval', () => {
  test('begins when its card stands in its chat, however late that is, with a quiet reminder half way through, and one that rings near the end', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask({ isShown: false });
    await setting.pass(8 * 60);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    expect(reminders(setting)).toEqual([]);
    await setting.show();
    setting.clock.advance(15 * 60_000 - 1);
    await setting.approvals.attend();
    expect(reminders(setting)).toEqual([]);
    setting.clock.advance(1);
    await setting.approvals.attend();
    expect(reminders(setting)).toEqual(['test:ada']);
    await setting.restart();
    await setting.pass(9);
    expect(reminders(setting)).toEqual(['test:ada']);
    await setting.pass(1);
    expect(reminders(setting)).toEqual(['test:ada', 'test:ada']);
    await setting.restart();
    await setting.pass(4);
    expect(reminders(setting)).toEqual(['test:ada', 'test:ada']);
    expect(setting.rows(`SELECT is_silent FROM outbox WHERE kind = 'notice' ORDER BY seq`)).toEqual([
      { is_silent: 1 },
      { is_silent: null },
    ]);
    expect(setting.rows('SELECT id, state FROM approvals')).toEqual([{ id, state: 'pending' }]);
    await setting.pass(1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('begins without a look at all others that wait', async () => {
    const setting = await approvalSetting();
    await setting.ask({ isShown: false });
    await setting.ask({ isShown: false });
    const { looks } = setting;
    await setting.show();
    expect(setting.looks).toBe(looks);
    expect(setting.clock.waits).toContain(15 * 60_000);
  });

  test('does not begin again with a second card, nor with a change of it', async () => {
    const setting = await approvalSetting({ approvers: ['test:ada', 'test:zoe'] });
    await setting.speak('zoe');
    await setting.ask({ in: direct('test', 'bob'), isShown: false });
    const [first, second] = setting.rows(`SELECT id FROM outbox WHERE kind = 'card' AND buttons IS NOT NULL`);
    for (const row of [first, second]) {
      await setting.store.outbox.delivered(String(row?.id), 1, [{ id: 'm' }], setting.clock.now());
      await setting.pass(10);
    }
    await setting.pass(10);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });

  test('is over after a day in which nothing could be shown anywhere', async () => {
    const setting = await approvalSetting();
    await setting.ask({ isShown: false });
    await setting.pass(24 * 60 - 1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'pending' }]);
    await setting.pass(1);
    expect(setting.rows('SELECT state FROM approvals')).toEqual([{ state: 'expired' }]);
  });
});

describe('a reminder', () => {
  test('comes after a restart, and not again if it had come', async () => {
    const setting = await approvalSetting();
    await setting.ask();
    setting.clock.advance(20 * 60_000);
    await setting.restart();
    expect(reminders(setting)).toEqual(['test:ada']);
    await setting.restart();
    await setting.pass(4);
    expect(reminders(setting)).toEqual(['test:ada']);
    expect(setting.clock.waits).toEqual([5 * 60_000]);
  });

  test('comes where the cards are', async () => {
    const setting = await approvalSetting({ approvers: ['test:ada', 'test:zoe'] });
    await setting.speak('zoe');
    await setting.ask({ in: direct('test', 'bob') });
    await setting.pass(16);
    expect(reminders(setting)).toEqual(['test:ada', 'test:zoe']);
  });
});

test('two who look at the same time remind once', async () => {
  const setting = await approvalSetting();
  const { id: approvalId } = await setting.ask();
  const draft = (id: string) =>
    ({ conversationId: 'test:ada', message: { id, kind: 'notice', markdown: 'still' } }) as const;
  await setting.store.approvals.remind([{ approvalId, since: 5, draft: draft('one') }], 5);
  await setting.store.approvals.remind([{ approvalId, since: 5, draft: draft('two') }], 6);
  expect(reminders(setting)).toEqual(['test:ada']);
});

test('what could not be stored is tried again in a minute', async () => {
  const setting = await approvalSetting();
  await setting.ask();
  setting.clock.advance(15 * 60_000);
  await setting.approvals.attend();
  await setting.store.close();
  setting.clock.advance(15 * 60_000);
  await setting.approvals.attend();
  expect(setting.clock.waits).toContain(60_000);
});

const home = direct('test');
const bobsChat = direct('test', 'bob');
const team: Conversation = { channel: 'test', chatId: 'team', kind: 'group' };
const once: Choice = { type: 'once' };

describe('a decision', () => {
  test('while the run is being closed opens its call all the same', async () => {
    const setting = await approvalSetting();
    const { id, callId } = await setting.ask();
    const { runs } = setting.store;
    const { newestTurn: after } = await runs.load('test:ada');
    await setting.approvals.decide(originOf('ada', home), id, once);
    const run = { conversationId: 'test:ada', runId: `run-${callId}`, principal: 'test:ada' };
    await runs.close({ ...run, after, seenSeq: 1, reason: 'failed', messages: [], at: setting.clock.now() });
    const { lateCalls, isOpen } = await runs.load('test:ada');
    expect(lateCalls).toMatchObject([{ id: callId, state: 'ready' }]);
    expect(isOpen).toBe(true);
  });

  test('a stranger does not even learn whether there is such an approval', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    const answers = await Promise.all(
      [id, 'zzzzzzzz'].map((one) => setting.approvals.decide(originOf('eve', home), one, once)),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await setting.approvals.decide(originOf('ada', home), 'zzzzzzzz', once)).toContain('no such approval');
  });

  test('of eight at once, exactly one counts, and the others are told', async () => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    const choices: readonly Choice[] = [once, { type: 'deny' }, { type: 'window' }, { type: 'always' }];
    const answers = await Promise.all(
      [...choices, ...choices].map((choice) => setting.approvals.decide(originOf('ada', home), id, choice)),
    );
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(answers.filter((answer) => answer === approvalWords.en.toastSettled('approved'))).toHaveLength(7);
    expect(setting.rows(`SELECT count(*) AS count FROM audit WHERE kind = 'approval-decided'`)).toEqual([{ count: 1 }]);
    expect(setting.rows('SELECT id FROM grants')).toEqual([]);
    expect(setting.woken).toEqual(['test:ada']);
  });
});

describe('a saved permission', () => {
  test.each([
    ['window', { kind: 'window', hash: null }],
    ['always', { kind: 'always', hash: 'h1', expires_at: null }],
  ] as const)('%s comes with the decision, for the requester in the conversation', async (type, expected) => {
    const setting = await approvalSetting();
    const { id } = await setting.ask();
    await setting.approvals.decide(originOf('ada', home), id, { type });
    const expiresAt = setting.clock.now() + 15 * 60_000;
    const grant = { expires_at: expiresAt, requester: 'test:ada', conversation_id: 'test:ada', granted_by: 'test:ada' };
    expect(setting.rows('SELECT * FROM grants')).toEqual([expect.objectContaining({ ...grant, ...expected })]);
  });

  test.each([
    ['where none may be', { grantable: false }],
    ['for good where part of what runs is unknown', { hash: 'h1-open' }],
  ])('is not given %s: the call is approved once', async (_where, asked) => {
    const setting = await approvalSetting();
    const { id } = await setting.ask(asked);
    await setting.approvals.decide(originOf('ada', home), id, { type: 'always' });
    expect(setting.rows('SELECT id FROM grants')).toEqual([]);
    expect(setting.rows('SELECT state FROM calls')).toEqual([{ state: 'ready' }]);
    expect(String(setting.cards()[0]?.markdown)).not.toContain('always');
  });
});

describe('where it is asked', () => {
  test('here, if an approver is here', async () => {
    const setting = await approvalSetting();
    await setting.speak('bob', team);
    await setting.speak('ada', team);
    expect((await setting.ask({ in: team })).cardConversationIds).toEqual(['test:team']);
  });

  test("in the owners' own chats, if no approver is here; the asker is told, and both places show the outcome", async () => {
    const setting = await approvalSetting();
    await setting.speak('ada', team);
    const { id, cardConversationIds } = await setting.ask({ in: bobsChat });
    expect(cardConversationIds).toEqual(['test:ada']);
    expect(setting.cards()).toEqual([
      { id: 'test:ada', markdown: expect.stringContaining('in `test:bob`'), pressable: 1 },
      {
        id: 'test:bob',
        markdown: expect.stringMatching(saidLike(approvalWords.en.forwarded(anything))),
        pressable: 0,
      },
    ]);
    expect(await setting.approvals.decide(originOf('ada', bobsChat), id, once)).toContain('another chat');
    await setting.approvals.decide(originOf('ada', home), id, once);
    for (const card of setting.cards()) expect(card.markdown).toMatch(/^✅ .* allowed it/);
    expect(setting.delivered).toEqual(expect.arrayContaining(['test:ada', 'test:bob']));
    expect(setting.woken).toEqual(['test:bob']);
  });

  test('where the config says, if it does', async () => {
    const setting = await approvalSetting({ forwardTo: ['test:team', 'test:unknown'] });
    await setting.speak('ada', team);
    expect((await setting.ask({ in: bobsChat })).cardConversationIds).toEqual(['test:team']);
  });

  test('nowhere, if no approver can be reached', async () => {
    const unreachable = await approvalSetting({ isReachable: ({ chatId }) => chatId !== 'ada' });
    expect((await unreachable.ask({ in: bobsChat, isShown: false })).cardConversationIds).toEqual([]);
    const unknown = await approvalSetting({ approvers: ['test:zoe'] });
    expect((await unknown.ask({ isShown: false })).cardConversationIds).toEqual([]);
    expect(unknown.cards()).toEqual([]);
  });
});
