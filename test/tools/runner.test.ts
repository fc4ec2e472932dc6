import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ToolStatus } from '../../src/contract.ts';
import { argumentsSoFar, CallStatus } from '../../src/tools/call-status.ts';
import { startCallTimer } from '../../src/tools/call-timer.ts';
import { BoundsError } from '../../src/tools/guard/process/bounds.ts';
import { redactor } from '../../src/tools/guard/redact/redact.ts';
import { WorkspaceError } from '../../src/tools/guard/workspace/workspace-error.ts';
import { error, llmOnly, split, type ToolOutput } from '../../src/tools/output.ts';
import { createToolRunner } from '../../src/tools/runner.ts';
import type { PersonQuestion, PreparedCall, ToolContext } from '../../src/tools/tool.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { callDoing, contextIn, errorSaying, type LogLine, recordingLog } from './setting.ts';

const call = (execute: PreparedCall['execute']): PreparedCall => callDoing(execute, { secret: 'hunter2' });

const never = call(() => new Promise(() => {}));

function setting(settings = {}) {
  const clock = new ManualClock();
  const lines: LogLine[] = [];
  const controller = new AbortController();
  const context = contextIn('/tmp', { signal: controller.signal, log: recordingLog(lines) });
  const runner = createToolRunner({ clock, settings });
  const run = (execute: PreparedCall['execute']) => runner.run(call(execute), context);
  return { clock, lines, controller, context, runner, run };
}

describe('a call that goes on too long', () => {
  test('is ended with an error although the tool ignores its signal, and what comes late is ignored', async () => {
    const { clock, context, runner } = setting({ timeout: 5_000 });
    const late = Promise.withResolvers<ToolOutput>();
    const said: string[] = [];
    let seen: ToolContext | undefined;
    const running = runner.run(
      call((inner) => {
        seen = inner;
        return late.promise;
      }),
      { ...context, reply: async (text) => void said.push(text), progress: (text) => void said.push(text) },
    );
    clock.advance(5_000);
    expect(seen?.signal.aborted).toBe(true);
    clock.advance(800);
    const { output, duration } = await running;
    expect(output).toEqual(errorSaying('probe did not end within 5 s'));
    expect(duration).toBe(5_800);
    late.resolve(llmOnly('too late'));
    seen?.progress('still here');
    await seen?.reply('still here');
    expect(said).toEqual([]);
    expect(runner.statisticsOf('probe')).toMatchObject({ count: 1, failure: 1 });
  });

  test('may say in the grace how far it came', async () => {
    const { clock, run } = setting();
    const half = { ...split('half of it', 'for people'), untrusted: 'a page' };
    const running = run(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(half))),
    );
    clock.advance(600_000);
    const { output } = await running;
    expect(output.forLlm).toMatch(/did not end within 10 min[\s\S]*half of it$/);
    expect(output).toMatchObject({ isError: true, untrusted: 'a page' });
    expect(output.forUser).toBeUndefined();
  });
});

describe('a call that is stopped', () => {
  test('says so, whether the tool listens or not', async () => {
    const { clock, controller, context, runner, run } = setting();
    const deaf = runner.run(never, context);
    const listening = run(
      ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    );
    controller.abort();
    expect((await listening).output).toEqual(errorSaying('probe was stopped'));
    clock.advance(800);
    expect((await deaf).output).toEqual(errorSaying('probe was stopped'));
  });

  test('before it began never runs', async () => {
    const { controller, runner, run } = setting();
    controller.abort();
    let ran = false;
    const { output } = await run(async () => {
      ran = true;
      return llmOnly('');
    });
    expect(ran).toBe(false);
    expect(output.forLlm).toContain('did not run');
    expect(runner.statisticsOf('probe')).toBeUndefined();
  });
});

test('no timer and no listener outlives a call, however it ends', async () => {
  const { clock, controller, run } = setting({ timeout: 10 });
  await run(async () => llmOnly('ok'));
  await run(() => Promise.reject(new Error('no')));
  const running = run(never.execute);
  clock.advance(10);
  clock.advance(800);
  await running;
  expect(clock.waits.length).toBe(0);
  expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
});

test.each([
  ['rejects', () => Promise.reject(new Error('disk on fire\nat line 3'))],
  [
    'throws at once',
    () => {
      throw new Error('disk on fire\nat line 3');
    },
  ],
])('a tool that %s becomes an error for the model and a line in the log without arguments', async (_how, execute) => {
  const { lines, run } = setting();
  const { output } = await run(execute);
  expect(output).toEqual(errorSaying('probe failed: disk on fire ⏎ at line 3'));
  expect(lines).toMatchObject([{ level: 'error', fields: { err: expect.any(Error), tool: 'probe' } }]);
  expect(JSON.stringify(lines)).not.toContain('hunter2');
});

test('what a guard says against a call is its answer, and no fault of the tool', async () => {
  const { lines, run } = setting();
  for (const refusal of [new WorkspaceError('Outside.'), new BoundsError('No sandbox.')])
    expect((await run(() => Promise.reject(refusal))).output).toEqual(error(refusal.message));
  expect(lines).toEqual([]);
});

test('whatever a tool throws or returns, the run ends', async () => {
  const { run } = setting();
  const unreadable = Object.defineProperty(new Error(), 'message', { get: () => JSON.parse('x') });
  const odd = Object.assign(new Error(), { message: 5 });
  for (const thrown of [undefined, null, Object.create(null), odd, unreadable])
    expect((await run(() => Promise.reject(thrown))).output.isError).toBe(true);
  for (const returned of ['{}', 'null'])
    expect((await run(async () => JSON.parse(returned))).output.isError).toBe(true);
});

describe('an output', () => {
  const outputOf = async (output: ToolOutput, maxOutput?: number): Promise<ToolOutput> => {
    const { run } = setting(maxOutput === undefined ? {} : { maxOutput });
    return (await run(async () => output)).output;
  };

  test('of giant size is cut in the middle, with how much is missing', async () => {
    const { forLlm, forUser } = await outputOf(
      split(`begin ${'x'.repeat(5_000_000)} end`, `begin ${'y'.repeat(60_000)} end`),
    );
    expect(forLlm.length).toBeLessThanOrEqual(50_000);
    expect(forLlm).toMatch(/^begin x+\n\[… [\d,]+ of 5,000,010 characters left out, and lost …\]\nx+ end$/);
    expect(forUser).toMatch(/^begin y+\n\[… [\d,]+ of 60,010 characters left out …\]\ny+ end$/);
    const missing = Number(/[\d,]+/.exec(forLlm)?.[0].replaceAll(',', ''));
    expect(forLlm.replace(/\n\[.*\]\n/, '').length + missing).toBe(5_000_010);
  });

  test('never loses half a character', async () => {
    for (let shift = 0; shift < 4; shift++) {
      const { forLlm } = await outputOf(llmOnly('a'.repeat(shift) + '😀'.repeat(500)), 300);
      expect(forLlm.isWellFormed()).toBe(true);
      expect(forLlm).not.toContain('\ufffd');
    }
  });

  test('that fits is not touched', async () => {
    expect((await outputOf(llmOnly('a'.repeat(50_000)))).forLlm).toHaveLength(50_000);
    expect(await outputOf(error('x'))).toEqual(error('x'));
  });

  test('gives no orders to a terminal', async () => {
    const hostile =
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007a\u001b]8;;http://evil\u001b\\b\u009b2Jc\u001bcd\u0000\u0008e\r\nf\rg\th\ud800';
    const clean = 'red abcde\nf\ng\th\ufffd';
    expect(await outputOf(split(hostile, hostile))).toMatchObject({ forLlm: clean, forUser: clean });
  });

  test.each([
    ['a link', '\u001b]8;;https://evil.example\u001b\\text\u001b]8;;\u001b\\', 'text'],
    ['a change of the clipboard', 'a\u001b]52;c;cm0gLXJmIC8=\u0007b', 'ab'],
    ['a device control string', 'a\u001bP+q544e\u001b\\b', 'ab'],
    ['commands of one character', 'a\u009d0;title\u009cb\u0090q\u0007c\u009b31md', 'abcd'],
    ['the same without an end', 'a\u009dbcd\nnext', 'abcd\nnext'],
    ['a command without an end', 'a\u001b]0;title\nall the rest', 'a\nall the rest'],
    ['a reset, another character set, another screen', '\u001bca\u001b(0b\u001b[?1049hc', 'abc'],
    ['overwriting', 'safe\b\b\b\bevil\rover\u001b[2K', 'safeevil\nover'],
    [
      'invisible letters',
      'a\u{e0049}\u{e0067}\u{e006e}b 🏴\u{e0067}\u{e0062}\u{e007f}',
      'ab 🏴\u{e0067}\u{e0062}\u{e007f}',
    ],
  ])('is cleaned of %s', async (_what, text, clean) => {
    expect(await outputOf(split(text, text))).toMatchObject({ forLlm: clean, forUser: clean });
  });

  test('that would turn the order of its letters is shown to people as it is, and to the model with what it holds', async () => {
    const text = 'pay \u202e001\u202c\u2066x\u2069 שלום\u200f';
    expect(await outputOf(split(text, text))).toMatchObject({
      forLlm: 'pay \\u202e001\\u202c\\u2066x\\u2069 שלום\u200f',
      forUser: 'pay 001x שלום\u200f',
    });
  });
});

describe('what is secret', () => {
  const redact = redactor(['known-secret-1']);
  const secret = 'k\u001b[0mnown-secret-1';

  test('is in nothing that a tool says, neither at the end nor on the way, nor in what it throws', async () => {
    const { clock, context } = setting();
    const runner = createToolRunner({ clock, redact });
    const said: string[] = [];
    const voices = {
      reply: async (text: string) => void said.push(text),
      progress: (text: string) => void said.push(text),
      ask: async ({ text, options }: PersonQuestion) => {
        said.push(text, ...options);
        return undefined;
      },
    };
    const { output } = await runner.run(
      call(async ({ reply, progress, ask }) => {
        await ask?.({ text: `is it ${secret}?`, options: [`yes, ${secret}`], timeout: 1_000 });
        progress(`now ${secret}`);
        await reply(`look: ${secret}\u202e`);
        return split(`model: ${secret}`, `people: ${secret}`);
      }),
      { ...context, ...voices },
    );
    expect(said).toEqual(['is it [secret]?', 'yes, [secret]', 'now [secret]', 'look: [secret]']);
    expect(output).toMatchObject({ forLlm: 'model: [secret]', forUser: 'people: [secret]' });
    const thrown = await runner.run(
      call(() => Promise.reject(new Error(`no ${secret}`))),
      context,
    );
    expect(thrown.output.forLlm).toContain('probe failed: no ');
    expect(thrown.output.forLlm).not.toContain('nown-secret-1');
  });

  test('is taken out before the cut, which could leave a part of it', async () => {
    const { clock, context } = setting();
    const runner = createToolRunner({ clock, redact, settings: { maxOutput: 300 } });
    for (let shift = 0; shift < 40; shift++) {
      const text = `${'x'.repeat(100 + shift)}known-secret-1${'y'.repeat(1_000)}known-secret-1${'z'.repeat(60 + shift)}`;
      const { output } = await runner.run(
        call(async () => split(text, text)),
        context,
      );
      expect(output.forLlm + output.forUser).not.toMatch(/known|-1z/);
    }
  });
});

test('each call counts once, for its tool', async () => {
  const { clock, context, runner } = setting();
  const taking = (milliseconds: number, output: ToolOutput): PreparedCall =>
    call(async () => {
      clock.advance(milliseconds);
      return output;
    });
  await runner.run(taking(100, llmOnly('')), context);
  await runner.run(taking(300, error('')), context);
  await runner.run({ ...taking(7, llmOnly('')), toolName: 'other' }, context);
  expect(runner.statisticsOf('probe')).toEqual({
    count: 2,
    failure: 1,
    averageDuration: 200,
    failuresInRow: 1,
    isFailing: false,
    recent: [false, true],
  });
  expect(runner.statisticsOf('other')).toMatchObject({ count: 1, failure: 0, averageDuration: 7 });
});

function timing() {
  const clock = new ManualClock();
  let ends = 0;
  const timer = startCallTimer(clock, 100, () => {
    ends += 1;
  });
  return { clock, timer, ends: () => ends };
}

test('the time of a call stands still until all who stopped it let it go on, and is over once', () => {
  const { clock, timer, ends } = timing();
  clock.advance(60);
  const first = timer.pause();
  const second = timer.pause();
  clock.advance(1000);
  first();
  clock.advance(1000);
  second();
  expect(timer.paused()).toBe(2000);
  clock.advance(39);
  expect(ends()).toBe(0);
  clock.advance(1);
  clock.advance(1000);
  expect(ends()).toBe(1);
});

test('the time of a call can start over, also while it stands still', () => {
  const { clock, timer, ends } = timing();
  clock.advance(60);
  timer.restart();
  clock.advance(60);
  const goOn = timer.pause();
  timer.restart();
  goOn();
  clock.advance(99);
  expect(ends()).toBe(0);
  clock.advance(1);
  expect(ends()).toBe(1);
});

test('once stopped, the time of a call is never over, no matter who lets it go on', () => {
  const { clock, timer, ends } = timing();
  const goOn = timer.pause();
  timer.stop();
  goOn();
  clock.advance(1000);
  expect(ends()).toBe(0);
  expect(clock.waits.length).toBe(0);
});

function tracked() {
  const shown: ToolStatus[] = [];
  return {
    shown,
    status: new CallStatus({ id: 'c1', prepared: { toolName: 'shell' } }, (status) => shown.push(status)),
  };
}

test('a status goes from waiting over doing to the end, and keeps its tip', () => {
  const { shown, status } = tracked();
  status.wait('run `ls`');
  status.doing();
  status.doing('half');
  status.doing('half');
  status.end(true, 250);
  const call = { callId: 'c1', toolName: 'shell' };
  expect(shown).toEqual([
    { ...call, state: 'wait', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'run `ls`' },
    { ...call, state: 'doing', tip: 'half' },
    { ...call, state: 'success', tip: 'half', duration: 250 },
  ]);
});

test('no status goes back, and none follows the end, in whatever order they are told', () => {
  const order = { wait: 0, doing: 1, success: 2, error: 2 };
  const told = fc.array(
    fc.tuple(fc.constantFrom('wait', 'doing', 'good', 'bad'), fc.option(fc.string(), { nil: undefined })),
  );
  fc.assert(
    fc.property(told, (steps) => {
      const { shown, status } = tracked();
      for (const [step, tip] of steps) {
        if (step === 'wait') status.wait(tip);
        else if (step === 'doing') status.doing(tip);
        else status.end(step === 'good', 1);
      }
      const ranks = shown.map(({ state }) => order[state]);
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect(ranks.filter((rank) => rank === 2).length).toBeLessThanOrEqual(1);
    }),
  );
});

test('arguments are shown as one line of JSON, if there are any', () => {
  expect(argumentsSoFar({ path: 'a\nb', deep: [1, { x: null }] })).toBe('{"path":"a\\nb","deep":[1,{"x":null}]}');
  expect(argumentsSoFar({})).toBeUndefined();
  expect(argumentsSoFar('')).toBeUndefined();
});

test('arguments are cut at 200 characters, and never in the middle of one', () => {
  for (let length = 150; length < 260; length += 1) {
    const shown = argumentsSoFar({ path: `${'x'.repeat(length)}${'😀'.repeat(60)}` });
    expect(shown?.length).toBeLessThanOrEqual(200);
    expect(shown?.length).toBeGreaterThan(197);
    expect(shown?.isWellFormed()).toBe(true);
    expect(shown).not.toContain('\\ud83d');
  }
});
