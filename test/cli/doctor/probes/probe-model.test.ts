import { describe, expect, test } from 'vitest';
import { differenceOf } from '../../../../src/cli/doctor/probes/spelling.ts';
import { bookingTool } from '../../../../src/cli/doctor/probes/tool-calls.ts';
import { probeWords } from '../../../../src/cli/doctor/probes/words.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { booking, good, hurried, lineOf, type Mind, probe, wordsIn } from './probed-server.ts';

const words = probeWords.en;

/** The whole of what it can, but one thing. */
const but =
  (kind: string, mind: Mind): Mind =>
  (asked) =>
    asked.kind === kind ? mind(asked) : good(asked);

const seeing = { seesImages: true };
const ollama = {
  '/v1/models': { object: 'list', data: [{ id: 'm', object: 'model', created: 1, owned_by: 'library' }] },
  '/api/version': { version: '0.15.2' },
  '/api/show': { details: {}, model_info: { 'qwen3.context_length': 40_960 }, capabilities: ['completion', 'tools'] },
  '/api/ps': { models: [{ name: 'm', model: 'm', context_length: 16_384 }] },
};

describe('a good model', () => {
  test('passes all probes, and nothing is to be set', async () => {
    const { probed, outcomes, asked } = await probe(good, { settings: seeing });
    expect(outcomes).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(probed.probes.map(({ set }) => set)).toEqual([undefined, undefined, undefined, undefined]);
    expect(probed).toMatchObject({ model: 'main (m)', ok: true, callsTools: true });
    expect(asked).toHaveLength(4);
    const inputs = probed.probes.map(({ inputTokens }) => inputTokens);
    expect(probed.inputTokens).toBe(inputs.reduce((sum, one) => sum + one, 0));
    expect(probed.outputTokens).toBe(4 * 7);
  });

  test('is asked neither for long texts nor for pictures if it should be quick', async () => {
    const { probed, asked } = await probe(good, { isQuick: true });
    expect(probed.probes.map(({ name }) => name)).toEqual(['tools', 'spelling']);
    expect(asked.map(({ kind }) => kind)).toEqual(['tools', 'spelling']);
  });

  test('reads a request that is as long as was said before, within its window', async () => {
    const { asked, of } = await probe(good);
    const long = asked.find(({ kind }) => kind === 'window');
    expect(wordsIn(long?.text ?? '')).toBeGreaterThan(2500);
    expect(wordsIn(long?.text ?? '')).toBeLessThan(3000);
    expect(of('window')?.says).toContain(
      words.readWhole({ words: 2600, window: undefined, windowFrom: undefined, server: undefined }),
    );
    const narrow = await probe(good, { settings: { contextTokens: 1000 } });
    expect(wordsIn(narrow.asked.find(({ kind }) => kind === 'window')?.text ?? '')).toBeLessThan(700);
    expect(narrow.of('window')?.outcome).toBe('ok');
  });
});

describe('tool calls', () => {
  test('with arguments that Keyturn mends pass, and what came is told', async () => {
    const { of } = await probe(
      but('tools', () => ({ call: { name: bookingTool, arguments: { ...booking, persons: '3' } } })),
    );
    expect(of('tools')).toMatchObject({ outcome: 'ok', says: expect.stringContaining('"persons":"3"') });
  });

  test('of a model that only talks are tried in text, and the key that mends it is named', async () => {
    const { probed, of, asked } = await probe((one) => {
      if (one.kind !== 'tools' || !one.isInText) return one.kind === 'tools' ? { text: 'Sure, done!' } : good(one);
      return { text: `<tool_call>${JSON.stringify({ name: bookingTool, arguments: booking })}</tool_call>` };
    });
    expect(of('tools')).toMatchObject({
      outcome: 'not',
      says: words.goodInText({ native: words.talks({ said: 'Sure, done!' }) }),
      set: { key: 'models.main.tool_calls', value: 'text' },
    });
    expect(asked.filter(({ kind }) => kind === 'tools').map(({ isInText }) => isInText)).toEqual([false, true]);
    expect(probed).toMatchObject({ ok: true, callsTools: false });
  });

  test('of a model that talks in either way have no key that mends them', async () => {
    const { of, probed } = await probe(() => ({ text: 'I am a model.' }));
    expect(of('tools')).toMatchObject({
      outcome: 'not',
      says: words.neither({ native: words.talks({ said: 'I am a model.' }) }),
    });
    expect(of('tools')).not.toHaveProperty('set');
    expect(of('spelling')?.outcome).toBe('not');
    expect(probed).toMatchObject({ ok: true, callsTools: false });
  });

  test('with a wrong argument do not pass', async () => {
    const { of } = await probe(
      but('tools', () => ({ call: { name: bookingTool, arguments: { ...booking, dishes: ['rice'] } } })),
      { settings: { toolCalls: 'text' } },
    );
    expect(of('tools')).toMatchObject({ outcome: 'not', says: expect.stringContaining('["rice"]') });
  });
});

describe('spelling', () => {
  test('of a model that garbles Chinese is told with what came instead', async () => {
    const { of, probed } = await probe(
      but('spelling', ({ text }) => {
        const { path, code } = lineOf(text);
        return { call: { name: 'note_line', arguments: { path: path.replace('陈静', '陈�静'), code } } };
      }),
    );
    const says = of('spelling')?.says ?? '';
    expect(of('spelling')?.outcome).toBe('not');
    expect(says).toContain('陈静/');
    expect(says).toContain('陈�静/');
    // The calls themselves are right.
    expect(probed.callsTools).toBe(true);
  });

  test.each([
    ['a sign', 'it’s', "it's"],
    ['the end', 'abc', 'abcd'],
    ['an invisible sign', 'a\u200bb', 'ab'],
    ['all', 'abc', ''],
  ])('tells %s that differs', (_what, given, came) => {
    const found = differenceOf(given, came);
    expect(found?.given).not.toBe(found?.came);
    expect(differenceOf(given, given)).toBeUndefined();
  });

  test('shows only the place where a long text differs', () => {
    const [given, came] = [`${'x'.repeat(90)}1${'y'.repeat(90)}`, `${'x'.repeat(90)}2${'y'.repeat(90)}`];
    const found = differenceOf(given, came);
    expect(found).toEqual({
      given: `…${'x'.repeat(8)}1${'y'.repeat(23)}…`,
      came: `…${'x'.repeat(8)}2${'y'.repeat(23)}…`,
    });
  });
});

describe('the window', () => {
  test('of a server that cuts without a word is told, with what to set', async () => {
    const { of } = await probe(
      but('window', () => ({ text: 'The code word is river.', counted: 2048 })),
      { routes: ollama },
    );
    expect(of('window')).toMatchObject({
      outcome: 'not',
      says: words.cuts({ words: 2600, counted: 2048, window: 16_384 }),
      set: { key: 'models.main.context_tokens', value: 2048 },
    });
  });

  test('is told by its server, and was read whole', async () => {
    const { of } = await probe(good, { routes: ollama });
    expect(of('window')).toMatchObject({
      outcome: 'ok',
      says: words.readWhole({ words: 2600, window: 16_384, windowFrom: 'server', server: 'Ollama' }),
    });
  });

  test.each([2900, 0])(
    'of a model that forgets the beginning needs no key, where %d tokens were counted',
    async (counted) => {
      const { of } = await probe(but('window', () => ({ text: 'river', counted })));
      expect(of('window')).toMatchObject({
        outcome: 'not',
        says: words.forgets({ words: 2600, counted, said: 'river' }),
      });
      expect(of('window')).not.toHaveProperty('set');
    },
  );
});

test('the window that a refusal names is what to set', async () => {
  const message = "This model's maximum context length is 2048 tokens. However, your messages resulted in 3012 tokens.";
  const { of, outcomes } = await probe(but('window', () => ({ status: 400, message })));
  expect(of('window')).toMatchObject({
    outcome: 'not',
    says: words.refusesSize({ words: 2600, window: 2048 }),
    set: { key: 'models.main.context_tokens', value: 2048 },
  });
  expect(outcomes).toEqual(['ok', 'ok', 'not', 'ok']);
});

describe('pictures', () => {
  const blind = but('vision', () => ({ text: 'It shows a cat, number 12.' }));

  test('are none for a blind model that claims to see, and the key that says so is named', async () => {
    const { of, asked } = await probe(blind, { settings: seeing });
    expect(asked.at(-1)?.pictures).toHaveLength(1);
    expect(of('vision')).toMatchObject({
      outcome: 'not',
      says: words.blind({ digits: '888', said: 'It shows a cat, number 12.' }),
      set: { key: 'models.main.images', value: false },
    });
  });

  test('need no key for a blind model that gets none anyhow', async () => {
    const { of } = await probe(blind);
    expect(of('vision')?.outcome).toBe('not');
    expect(of('vision')).not.toHaveProperty('set');
  });

  test.each([
    [undefined, false],
    [false, true],
  ])('are seen though the config says %s: the key is named', async (seesImages, isOff) => {
    const { of } = await probe(good, { settings: seesImages === undefined ? {} : { seesImages } });
    expect(of('vision')).toMatchObject({
      outcome: 'ok',
      says: words.seesUnknown({ isOff }),
      set: { key: 'models.main.images', value: true },
    });
  });

  test('are not sent where the server says that the model sees none', async () => {
    const { of, asked } = await probe(good, { routes: ollama });
    expect(of('vision')).toMatchObject({ outcome: 'not-asked', says: words.deniesPictures({ server: 'Ollama' }) });
    expect(asked.map(({ kind }) => kind)).not.toContain('vision');
  });
});

describe('a model without an answer', () => {
  test('that hangs is given up after its time, and the other probes are made', async () => {
    const clock = new ManualClock();
    const { outcomes, of, probed } = await probe(
      but('spelling', () => 'hang'),
      { clock, heard: ({ kind }) => kind === 'spelling' && clock.advance(120_000) },
    );
    expect(outcomes).toEqual(['ok', 'unanswered', 'ok', 'ok']);
    expect(of('spelling')).toMatchObject({ says: words.late({ seconds: 120 }), duration: 120_000 });
    expect(probed).toMatchObject({ ok: true, callsTools: true });
  });

  test('that hangs at each request is no good, and says why', async () => {
    const clock = new ManualClock();
    const limits = { tools: 120_000, spelling: 120_000, window: 300_000, vision: 180_000 };
    const { probed, outcomes } = await probe(() => 'hang', {
      clock,
      heard: ({ kind }) => clock.advance(limits[kind]),
    });
    expect(outcomes).toEqual(['unanswered', 'unanswered', 'unanswered', 'unanswered']);
    expect(probed).toMatchObject({ ok: false, callsTools: false, problem: words.late({ seconds: 120 }) });
  });

  test('goes on after a fault of one request', async () => {
    const { outcomes } = await probe(
      but('tools', () => ({ status: 400 })),
      { clock: hurried },
    );
    expect(outcomes).toEqual(['unanswered', 'ok', 'ok', 'ok']);
  });

  test('is not asked again if it refuses the key', async () => {
    const { outcomes, asked, probed } = await probe(() => ({ status: 401 }));
    expect(outcomes).toEqual(['unanswered', 'not-asked', 'not-asked', 'not-asked']);
    expect(asked).toHaveLength(1);
    expect(probed.ok).toBe(false);
    expect(probed.problem).not.toBe('');
  });
});
