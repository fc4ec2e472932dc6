import { describe, expect, test } from 'vitest';
import { type CredentialPlaces, credentialOf } from '../../../../src/features/devices/gateway/credentials.ts';
import { type ChatFrame, chunkOf, resultOf } from '../../../../src/features/devices/gateway/frames.ts';
import { createReplay } from '../../../../src/features/devices/gateway/session.ts';
import { frameQueue } from '../../../../src/features/devices/gateway/socket.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';

function places(authorization?: string, protocols?: string, query = ''): CredentialPlaces {
  return { authorization, protocols, query: new URLSearchParams(query) };
}

describe('a credential', () => {
  test.each<[string, CredentialPlaces, object]>([
    ['a header', places('Bearer abc'), { type: 'token', token: 'abc' }],
    ['a subprotocol', places(undefined, 'clawseed.v1, bearer.abc'), { type: 'token', token: 'abc' }],
    ['a ticket', places(undefined, undefined, 'ticket=t1'), { type: 'ticket', ticket: 't1' }],
    ['the header before the subprotocol', places('Bearer abc', 'bearer.def'), { type: 'token', token: 'abc' }],
    ['the subprotocol before the ticket', places(undefined, 'bearer.def', 'ticket=t'), { type: 'token', token: 'def' }],
    ['an empty header, which does not count', places('Bearer ', 'bearer.def'), { type: 'token', token: 'def' }],
    ['an empty subprotocol, which does not count', places('', 'bearer.', 'ticket=t'), { type: 'ticket', ticket: 't' }],
    ['another scheme, which does not count', places('Basic abc'), { type: 'none' }],
    ['nothing', places(), { type: 'none' }],
    ['an empty token in the address, which does not count', places(undefined, undefined, 'token='), { type: 'none' }],
    ['a token in the address, whatever else there is', places('Bearer abc', '', 'token=x'), { type: 'token-in-url' }],
  ])('is %s', (_name, given, found) => {
    expect(credentialOf(given)).toEqual(found);
  });
});

describe('a result of a device', () => {
  test.each<[string, JsonObject, object?]>([
    ['a success', { output: 'x', success: true }, { output: 'x' }],
    ['a success if it does not say', { output: 'x' }, { output: 'x' }],
    ['empty without an output', {}],
    ['a failure with its reason', { success: false, error: 'why' }, { success: false, error: 'why' }],
    ['a failure without a reason', { output: 'x', success: false }, { output: 'x', success: false }],
    ['JSON', { output: { n: 1 } }, { output: { n: 1 } }],
    ['with what comes beside it', { content: [{ type: 'text' }] }, { content: [{ type: 'text' }] }],
  ])('is %s', (_name, frame, result) => {
    const found = resultOf({ type: 'tool_result', id: 'a', ...frame });
    expect(found).toEqual({ id: 'a', success: true, output: '', ...result });
  });

  test.each<[string, JsonObject, string]>([
    ['', { error: 'no' }, 'no'],
    [' without words', {}, 'Unknown error'],
    [', even if it calls itself a success', { success: true }, 'Unknown error'],
  ])('is an error%s', (_name, frame, words) => {
    const found = resultOf({ type: 'tool_error', id: 'a', ...frame });
    expect(found).toEqual({ id: 'a', success: false, output: words, error: words });
  });

  test.each([undefined, '', 7])('is nothing with the id %j', (id) => {
    expect(resultOf({ type: 'tool_result', output: 'x', ...(id !== undefined && { id }) })).toBeUndefined();
  });

  test.each<[string, JsonObject, boolean]>([
    ['whole', {}, true],
    ['without an id', { id: '' }, false],
    ['without a part', { part: null }, false],
    ['before the first', { index: -1 }, false],
    ['between two', { index: 0.5 }, false],
    ['without data', { data: null }, false],
  ])('has a chunk that is %s', (_name, frame, isChunk) => {
    expect(chunkOf({ id: 'a', part: 'p', index: 0, data: 'AA==', ...frame }) !== undefined).toBe(isChunk);
  });
});

function watchedQueue() {
  const told: string[] = [];
  const queue = frameQueue({
    failed: (error) => told.push(error instanceof Error ? error.message : 'failed'),
    overflowed: () => told.push('overflowed'),
    hold: (isHeld) => told.push(isHeld ? 'held' : 'read on'),
  });
  return { told, queue };
}

const megabyte = 2 ** 20;

describe('the frames of a socket', () => {
  test('are obeyed one after the other, whatever one of them does', async () => {
    const { told, queue } = watchedQueue();
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    queue.add(1, () => first.promise);
    queue.add(1, () => Promise.reject(new Error('second failed')));
    queue.add(1, () => {
      told.push('third');
      last.resolve();
    });
    expect(told).toEqual([]);
    first.resolve();
    await last.promise;
    expect(told).toEqual(['second failed', 'third']);
  });

  test('are not read on while too much of them waits', async () => {
    const { told, queue } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    for (let count = 0; count < 8; count += 1) queue.add(megabyte, () => slow.promise);
    expect(told).toEqual([]);
    queue.add(megabyte, () => slow.promise);
    expect(told).toEqual(['held']);
    queue.add(0, () => last.resolve());
    slow.resolve();
    await last.promise;
    expect(told).toEqual(['held', 'read on']);
  });

  test('are too many at some point, and none is obeyed that waits when the socket is gone', async () => {
    const { told, queue } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    queue.add(1, () => slow.promise);
    for (let count = 0; count < 500; count += 1) queue.add(1, () => void told.push('obeyed'));
    expect(told).toEqual(['overflowed']);
    queue.close();
    slow.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual(['overflowed']);
  });
});

const large = 'x'.repeat(100_000);

test.each<[string, ChatFrame]>([
  ['arguments of calls', { type: 'tool_call', id: 'c', name: 'file_write', args: { content: large } }],
  ['results of calls', { type: 'tool_result', id: 'c', name: 'file_read', output: large, success: true }],
  ['questions', { type: 'approval_request', id: 'a', tool: 'shell', message: large, choices: [] }],
  ['texts', { type: 'chunk', content: large }],
])('the frames that are kept of a session are bounded by their size: %s', (_name, frame) => {
  const replay = createReplay(0);
  for (let seq = 1; seq <= 100; seq += 1) replay.add({ seq, frame, audience: 'all' });
  const { frames, isComplete } = replay.since(0, 100);
  expect(frames.length).toBeLessThan(4);
  expect(isComplete).toBe(false);
  expect(replay.since(99, 100)).toMatchObject({ frames: [{ seq: 100 }], isComplete: true });
});
