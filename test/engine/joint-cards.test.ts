import { describe, expect, test } from 'vitest';
import { approvalWords } from '../../src/approval/words.ts';
import { cardParts } from '../../src/lib/card-parts.ts';
import { llmOnly } from '../../src/tools/output.ts';
import { type DaemonSetting, daemonSetting } from '../support/daemon-setting.ts';
import { direct } from '../support/deed.ts';
import type { Shown } from '../support/platform-traffic.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, resultsOf } from '../support/scripted-model.ts';
import { originOf } from '../support/store-setting.ts';
import { approvalSetting, asked, whereIn } from './approval-setting.ts';

/** What no saved permission opens. */
const erase = (what: string) => call('erase', { what });
/** What the person may permit for a while. */
const post = (what: string) => call('post', { what });

class Setting {
  readonly daemon: DaemonSetting;
  readonly erase: RecordingTool;

  constructor(daemon: DaemonSetting, tool: RecordingTool) {
    this.daemon = daemon;
    this.erase = tool;
  }

  /** The model makes these calls in one answer, and has something to say once they have ended. Resolves with the card. */
  async asks(calls: ReturnType<typeof call>[], deed = {}): Promise<Shown> {
    this.daemon.model.next(calls, 'That is all.');
    await this.daemon.channel.say('go on', deed);
    return this.daemon.channel.card();
  }

  get cards(): readonly Shown[] {
    return this.daemon.channel.screen.filter(({ kind }) => kind === 'card');
  }

  async presses(label: string, card: Shown, deed = {}): Promise<void> {
    const button = card.buttons.flat().find((one) => one.label === label);
    await this.daemon.channel.press(button?.actionId ?? `no button ${label}`, deed);
  }

  /** What the model reads of the calls of its last answer but one. */
  async results(): Promise<readonly string[]> {
    return resultsOf(await this.daemon.model.asked(2));
  }
}

async function setting(
  config: Readonly<Record<string, unknown>> = {},
  execute?: ConstructorParameters<typeof RecordingTool>[2],
): Promise<Setting> {
  const tool = new RecordingTool('erase', 'unreadable', execute);
  const tools = [tool.registration, new RecordingTool('post', 'network_write').registration];
  return new Setting(await daemonSetting({ tools, config, allowFrom: ['bob'] }), tool);
}

/** What is folded. */
const detailsIn = ({ text }: Shown): string => cardParts(text).fold.replaceAll(/^> ?/gm, '');

describe('calls of one answer that no saved permission opens', () => {
  test('stand on one card, each with all its arguments, and one press lets all of them run in their order', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), erase('b'), erase('c')]);
    expect(it.cards).toHaveLength(1);
    // The terminal asks for leave with these words.
    expect(card.text).toMatch(/^🔑 \*\*Do these 3 things\?\*\*\n/);
    expect(card.buttons.flat().map(({ label }) => label)).toEqual(['✅ Approve all 3', '❌ Deny all']);
    for (const [number, what] of ['a', 'b', 'c'].entries()) {
      expect(card.text).toContain(`(${number + 1}) **Erase ${what}** · `);
      expect(detailsIn(card)).toContain(JSON.stringify({ what }, null, 2));
    }
    const [stored] = it.daemon.rows('SELECT tool_name, asked FROM approvals');
    const calls = ['a', 'b', 'c'].map((what) => ({ tool: 'erase', arguments: { what } }));
    expect([stored?.tool_name, JSON.parse(String(stored?.asked))]).toMatchObject(['erase', { arguments: { calls } }]);
    await it.presses('✅ Approve all 3', card);
    await it.daemon.channel.sees('That is all.');
    expect(it.erase.executed).toEqual(['a', 'b', 'c']);
    expect(await it.results()).toEqual(['done: a', 'done: b', 'done: c']);
    const { text } = await it.daemon.channel.sees('(3) ✔️ done');
    expect(text).toMatch(
      /^✅ .* allowed it at .*: \(1\) erase a; \(2\) erase b; \(3\) erase c\n\(1\) ✔️ done.*\n\(2\) ✔️ done/,
    );
  });

  test('are denied together, and the model reads of each why', async () => {
    const it = await setting();
    await it.asks([erase('a'), erase('b')]);
    const [row] = it.daemon.rows('SELECT id FROM approvals');
    await it.daemon.channel.ask(`/deny ${row?.id} only b`, 'That is all.');
    expect(await it.results()).toEqual([expect.stringContaining('only b'), expect.stringContaining('only b')]);
    expect(it.erase.executed).toEqual([]);
  });

  test('wait for one decision over a restart, and a second press changes nothing', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), erase('b')]);
    await it.daemon.restart();
    it.daemon.model.next('That is all.');
    await it.presses('✅ Approve all 2', card);
    await it.presses('❌ Deny all', card);
    await it.daemon.channel.sees('(2) ✔️ done');
    expect(it.erase.executed).toEqual(['a', 'b']);
    expect(it.daemon.rows('SELECT state FROM approvals')).toEqual([{ state: 'approved' }]);
  });

  test('are decided by what is typed, too, and by nobody who may not', async () => {
    const it = await setting({ approval: { approvers: ['owner'] } });
    await it.asks([erase('a'), erase('b')]);
    const [row] = it.daemon.rows('SELECT id FROM approvals');
    await it.daemon.channel.sayAtRest(`/approve ${row?.id}`, { by: 'bob' });
    expect(it.erase.executed).toEqual([]);
    await it.daemon.channel.ask(`/approve ${row?.id}`, 'That is all.');
    expect(it.erase.executed).toEqual(['a', 'b']);
  });

  test('are called off together', async () => {
    const it = await setting();
    await it.asks([erase('a'), erase('b')]);
    await it.daemon.channel.ask('/stop', '🚫 Called off: (1) erase a; (2) erase b');
    expect(it.daemon.rows(`SELECT outcome FROM calls ORDER BY position`)).toEqual([
      { outcome: 'cancelled' },
      { outcome: 'cancelled' },
    ]);
  });

  test('say on their card that they were stopped, those that had not begun as well', async () => {
    const begun = Promise.withResolvers<void>();
    const it = await setting({}, async (_what, { signal }) => {
      begun.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      return llmOnly('stopped');
    });
    const card = await it.asks([erase('a'), erase('b')]);
    await it.presses('✅ Approve all 2', card);
    await begun.promise;
    await it.daemon.channel.say('/stop');
    const { text } = await it.daemon.channel.sees('(1) 🚫 stopped after');
    expect(text).toContain('(2) 🚫 Stopped.');
    expect(it.erase.executed).toEqual(['a']);
  });

  test('expire together', async () => {
    const it = await setting();
    await it.asks([erase('a'), erase('b')]);
    await it.daemon.channel.whenIdle();
    it.daemon.clock.advance(16 * 60_000);
    await it.daemon.channel.sees('Still waiting');
    it.daemon.clock.advance(16 * 60_000);
    await it.daemon.channel.sees(approvalWords.en.expired('(1) erase a; (2) erase b'));
    expect(it.daemon.rows(`SELECT outcome FROM calls ORDER BY position`)).toEqual([
      { outcome: 'expired' },
      { outcome: 'expired' },
    ]);
  });

  test('are brought one by one when somebody has said something else first', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), erase('b')]);
    await it.daemon.channel.ask('and the weather?', 'That is all.');
    it.daemon.model.next('Both are gone.');
    await it.presses('✅ Approve all 2', card);
    await it.daemon.channel.sees('Both are gone.');
    expect(it.erase.executed).toEqual(['a', 'b']);
  });

  test('are not asked for again while they wait, the second as little as the first', async () => {
    const it = await setting();
    await it.asks([erase('a'), erase('b'), erase('b')]);
    await it.daemon.channel.ask('and?', 'That is all.');
    it.daemon.model.next([erase('b')], 'I wait.');
    await it.daemon.channel.ask('erase b', 'I wait.');
    expect(it.cards).toHaveLength(1);
    const refusals = it.daemon.model.requests.flatMap(resultsOf).filter((text) => text.startsWith('Already awaiting'));
    expect(refusals.length).toBeGreaterThanOrEqual(2);
  });

  test('are all in the audit, with what was approved', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), erase('b')]);
    await it.presses('✅ Approve all 2', card);
    await it.daemon.channel.sees('That is all.');
    const calls = it.daemon.rows('SELECT id, hash FROM calls ORDER BY position');
    const [decided] = it.daemon.rows(`SELECT call_id, detail FROM audit WHERE kind = 'approval-decided'`);
    expect(decided?.call_id).toBe(calls[0]?.id);
    expect(JSON.parse(String(decided?.detail))).toMatchObject({
      hash: calls[0]?.hash,
      others: [{ call: calls[1]?.id, hash: calls[1]?.hash }],
    });
  });

  test('leave what a saved permission could open on cards of its own, and do not run ahead of it', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), erase('b'), post('x'), erase('c'), post('y')]);
    await it.daemon.channel.changes.waitFor(() => it.cards.length === 4);
    expect(it.cards.map(({ buttons }) => buttons.flat()[0]?.label)).toEqual([
      '✅ Approve all 2',
      '✅ Approve',
      '✅ Approve',
      '✅ Approve',
    ]);
    await it.presses('✅ Approve all 2', card);
    await it.daemon.channel.sees('(2) ✔️ done');
    await it.daemon.channel.whenIdle();
    expect(it.erase.executed).toEqual(['a', 'b']);
  });

  test('do not run ahead of a question between them', async () => {
    const it = await setting();
    const card = await it.asks([erase('a'), call('ask', { question: 'Which one?' }), erase('b')]);
    await it.daemon.channel.changes.waitFor(() => it.cards.length === 3);
    await it.presses('✅ Approve', card);
    await it.erase.ran(1);
    await it.daemon.channel.whenIdle();
    expect(it.erase.executed).toEqual(['a']);
  });

  test('stand on cards of their own where one card would be too long to be looked through', async () => {
    const it = await setting();
    await it.asks([erase('a'.repeat(3000)), erase('b'.repeat(3000))]);
    await it.daemon.channel.changes.waitFor(() => it.cards.filter(({ buttons }) => buttons.length > 0).length === 2);
    const asking = it.cards.filter(({ buttons }) => buttons.length > 0);
    expect(asking.map(({ buttons }) => buttons.flat()[0]?.label)).toEqual(['✅ Approve', '✅ Approve']);
    const approvals = it.daemon.rows(`SELECT call_id FROM outbox WHERE kind = 'card' ORDER BY seq`);
    expect(approvals).toEqual(it.daemon.rows('SELECT id AS call_id FROM calls ORDER BY position'));
  });

  test('are all named in what is said of them later, however long their names are', async () => {
    const it = await setting();
    await it.asks([erase('a'.repeat(400)), erase('b'.repeat(400)), erase('c'.repeat(400))]);
    await it.daemon.channel.say('/status');
    const { text: status } = await it.daemon.channel.sees('**Waiting**');
    it.daemon.clock.advance(16 * 60_000);
    const { text: reminder } = await it.daemon.channel.sees('Still waiting');
    await it.daemon.channel.say('/stop');
    const { text: ended } = await it.daemon.channel.sees('🚫 Called off');
    for (const text of [status, reminder, ended])
      expect(text).toMatch(/\(1\) `erase aaaa.*\(2\) `erase bbbb.*\(3\) `erase cccc/);
  });

  test('keep their numbers on the card where one of them is asked for again', async () => {
    const setting = await approvalSetting();
    const { approvals, store, clock } = setting;
    const draft = await approvals.draftPermission([asked('c1'), asked('c2'), asked('c3')], whereIn());
    await setting.keep('c1', draft, whereIn());
    await approvals.decide(originOf('ada', direct('test')), draft.approval.id, { type: 'once' });
    expect(await store.runs.reopen('c2', await approvals.draftPermission([asked('c2')], whereIn()))).toBe(true);
    const ended = { result: { outcome: 'success', text: 'done' }, duration: 1, messages: [], at: clock.now() } as const;
    for (const callId of ['c1', 'c3']) await store.runs.end({ ...ended, callId, cardNote: () => `${callId} is done.` });
    expect(setting.cards()[0]?.markdown).toMatch(/\n\(1\) c1 is done\.\n\(3\) c3 is done\.$/);
  });

  test('are all refused, and the chat is told once, where nobody can decide', async () => {
    const it = await setting({ owners: [] });
    it.daemon.model.next([erase('a'), erase('b')], 'I may not.');
    await it.daemon.channel.ask('go on', 'I may not.', { by: 'bob' });
    expect(it.daemon.rows('SELECT state, outcome FROM calls')).toEqual([
      { state: 'done', outcome: 'refused' },
      { state: 'done', outcome: 'refused' },
    ]);
    const told = it.daemon.channel.screen.filter(({ text }) => text.includes('without an owner'));
    expect(told).toHaveLength(1);
  });
});
