import { describe, expect, onTestFinished, test } from 'vitest';
import { conversationId, type ToolStatus } from '../../src/contract.ts';
import { canEdit } from '../../src/conversation/live/live-message.ts';
import {
  createToolCards,
  hasEnded,
  renderToolCard,
  type ToolLine,
  withStatus,
} from '../../src/conversation/live/tool-cards.ts';
import { silentLog } from '../../src/lib/log.ts';
import { llmOnly } from '../../src/tools/output.ts';
import type { ToolCategory, ToolContext } from '../../src/tools/tool.ts';
import { deploySetting } from '../engine/deploy-setting.ts';
import type { DaemonSettingOptions } from '../support/daemon-setting.ts';
import { deliverySetting, home } from '../support/delivery-setting.ts';
import { RecordingTool } from '../support/recording-tool.ts';
import { call, text } from '../support/scripted-model.ts';
import type { TestChannel } from '../support/test-channel.ts';
import { waitUntil } from '../support/wait-for.ts';
import { nextAnswer, previewIsNoted } from './writing-setting.ts';

/** A daemon with the tool `look`, which needs no permission and goes on until the test lets it end. */
async function cardSetting(
  { channel, ...options }: DaemonSettingOptions = {},
  category: ToolCategory = 'filesystem_read',
) {
  const running: (() => void)[] = [];
  const look = new RecordingTool('look', category, async (what, { progress, signal }: ToolContext) => {
    if (what === 'nowhere') throw new Error('there is nothing');
    progress(`step 1 of *2*`);
    await new Promise<void>((resolve) => {
      running.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return { ...llmOnly(`saw ${what}`), untrusted: what === 'a page' ? 'evil.example' : undefined };
  });
  const parts = await deploySetting({
    ...options,
    channel: { needsCards: true, removes: true, ...channel },
    tools: [look.registration],
  });
  const letEnd = async (): Promise<void> => {
    await waitUntil(() => running.length > 0);
    running.shift()?.();
  };
  return { ...parts, look, letEnd };
}

function cardsOf({ screen }: TestChannel): readonly (readonly string[])[] {
  return screen.filter(({ kind }) => kind === 'status').map((shown) => shown.text.split('  \n'));
}

/** Lets time pass until people see this. */
async function seesAfter(
  { channel, clock }: Pick<Awaited<ReturnType<typeof cardSetting>>, 'channel' | 'clock'>,
  words: string,
  step = 100,
): Promise<void> {
  await waitUntil(() => {
    if (channel.screen.some((shown) => shown.text.includes(words))) return true;
    clock.advance(step);
    return false;
  });
}

/** The same, when people see the card of these calls. */
async function lookingSetting(at: readonly string[], category?: ToolCategory) {
  const parts = await cardSetting({}, category);
  parts.model.next(at.map((what) => call('look', { what })));
  await parts.channel.say('look');
  await seesAfter(parts, '⚙️');
  return parts;
}

describe('the card of a turn', () => {
  test('shows each call from its first argument to its end, in one message', async () => {
    const parts = await cardSetting({}, 'memory');
    const { setting, channel, clock, letEnd } = parts;
    const answer = nextAnswer(setting);
    await channel.say('look twice');
    await answer.call('one', 'look', { what: 'he' });
    clock.advance(699);
    expect(clock.waits).toContain(700);
    clock.advance(1);
    await channel.sees('⏳ `look` · {"what":"he"}');
    await answer.call('one', 'look', { what: 'here' });
    await answer.call('two', 'look', { what: 'nowhere' });
    await seesAfter(parts, '{"what":"nowhere"}');
    await answer.end();
    await seesAfter(parts, 'step 1');
    expect(cardsOf(channel)).toEqual([['⚙️ `look` · look here · step 1 of \\*2\\*', '⏳ `look` · {"what":"nowhere"}']]);
    await letEnd();
    await seesAfter(parts, '⚠️');
    const [[first, second] = []] = cardsOf(channel);
    expect(first).toMatch(/^✔️ `look` · look here · \d+\.\d s$/);
    expect(second).toMatch(/^⚠️ `look` · look nowhere · 0\.0 s$/);
    await channel.whenIdle();
    expect(channel.traffic.filter(({ type }) => type === 'send')).toHaveLength(2);
    expect(setting.rows("SELECT state, previews FROM outbox WHERE kind = 'status'")).toEqual([
      { state: 'delivered', previews: null },
    ]);
  });

  test('has no links where these could carry out what is private', async () => {
    const parts = await lookingSetting(['a page']);
    const { setting, channel, letEnd } = parts;
    await letEnd();
    await channel.seesAtRest('echo: saw a page');
    const answer = nextAnswer(setting);
    await channel.say('look again');
    await answer.call('one', 'look', { what: 'https://evil.example/?d=42' });
    await seesAfter(parts, '⏳');
    expect(cardsOf(channel).at(-1)).toEqual(['⏳ `look`']);
    await answer.end();
    await seesAfter(parts, 'step 1');
    expect(cardsOf(channel).at(-1)?.[0]).toContain('· look hxxps://evil\\[.\\]example/?d=42 ·');
    await letEnd();
    await channel.whenIdle();
  });

  test('is not there for calls that end within 700 ms: nothing is stored, and no timer is left', async () => {
    const { setting, model, channel, clock, letEnd } = await cardSetting();
    const idle = clock.waits;
    model.next([call('look', { what: 'here' })]);
    await channel.say('look');
    await waitUntil(() => clock.waits.includes(700));
    clock.advance(699);
    await letEnd();
    await channel.seesAtRest('echo: saw here');
    expect(cardsOf(channel)).toEqual([]);
    expect(clock.waits).toEqual(idle);
    expect(setting.rows("SELECT 1 FROM outbox WHERE kind = 'status'")).toEqual([]);
  });

  test('comes below the text that the model wrote before', async () => {
    const parts = await cardSetting();
    const { setting, channel, clock } = parts;
    const answer = nextAnswer(setting);
    await channel.say('look');
    await answer.write('I look.');
    await answer.call('one', 'look', { what: 'he' });
    clock.advance(700);
    expect(clock.waits).toContain(300);
    await seesAfter(parts, '⏳');
    expect(channel.screen.map(({ kind }) => kind)).toEqual(['reply', 'status']);
  });

  test('leaves out what a person is asked for, and is taken away when that is all', async () => {
    const { setting, channel, clock } = await cardSetting();
    const answer = nextAnswer(setting);
    await channel.say('deploy');
    await answer.call('one', 'deploy', { what: 'site' });
    clock.advance(700);
    await channel.sees('⏳ `deploy`');
    await answer.end();
    await channel.card();
    await channel.changes.waitFor(() => cardsOf(channel).length === 0);
    await channel.whenIdle();
    expect(channel.screen.map(({ kind }) => kind)).toEqual(['card']);
    expect(clock.waits.filter((wait) => wait < 10_000)).toEqual([]);
  });

  test('says what was not executed', async () => {
    const parts = await cardSetting();
    const { setting, channel, clock, letEnd } = parts;
    const answer = nextAnswer(setting);
    await channel.say('look');
    await answer.call('one', 'look', { what: 'here' });
    await answer.call('two', 'nonsense', { some: 'thing' });
    clock.advance(700);
    await channel.sees('nonsense');
    await answer.end();
    await letEnd();
    await seesAfter(parts, '✔️');
    expect(cardsOf(channel)[0]?.[1]).toBe('🚫 `nonsense` · {"some":"thing"} · not executed');
  });

  test('is taken away when the turn is given up', async () => {
    const { setting, channel, clock } = await cardSetting();
    const answer = nextAnswer(setting);
    await channel.say('look');
    await answer.call('one', 'look', { what: 'here' });
    clock.advance(700);
    await channel.sees('⏳');
    await channel.ask('/stop', 'Stopped');
    await channel.changes.waitFor(() => cardsOf(channel).length === 0);
    await channel.whenIdle();
    expect(setting.rows("SELECT state FROM outbox WHERE kind = 'status'")).toEqual([{ state: 'abandoned' }]);
  });

  test('says of calls that a person stopped that they did not run', async () => {
    const parts = await lookingSetting(['here', 'there'], 'memory');
    const { channel } = parts;
    await channel.say('/stop');
    await seesAfter(parts, 'not executed');
    const [[first, second] = []] = cardsOf(channel);
    expect(first).toMatch(/^🚫 `look` · look here · \d/);
    expect(second).toMatch(/^🚫 `look` · \{"what":"there"\} · not executed$/);
  });

  test('ends as it should though the platform takes no change for a while', async () => {
    const parts = await lookingSetting(['here']);
    const { channel, clock, letEnd } = parts;
    channel.failNext({ type: 'rate-limited', retryAfter: 9000 }, { of: 'edit' });
    await letEnd();
    await channel.sees('echo: saw here');
    await seesAfter(parts, '✔️', 1000);
    expect(clock.waits).not.toContain(9000);
  });

  test.each([{ type: 'permanent' }, { type: 'ambiguous' }] as const)(
    'that cannot be shown ($type) harms nothing',
    async (fault) => {
      const { model, channel, clock, letEnd } = await cardSetting();
      model.next([text('I look.'), call('look', { what: 'here' })]);
      await channel.ask('look', 'I look.');
      channel.failNext(fault, { of: 'send' });
      await waitUntil(() => {
        clock.advance(100);
        return channel.traffic.length === 2;
      });
      await letEnd();
      await channel.seesAtRest('echo: saw here');
      clock.advance(60_000);
      expect(channel.textsIn('test:ada')).toEqual(['I look.', 'echo: saw here']);
    },
  );

  test('ends as it should though the platform was away for longer than it is tried', async () => {
    const parts = await lookingSetting(['here']);
    const { setting, channel, clock, letEnd } = parts;
    for (let count = 0; count < 5; count += 1) channel.failNext({ type: 'transient' }, { of: 'edit' });
    await letEnd();
    await channel.sees('echo: saw here');
    await waitUntil(() => {
      clock.advance(1000);
      return channel.traffic.filter(({ type, failed }) => type === 'edit' && failed).length === 5;
    });
    await seesAfter(parts, '✔️', 1000);
    await channel.whenIdle();
    expect(cardsOf(channel)).toHaveLength(1);
    expect(setting.rows("SELECT state FROM outbox WHERE kind = 'status'")).toEqual([{ state: 'delivered' }]);
  });

  test('ends as it should though it was given up while its calls went on', async () => {
    const parts = await lookingSetting(['here', 'there'], 'memory');
    const { channel, clock, letEnd } = parts;
    channel.failNext({ type: 'auth' }, { of: 'edit' });
    await letEnd();
    await waitUntil(() => {
      clock.advance(1000);
      return channel.traffic.some(({ type, failed }) => type === 'edit' && failed);
    });
    await letEnd();
    await seesAfter(parts, 'look there', 1000);
    const [lines = []] = cardsOf(channel);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['✔️', '✔️']);
  });

  test('says that it was interrupted when the process was', async () => {
    const { setting, channel, clock, look, letEnd } = await lookingSetting(['here']);
    await previewIsNoted(setting);
    const stopped = setting.stop();
    await clock.passes(2500);
    await stopped;
    await setting.start();
    await channel.sees('(interrupted)');
    expect(cardsOf(channel)[0]).toEqual(['⚡ `look` · look here · step 1 of \\*2\\*\n\n*(interrupted)*']);
    // What only reads is done again, and nobody has seen it begin.
    await look.ran(2);
    await letEnd();
    await letEnd();
    await channel.sees('echo: saw here');
    expect(cardsOf(channel)).toHaveLength(1);
  });

  test('is not there if the config says so', async () => {
    const { model, channel, clock, letEnd } = await cardSetting({ config: { delivery: { tool_cards: false } } });
    model.next([call('look', { what: 'here' })]);
    await channel.say('look');
    await waitUntil(() => channel.screen.length > 0 || clock.waits.includes(600_000));
    clock.advance(60_000);
    await letEnd();
    await channel.sees('echo: saw here');
    expect(cardsOf(channel)).toEqual([]);
  });
});

describe('of the calls that begin', () => {
  async function cardsByHand() {
    const { store, channel, clock } = await deliverySetting({ needsCards: true });
    const { outbox } = store;
    const cards = createToolCards({
      outbox,
      clock,
      log: silentLog,
      readerIn: () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }) as const,
      isClear: () => true,
      deliver: () => {},
    });
    onTestFinished(() => cards.stop());
    if (!canEdit(channel)) throw new Error('it has no cards');
    const target = { adapter: channel, to: home, moved: async () => {} };
    const id = conversationId(home);
    const show = (callId: string, toolName: string, state: ToolStatus['state']): void =>
      cards.show(id, target, { callId, toolName, state });
    const runs = (callId: string, toolName: string): void =>
      cards.judged(id, target, [{ callId, toolName, fate: 'runs' }]);
    return { channel, clock, show, runs };
  }

  test('those of another turn have another card, even if one of the turn before still goes on', async () => {
    const { channel, clock, show, runs } = await cardsByHand();
    show('a', 'first', 'wait');
    runs('a', 'first');
    show('a', 'first', 'doing');
    await seesAfter({ channel, clock }, 'first');
    show('b', 'second', 'wait');
    await seesAfter({ channel, clock }, 'second');
    expect(cardsOf(channel)[1]).toEqual(['⏳ `second`']);
  });

  test('those of one turn have one card until it is stored, even if all of them have ended', async () => {
    const { channel, clock, show } = await cardsByHand();
    show('a', 'first', 'wait');
    show('a', 'first', 'error');
    show('b', 'second', 'wait');
    await seesAfter({ channel, clock }, 'second');
    expect(cardsOf(channel)).toEqual([['⚠️ `first`', '⏳ `second`']]);
  });
});

test('a channel that shows by itself what tools do is told, and has no card', async () => {
  const { setting, channel, clock, letEnd } = await cardSetting({ channel: { needsCards: false } });
  const answer = nextAnswer(setting);
  await channel.say('look');
  await answer.call('one', 'look', {});
  await answer.call('one', 'look', { what: 'x'.repeat(300) });
  await answer.end();
  await waitUntil(() => channel.statuses.some(({ state }) => state === 'doing'));
  clock.advance(5000);
  await letEnd();
  await channel.whenIdle();
  expect(cardsOf(channel)).toEqual([]);
  const waits = channel.statuses.filter(({ state }) => state === 'wait').map(({ tip }) => tip);
  expect(waits).toEqual([undefined, `{"what":"${'x'.repeat(190)}…`]);
});

type Change = Omit<ToolStatus, 'callId' | 'toolName'>;

function lineAfter(...changes: readonly Change[]): ToolLine {
  const [line] = changes.reduce<readonly ToolLine[]>(
    ([before], change) => [withStatus(before, { callId: 'c', toolName: 'read_file', ...change })],
    [],
  );
  if (line === undefined) throw new Error('no change was given');
  return line;
}

function shown(...changes: readonly Change[]): string {
  return renderToolCard([lineAfter(...changes)], {
    maxLength: 4000,
    measure: (markdown) => markdown.length,
    language: 'en',
  });
}

const wait: Change = { state: 'wait', tip: '{"path":"no' };
const notRun: Change = { state: 'error', tip: 'not executed', isStopped: true };
const doing: Change = { state: 'doing', tip: 'read `notes.md`' };

describe('the line of a call', () => {
  test.each<[string, readonly Change[], string]>([
    ['is written', [wait], '⏳ `read_file` · {"path":"no'],
    ['runs', [wait, doing], '⚙️ `read_file` · read `notes.md`'],
    ['says how far it is', [wait, doing, { state: 'doing', tip: '40 %' }], '⚙️ `read_file` · read `notes.md` · 40 %'],
    [
      'has succeeded',
      [wait, doing, { state: 'success', tip: '40 %', duration: 1240 }],
      '✔️ `read_file` · read `notes.md` · 1.2 s',
    ],
    ['has failed', [doing, { state: 'error', duration: 185_000 }], '⚠️ `read_file` · read `notes.md` · 3 min 5 s'],
    ['did not begin', [wait, notRun], '🚫 `read_file` · {"path":"no · not executed'],
    [
      'was stopped',
      [doing, { state: 'error', duration: 1240, isStopped: true }],
      '🚫 `read_file` · read `notes.md` · 1.2 s',
    ],
  ])('says that it %s', (_what, changes, expected) => {
    expect(shown(...changes)).toBe(expected);
  });

  test('never goes back, and nothing follows its end', () => {
    expect(lineAfter(doing, wait).state).toBe('doing');
    const ended = lineAfter(doing, { state: 'success', duration: 1 }, { state: 'error', duration: 2 }, doing);
    expect(ended).toMatchObject({ state: 'success', duration: 1 });
    expect(hasEnded(ended)).toBe(true);
  });

  test('shows a name that no tool has as code, on one line, cut', () => {
    const name = `no\n\n# [tool](http://evil)\n${'y'.repeat(300)}`;
    const line: ToolLine = { callId: 'c', toolName: name, state: 'error', isStopped: true, what: 'not executed' };
    const markdown = renderToolCard([line], { maxLength: 4000, measure: (text) => text.length, language: 'en' });
    expect(markdown).toMatch(/^🚫 `no ⏎ {2}⏎ # \[tool\]\(http:[^`\n]{0,40}` · not executed$/);
  });

  test('is no markdown of a stranger, and one line', () => {
    expect(shown({ state: 'doing', tip: '[free](http://evil)\n**now** `as is` <b>' })).toBe(
      '⚙️ `read_file` · \\[free\\](http://evil) ⏎ \\*\\*now\\*\\* `as is` \\<b\\>',
    );
  });
});

describe('a card that is too long', () => {
  const lines = Array.from({ length: 12 }, (_, index) =>
    withStatus(undefined, { callId: `c${index}`, toolName: `tool${index}`, state: 'doing', tip: 'x'.repeat(500) }),
  );

  test.each([4000, 1500, 400, 100, 20, 1])('says less, so that it fits into %i characters', (maxLength) => {
    const markdown = renderToolCard(lines, { maxLength, measure: (text) => text.length, language: 'en' });
    expect(markdown.length).toBeLessThanOrEqual(maxLength);
    if (maxLength >= 400) expect(markdown.split('  \n')).toHaveLength(12);
    if (maxLength === 100) expect(markdown).toMatch(/^… \d+ more {2}\n.*tool11`$/s);
  });
});
