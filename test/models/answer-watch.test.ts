import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { ModelEvent } from '../../src/models/language-model.ts';
import { modelWords } from '../../src/models/words.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { failureOf, modelWith, request } from './ask.ts';
import { beginStream, chunk, sse } from './wire-server.ts';

async function modelThatSends(reply: (response: ServerResponse) => void, timeoutSecs?: number) {
  const clock = new ManualClock();
  return { ...(await modelWith(reply, timeoutSecs === undefined ? {} : { timeoutSecs }, clock)), clock };
}

describe('a model that falls silent', () => {
  test('before it says anything is given up after 120 seconds', async () => {
    let arrived = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const { server, clock, model } = await modelThatSends(() => arrived());
    const failure = failureOf(model, request('hello'));
    await asked;
    clock.advance(119_999);
    expect(clock.waits).toEqual([120_000]);
    clock.advance(1);

    const { error } = await failure;
    expect(error.fault).toBe('transient');
    expect(error.wordsIn('en')).toBe(modelWords.en.silent({ modelKey: 'main', seconds: 120 }));
    await server.requests[0]?.abandoned;
    expect(clock.waits).toEqual([]);
  });

  test('in the middle is given up too, counted from its last word', async () => {
    const { server, clock, model } = await modelThatSends((response) => {
      beginStream(response);
      response.write(sse(chunk({ content: 'One' })));
    }, 7);
    const stream = model.stream(request('hello'))[Symbol.asyncIterator]();
    const first: IteratorResult<ModelEvent> = await stream.next();
    // What is done with a word, however long it takes, is no silence of the model's.
    expect(clock.waits).toEqual([]);
    clock.advance(100_000);
    const second = stream.next();
    await clock.passes(7000);

    expect(first.value).toEqual({ type: 'text', delta: 'One' });
    await expect(second).rejects.toThrow(modelWords.en.silent({ modelKey: 'main', seconds: 7 }));
    await server.requests[0]?.abandoned;
  });
});

describe('a model that does not stop', () => {
  const piece = 'x'.repeat(50_000);
  const call = (text: string) =>
    chunk({ tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: text } }] });

  test.each([
    ['text', chunk({ content: piece })],
    ['thoughts', chunk({ reasoning_content: piece })],
    ['arguments', call(piece)],
  ])('writing %s is cut off after a million characters, and the request with it', async (_what, endless) => {
    const { server, clock, model } = await modelThatSends((response) => {
      beginStream(response);
      const write = (): void => {
        while (!response.destroyed && response.write(sse(endless)));
      };
      response.on('drain', write);
      write();
    });

    const { error, shown } = await failureOf(model, request('hello'));
    expect(error.fault).toBe('permanent');
    expect(error.message).toBe(modelWords.en.endless);
    const length = shown.reduce((sum, event) => sum + ('delta' in event ? event.delta.length : 0), 0);
    expect(length).toBeLessThanOrEqual(1_000_000);
    await server.requests[0]?.abandoned;
    expect(clock.waits).toEqual([]);
  });
});
