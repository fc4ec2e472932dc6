import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logLevelWords } from '../../src/cli/commands/log-level/words.ts';
import { auditHoles } from '../support/audit-holes.ts';
import { runCommandOf } from '../support/run-command.ts';
import { waitUntil } from '../support/wait-for.ts';
import { Errand } from './errand.ts';
import { approvalIdOf, TelegramSetting } from './telegram-setting.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines of a log that are JSON. */
function linesOf(output: string): readonly Line[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
}

/** How often these words were said of one thing, at most. */
function mostOften(lines: readonly Line[], words: string, id: string): number {
  const of = Map.groupBy(
    lines.filter(({ msg }) => msg === words),
    (line) => line[id],
  );
  return Math.max(0, ...[...of.values()].map(({ length }) => length));
}

const marks = ['marmalade', 'petunia', 'zeppelin', 'quagmire', 'Xanthippe'] as const;
const [inMessage, inArguments, inResult, inReply, name] = marks;

test('one message with a call that somebody allows is a line each for call, approval, decision, run and deliveries, by ids alone', async () => {
  await using setting = await TelegramSetting.start();
  const { daemon, telegram, model } = setting;
  const chat = setting.newOwner();
  model
    .onUser(`do it ${inMessage}`, {
      calls: [{ name: 'shell', arguments: { command: `echo ${inArguments}; printf 'zep%s\\n' pelin` } }],
    })
    .onResult(inResult, { text: `done, ${inReply}` });
  telegram.say(chat, `do it ${inMessage}`, { from: { id: chat, is_bot: false, first_name: name } });
  const card = await setting.cardAfter(chat, 0);
  telegram.press(chat, card.id, '✅ Approve');
  await telegram.waitForMessage(chat, inReply);
  const about = (words: string) => linesOf(daemon.output).filter(({ msg }) => msg === words);
  await waitUntil(() => about('message delivered').some(({ kind }) => kind === 'reply'), {
    what: 'the line of the delivery',
  });
  const approval = approvalIdOf(card);
  const here = { level: 30, conversation: `telegram:${chat}` };
  const [asked] = about('approval requested');
  const { call } = asked ?? {};
  expect(about('approval requested')).toEqual([
    expect.objectContaining({ ...here, approval, kind: 'permission', tool: 'shell', isDangerous: false }),
  ]);
  expect(about('approval decided')).toEqual([
    expect.objectContaining({ ...here, approval, call, decision: 'approved', by: `telegram:${chat}` }),
  ]);
  expect(about('call ended')).toEqual([
    expect.objectContaining({ ...here, call, approval, tool: 'shell', outcome: 'done', ms: expect.any(Number) }),
  ]);
  const [{ run } = { run: undefined }] = about('call ended');
  expect(about('run ended')).toEqual([
    expect.objectContaining({ ...here, run, outcome: 'answered', modelCalls: 2, calls: 1, ms: expect.any(Number) }),
  ]);
  expect(about('message delivered').map(({ kind }) => kind)).toEqual(expect.arrayContaining(['card', 'reply']));
  expect(mostOften(linesOf(daemon.output), 'message delivered', 'message')).toBe(1);
  for (const mark of [...marks, 'echo']) expect(daemon.output).not.toContain(mark);

  const audit = await runCommandOf(daemon, ['audit', '--json']);
  const ofCall = JSON.parse(audit.stdout).filter((row: Line) => row.call === call);
  expect(ofCall).toEqual([
    expect.objectContaining({ kind: 'call-proposed', detail: expect.objectContaining({ run, verdict: 'awaiting' }) }),
    expect.objectContaining({ kind: 'approval-asked', approval }),
    expect.objectContaining({ kind: 'approval-decided', approval, actor: `telegram:${chat}` }),
    expect.objectContaining({ kind: 'call-begun' }),
    expect.objectContaining({ kind: 'call-ended', detail: expect.objectContaining({ outcome: 'success' }) }),
  ]);
  expect(await runCommandOf(daemon, ['audit', 'verify'])).toMatchObject({ code: 0 });
  const { stdout: listed } = await runCommandOf(daemon, ['audit']);
  for (const mark of marks) expect(listed).not.toContain(mark);
});

/** Starts it after each of its deaths. What it has stored until then stands in the audit wholly. */
async function reviveWhole({ died, setting }: Errand, deaths: number): Promise<void> {
  for (let count = 1; count <= deaths; count += 1) {
    await died(count);
    expect(auditHoles(join(setting.daemon.dataDir, 'keyturn.db'))).toEqual([]);
    await setting.daemon.restart();
  }
}

describe('a process that dies', () => {
  test.each([
    [['run-begun', 'turn-stored', 'call-done']],
    [['message-stored', 'decision-stored', 'call-executed:2']],
    [['approval-open', 'reply-stored', 'reply-sent']],
  ])('at %s leaves no line twice, and each run, call and decision that was stored has its line', async (plan) => {
    await using errand = await Errand.start(plan, { config: { log: { level: 'debug' } } });
    errand.begin();
    const revived = reviveWhole(errand, plan.length);
    for (const card of await errand.cards()) errand.approve(card);
    await revived;
    await errand.end();
    const lines = linesOf(errand.setting.daemon.outputOfAll);
    const told = [
      ['run began', 'run'],
      ['run ended', 'run'],
      ['call ended', 'call'],
      ['approval requested', 'approval'],
      ['approval decided', 'approval'],
      ['message received', 'message'],
      ['message delivered', 'message'],
    ] as const;
    for (const [words, id] of told) expect([words, mostOften(lines, words, id)]).toEqual([words, 1]);
    const count = (words: string): number => lines.filter(({ msg }) => msg === words).length;
    // The errand, and what was said behind it: two runs, three calls, two cards.
    expect([count('run began'), count('run ended'), count('call ended')]).toEqual([2, 2, 3]);
    expect([count('approval requested'), count('approval decided')]).toEqual([2, 2]);
    const [first] = lines.filter(({ msg, calls }) => msg === 'run ended' && calls === 3);
    expect(first).toMatchObject({ outcome: 'answered' });
    expect(auditHoles(join(errand.setting.daemon.dataDir, 'keyturn.db'))).toEqual([]);
  });
});

describe('the level of the log', () => {
  test('follows the config while it runs', async () => {
    await using setting = await TelegramSetting.start();
    const { daemon, telegram } = setting;
    const chat = setting.newOwner();
    const levels = () => new Set(linesOf(daemon.output).map(({ level }) => level));
    telegram.say(chat, 'one');
    await telegram.waitForMessage(chat, 'echo: one');
    expect(levels()).not.toContain(20);
    const config = JSON.parse(readFileSync(daemon.configFile, 'utf8'));
    writeFileSync(daemon.configFile, JSON.stringify({ ...config, log: { level: 'debug' } }));
    await waitUntil(
      async () => JSON.parse((await runCommandOf(daemon, ['status', '--json'])).stdout).logLevel === 'debug',
      { what: 'the edited level' },
    );
    telegram.say(chat, 'two');
    await daemon.waitForOutput('"msg":"run began"');
    expect(levels()).toContain(20);
  });

  test('is another one by a command until it is taken back, and bad words change nothing', async () => {
    await using setting = await TelegramSetting.start();
    const { daemon, telegram } = setting;
    const chat = setting.newOwner();
    const level = (...words: readonly string[]) => runCommandOf(daemon, ['log-level', ...words]);
    const asConfigured = { code: 0, stdout: `${logLevelWords.en.asConfigured({ level: 'info' })}\n`, stderr: '' };
    expect(await level()).toEqual(asConfigured);
    expect(await level('debug')).toEqual({
      ...asConfigured,
      stdout: `${logLevelWords.en.chosen({ level: 'debug', configured: 'info' })}\n`,
    });
    telegram.say(chat, 'one');
    await daemon.waitForOutput('"msg":"run ended"');
    expect(linesOf(daemon.output).map(({ msg }) => msg)).toContain('run began');
    expect(await level('error', '--json')).toMatchObject({ code: 0, stdout: expect.stringContaining('"error"') });
    const before = daemon.output.length;
    telegram.say(chat, 'two');
    await telegram.waitForMessage(chat, 'echo: two');
    expect(await level('loud')).toMatchObject({ code: 2, stdout: '' });
    expect(linesOf(daemon.output.slice(before))).toEqual([]);
    expect(await level('default')).toEqual(asConfigured);
    const changes = linesOf(daemon.output).flatMap(({ from, to }) => (to === undefined ? [] : [[from, to]]));
    expect(changes).toEqual([
      ['info', 'debug'],
      ['debug', 'error'],
      ['error', 'info'],
    ]);
    await daemon.kill();
    expect(await level('debug')).toMatchObject({ code: 3, stdout: '' });
  });
});
