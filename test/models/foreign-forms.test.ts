import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '../../src/lib/clock.ts';
import { chatCompletions } from '../../src/models/foreign-forms/chat-completions.ts';
import { type BodyFault, inOwnForm } from '../../src/models/foreign-forms/foreign-forms.ts';
import type { ModelEvent } from '../../src/models/language-model.ts';
import { modelWords } from '../../src/models/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { answerOf, failureOf, modelWith, request } from './ask.ts';
import { beginStream, chunk, sse } from './wire-server.ts';

/** A form that servers have been seen to send, a line each, and what must come of it. */
const formSchema = z.strictObject({
  form: z.string(),
  provider: z.enum(['openai_compatible', 'anthropic', 'google', 'openai']).default('openai_compatible'),
  /** The content type. */
  kind: z.string().default('text/event-stream'),
  /** Objects are sent as events, texts as they are, blank lines between them. */
  send: z.array(z.union([z.string(), z.looseObject({})])).default([]),
  raw: z.string().optional(),
  text: z.string().optional(),
  thoughts: z.string().optional(),
  calls: z.array(z.tuple([z.string(), z.unknown()])).default([]),
  usage: z.tuple([z.number(), z.number()]).optional(),
  /** The part that cannot be read. */
  odd: z.string().optional(),
  fault: z.string().optional(),
  says: z.string().optional(),
});

const forms = readFileSync(new URL('foreign-forms.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => formSchema.parse(JSON.parse(line)));

type Form = (typeof forms)[number];

function bodyOf({ raw, send }: Form): string {
  return raw ?? send.map((one) => `${typeof one === 'string' ? one : `data: ${JSON.stringify(one)}`}\n\n`).join('');
}

const nameOf = { openai_compatible: 'm', anthropic: 'claude-sonnet-4-5', google: 'gemini-2.5-pro', openai: 'gpt-5' };

async function modelThatSends(form: Form) {
  const { provider, kind } = form;
  return modelWith(
    (response) => {
      if (kind !== '') response.setHeader('content-type', kind);
      response.end(bodyOf(form));
    },
    { provider, name: nameOf[provider] },
  );
}

function shownIn(events: readonly ModelEvent[]): string {
  return events.flatMap((event) => (event.type === 'text' ? [event.delta] : [])).join('');
}

const well = forms.filter(({ odd, fault }) => odd === undefined && fault === undefined);
const badly = forms.filter((form) => !well.includes(form));

describe('an answer in another form', () => {
  test.each(well)('$provider: $form is read, with one request', async (form) => {
    const { server, model } = await modelThatSends(form);
    const { parts, usage } = await answerOf(model, request('hello'));
    const proseOf = (kind: 'text' | 'reasoning') =>
      parts.flatMap((part) => (part.type === kind ? [part.text] : [])).join('');
    expect(proseOf('text')).toBe(form.text ?? '');
    expect(proseOf('reasoning')).toBe(form.thoughts ?? '');
    expect(parts.flatMap((part) => (part.type === 'call' ? [[part.name, part.arguments]] : []))).toEqual(form.calls);
    if (form.usage !== undefined) expect([usage.inputTokens, usage.outputTokens]).toEqual(form.usage);
    expect(server.requests).toHaveLength(1);
  });

  test.each(badly)('$provider: $form is named, and all before it is shown', async (form) => {
    const { model } = await modelThatSends(form);
    const { error, shown } = await failureOf(model, request('hello'));
    const { unreadableEvent, oddPart } = modelWords.en;
    const modelKey = 'main';
    const odd = form.odd === 'data' ? unreadableEvent({ modelKey }) : form.odd && oddPart({ modelKey, path: form.odd });
    expect(error.message).toContain(form.says ?? odd);
    expect(error.fault).toBe(form.fault ?? 'faulty');
    expect(shownIn(shown)).toBe(form.text ?? '');
  });
});

describe('a server that has said all', () => {
  const all = sse(chunk({ content: 'All' }), chunk({}, 'stop'));

  test('and loses the connection has answered', async () => {
    const { model } = await modelWith((response) => {
      beginStream(response);
      response.write(all, () => response.destroy());
    });
    expect((await answerOf(model, request('hello'))).parts).toMatchObject([{ text: 'All' }]);
  });

  test('and does not end its stream is left after a few seconds', async () => {
    const clock = new ManualClock();
    const { server, model } = await modelWith(
      (response) => {
        beginStream(response);
        response.write(all);
      },
      {},
      clock,
    );
    const answer = answerOf(model, request('hello'));
    await clock.waitsFor(5000);
    clock.advance(5000);
    expect((await answer).parts).toMatchObject([{ text: 'All' }]);
    await server.requests[0]?.abandoned;
  });

  test('and says so, is not waited for', async () => {
    const { model } = await modelWith((response) => {
      beginStream(response);
      response.write(`${all}data: [DONE]\n\n`);
    });
    expect((await answerOf(model, request('hello'))).parts).toMatchObject([{ text: 'All' }]);
  });
});

test('what was written before the connection broke is shown', async () => {
  const { model } = await modelWith((response) => {
    beginStream(response);
    response.write(sse(chunk({ content: 'Half' })), () => response.destroy());
  });
  const { error, shown } = await failureOf(model, request('hello'));
  expect([error.fault, shownIn(shown)]).toEqual(['transient', 'Half']);
});

/** Reads a body that comes in such pieces. */
async function readBody(pieces: readonly Uint8Array[]): Promise<{ readonly text: string; readonly fault?: BodyFault }> {
  let fault: BodyFault | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
  const dialect = chatCompletions();
  const failed = (why: BodyFault): void => {
    fault = why;
  };
  const read = inOwnForm(body, { dialect, clock: systemClock, signal: undefined, failed });
  const text = await new Response(read).text();
  return fault === undefined ? { text } : { text, fault };
}

/** Numbers that look random, and are the same in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** One change: a piece left out, written twice, put elsewhere, or other characters. */
function mutated(text: string, next: () => number): string {
  const at = Math.floor(next() * text.length);
  const length = 1 + Math.floor(next() * 12);
  const piece = text.slice(at, at + length);
  const [before, after] = [text.slice(0, at), text.slice(at + length)];
  const odd = ['null', '{}', '[]', '"', '\n', '\r\n', '}', ',', '7', 'true', '\\', '\n\n'];
  switch (Math.floor(next() * 4)) {
    case 0:
      return before + after;
    case 1:
      return before + piece + piece + after;
    case 2:
      return before + after.slice(0, length) + piece + after.slice(length);
    default:
      return before + (odd[Math.floor(next() * odd.length)] ?? '') + after;
  }
}

const runs = Number(process.env.KEYTURN_PROPERTY_RUNS ?? 1500);

test('whatever is changed in an answer, it is read alike in any pieces, as events that are JSON, or has one fault', async () => {
  const next = numbersFrom(33);
  const compatible = forms.filter(({ provider }) => provider === 'openai_compatible');
  for (let run = 0; run < runs; run += 1) {
    const form = compatible[run % compatible.length];
    if (form === undefined) throw new Error('There are no forms.');
    const bytes = Buffer.from(mutated(bodyOf(form), next));
    const size = 1 + Math.floor(next() * 40);
    const cut = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    const whole = await readBody([bytes]);
    expect(await readBody(cut), bytes.toString()).toEqual(whole);
    for (const event of whole.text.split('\n\n').slice(0, -1)) JSON.parse(event.replace(/^data: /, ''));
  }
});

test('an answer in many pieces is read in as many steps', async () => {
  const big = sse(chunk({ content: 'x'.repeat(200_000) }, 'stop'));
  const bytes = Buffer.from(big);
  const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1));
  let parsed = 0;
  const parse = JSON.parse;
  const counted: typeof JSON.parse = (text, reviver) => {
    parsed += text.length;
    return parse(text, reviver);
  };
  JSON.parse = counted;
  try {
    await readBody(pieces);
  } finally {
    JSON.parse = parse;
  }
  // Each character is parsed once.
  expect(parsed).toBeLessThanOrEqual(big.length);
});

test('an event without an end is given up, not kept', async () => {
  const piece = Buffer.from(`${'x'.repeat(1_000_000)}`);
  const { fault } = await readBody([Buffer.from('data: {"a":"'), piece, piece, piece, piece, piece]);
  expect(fault).toEqual({ type: 'endless' });
});

test('an event of empty lines without an end is given up, too, also behind many that ended', async () => {
  const event = 'data: {\ndata: }\n\n';
  const lines = Buffer.from('data:\n'.repeat(100_000));
  const { fault } = await readBody([Buffer.from(`${event.repeat(1_000)}data: {\n`), ...Array(41).fill(lines)]);
  expect(fault).toEqual({ type: 'endless' });
});
