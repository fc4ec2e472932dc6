import type { ServerResponse } from 'node:http';
import { constants, createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';

import { type LanguageModel, ModelError, type ModelEvent } from '../../../src/models/language-model.ts';
import { answerOf, failureOf, modelWith, request } from '../ask.ts';
import { beginStream, chunk, sendStream, sse, streaming } from '../wire-server.ts';

const call = { index: 0, id: 'c', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.txt"}' } };
const whole = sse(
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Grüße, 你好' }),
  chunk({ tool_calls: [call] }),
  chunk({}, 'tool_calls'),
  { choices: [], usage: { prompt_tokens: 5, completion_tokens: 3 } },
  '[DONE]',
);
const hello = sse(chunk({ content: 'Hi' }), chunk({}, 'stop'), '[DONE]');

/** The texts that are shown, and the fault if it fails. */
async function outcomeOf(model: LanguageModel): Promise<readonly [text: string, fault: string | undefined]> {
  const events: ModelEvent[] = [];
  let fault: string | undefined;
  try {
    for await (const event of model.stream(request('hello'))) events.push(event);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    fault = error.fault;
  }
  return [events.map((event) => (event.type === 'text' ? event.delta : '')).join(''), fault];
}

describe('an answer that is cut', () => {
  test('anywhere is shown as far as it came, and may be asked for again unless all has come', async () => {
    const bytes = Buffer.from(whole);
    const complete = whole.indexOf('\n\n', whole.indexOf('"tool_calls"}'));
    const completeAt = Buffer.byteLength(whole.slice(0, complete));
    // Some within each event, and each byte about the one that ends the answer.
    const lengths = Array.from(bytes, (_, at) => at + 1).filter(
      (length) => length % 29 === 0 || Math.abs(length - completeAt) < 5,
    );
    const { model } = await modelWith((response, count) => {
      beginStream(response);
      response.write(bytes.subarray(0, lengths[count - 1]), () => response.destroy());
    });
    for (const length of lengths) {
      const [text, fault] = await outcomeOf(model);
      expect(['', 'Grüße, 你好'], `${length} bytes`).toContain(text);
      expect(fault, `${length} bytes`).toBe(length > completeAt ? undefined : 'transient');
    }
  });

  test('by the end of a body that was promised to be longer may be asked for again', async () => {
    const { model } = await modelWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-length': '9999' });
      response.write(sse(chunk({ content: 'Half' })), () => response.destroy());
    });
    expect(await outcomeOf(model)).toEqual(['Half', 'transient']);
  });
});

describe('a connection', () => {
  test('serves one answer after the other, also behind one that nobody wants any more once it is whole', async () => {
    const ports: unknown[] = [];
    const { model } = await modelWith((response) => {
      ports.push(response.socket?.remotePort);
      sendStream(response, hello);
    });
    for (let count = 0; count < 3; count += 1) {
      const abort = new AbortController();
      await answerOf(model, request('hello', { signal: abort.signal }));
      abort.abort();
    }
    expect(new Set(ports).size).toBe(1);
  });

  test('that the server has closed since is not asked', async () => {
    const closed: Promise<void>[] = [];
    const { server, model } = await modelWith((response) => {
      const { socket } = response;
      closed.push(new Promise((resolve) => void socket?.once('close', () => resolve())));
      response.once('finish', () => setImmediate(() => socket?.destroy()));
      sendStream(response, hello);
    });
    for (let count = 0; count < 10; count += 1) {
      expect(await outcomeOf(model)).toEqual(['Hi', undefined]);
      await closed.at(-1);
    }
    expect(server.requests).toHaveLength(10);
  });

  test('that the server closes when the next request comes is given up, and a new one is asked', async () => {
    const { server, model } = await modelWith((response, count) =>
      count === 2 ? response.destroy() : sendStream(response, hello),
    );
    expect(await outcomeOf(model)).toEqual(['Hi', undefined]);
    expect(await outcomeOf(model)).toEqual(['Hi', undefined]);
    expect(server.requests).toHaveLength(3);
  });

  test('that is new, and is closed before any answer, is a failure: nothing is asked twice', async () => {
    const { server, model } = await modelWith((response) => response.destroy());
    expect((await failureOf(model, request('hello'))).error.fault).toBe('transient');
    expect(server.requests).toHaveLength(1);
  });

  test('is one of many: a hundred answers are written at once', async () => {
    const waiting: ServerResponse[] = [];
    const { model } = await modelWith((response) => {
      beginStream(response);
      response.write(sse(chunk({ content: 'Hi' })));
      waiting.push(response);
      if (waiting.length < 100) return;
      for (const one of waiting) one.end(sse(chunk({ content: ' there' }), chunk({}, 'stop'), '[DONE]'));
    });
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcomeOf(model)));
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
      new Set([JSON.stringify(['Hi there', undefined])]),
    );
  });
});

describe('an answer', () => {
  test('that trickles byte by byte is read', async () => {
    const { model } = await modelWith((response) => {
      beginStream(response);
      const bytes = Buffer.from(whole);
      const write = (at: number): void => {
        if (at === bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(() => write(at + 1)));
      };
      write(0);
    });
    const { parts, usage } = await answerOf(model, request('hello'));
    expect(parts).toMatchObject([{ text: 'Grüße, 你好' }, { name: 'read_file', arguments: { path: 'a.txt' } }]);
    expect(usage).toMatchObject({ inputTokens: 5, outputTokens: 3 });
  });

  test('that is compressed, though nobody asked for that, is read as it comes', async () => {
    const { server, model } = await modelWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const zipped = createGzip({ flush: constants.Z_SYNC_FLUSH });
      zipped.pipe(response);
      zipped.write(sse(chunk({ content: 'One' })));
    });
    const abort = new AbortController();
    const shown: string[] = [];
    for await (const event of model.stream(request('hello', { signal: abort.signal }))) {
      if (event.type === 'text') shown.push(event.delta);
      abort.abort();
    }
    expect(shown).toEqual(['One']);
    expect(server.requests[0]?.headers['accept-encoding']).toBeUndefined();
  });

  test('whose compression is cut may be asked for again', async () => {
    const { model } = await modelWith((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      response.write(gzipSync(hello).subarray(0, -30), () => response.destroy());
    });
    const [text, fault] = await outcomeOf(model);
    expect(['', 'Hi']).toContain(text);
    expect(fault).toBe('transient');
  });

  test('in one piece shows its text as one', async () => {
    const texts = ['One', ' two', ' three'].map((content) => chunk({ content }));
    const { model } = await modelWith(streaming(sse(...texts, chunk({}, 'stop'))));
    const shown: ModelEvent[] = [];
    for await (const event of model.stream(request('hello'))) if (event.type === 'text') shown.push(event);
    expect(shown).toEqual([{ type: 'text', delta: 'One two three' }]);
  });
});
