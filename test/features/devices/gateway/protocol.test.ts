import { describe, expect, test } from 'vitest';
import type { Device } from '../../../../src/conversation/access/access.ts';
import { createGate } from '../../../../src/features/devices/gateway/credentials.ts';
import { type ChatFrame, readFrame } from '../../../../src/features/devices/gateway/frames.ts';
import { Session } from '../../../../src/features/devices/gateway/session.ts';
import { FrameQueue } from '../../../../src/features/devices/gateway/socket.ts';
import { FileParts, type FilePiece } from '../../../../src/features/devices/remote/file-parts.ts';
import { deviceWords } from '../../../../src/features/devices/words.ts';
import type { JsonObject } from '../../../../src/lib/json.ts';
import type { Language } from '../../../../src/lib/words.ts';
import { coreWith } from '../../../support/core-with.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const device: Device = {
  id: 'd',
  name: 'phone',
  principal: 'test:ada',
  personName: 'Ada',
  isBrowser: false,
  createdAt: 0,
};

test.each<[string, string | undefined, string | undefined, string, 400 | 401 | undefined]>([
  ['a header', 'Bearer abc', undefined, '', undefined],
  ['a subprotocol', undefined, 'clawseed.v1, bearer.abc', '', undefined],
  ['a ticket', undefined, undefined, 'ticket=TICKET', undefined],
  ['the header before the subprotocol', 'Bearer abc', 'bearer.def', '', undefined],
  ['the header before the subprotocol, also if it is wrong', 'Bearer def', 'bearer.abc', '', 401],
  ['the subprotocol before the ticket', undefined, 'bearer.def', 'ticket=TICKET', 401],
  ['an empty header, which does not count', 'Bearer ', 'bearer.abc', '', undefined],
  ['an empty subprotocol, which does not count', '', 'bearer.', 'ticket=TICKET', undefined],
  ['another scheme, which does not count', 'Basic abc', undefined, '', 401],
  ['nothing', undefined, undefined, '', 401],
  ['an empty token in the address, which does not count', 'Bearer abc', undefined, 'token=', undefined],
  ['a token in the address, whatever else there is', 'Bearer abc', '', 'token=x', 400],
])('a credential is %s', (_name, authorization, protocols, written, status) => {
  const core = coreWith({ clock: new ManualClock(), rules: { mayTalk: () => true } });
  const parts = { ...core, own: { gateway: { enabled: true } } };
  const found = (isGood: boolean) => (isGood ? device : undefined);
  const gate = createGate(parts, {
    authenticate: (token) => found(token === 'abc'),
    find: (id) => found(id === 'd'),
    isThere: () => true,
  });
  const query = new URLSearchParams(written.replace('TICKET', gate.tickets.issue('d')));
  expect(gate.admit({ authorization, protocols, query }, true)).toMatchObject(status ? { status } : { device });
});

const unknownError = { success: false, output: 'Unknown error', error: 'Unknown error' };

test.each<[string, JsonObject, string]>([
  ['message_chunk', {}, 'A chunk needs "part"'],
  ['message', { content: 'x', message_id: 'a b' }, '"message_id" is 1 to 100'],
  ['message', { content: 'x', attachments: 'y' }, '"attachments" is a list.'],
  ['approval_response', { decision: 'allow' }, 'needs the "id" of what is answered'],
  ['approval_response', { id: 'a', decision: 'perhaps' }, 'needs "choice", or "decision"'],
])('a frame %s that lacks something is refused with words: %j', (type, frame, message) => {
  const fault = { type: 'fault', code: 'INVALID_FRAME', message: expect.stringContaining(message) };
  expect(readFrame(JSON.stringify({ type, ...frame }))).toMatchObject(fault);
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
    ['an error', { type: 'tool_error', error: 'no' }, { success: false, output: 'no', error: 'no' }],
    ['an error without words', { type: 'tool_error' }, unknownError],
    ['an error, even if it calls itself a success', { type: 'tool_error', success: true }, unknownError],
  ])('is %s', (_name, frame, result) => {
    const found = readFrame(JSON.stringify({ type: 'tool_result', id: 'a', ...frame }));
    expect(found).toEqual({ type: 'result', result: { id: 'a', success: true, output: '', ...result } });
  });

  test.each<[string, JsonObject, string]>([
    ['whole', {}, 'tool_result_chunk'],
    ['without an id', { id: '' }, 'fault'],
    ['with a number as id', { id: 7 }, 'fault'],
    ['without a part', { part: null }, 'fault'],
    ['before the first', { index: -1 }, 'fault'],
    ['between two', { index: 0.5 }, 'fault'],
    ['without data', { data: null }, 'fault'],
  ])('has a chunk that is %s', (_name, changed, type) => {
    const chunk = { type: 'tool_result_chunk', id: 'a', part: 'p', index: 0, data: 'AA==', ...changed };
    expect(readFrame(JSON.stringify(chunk)).type).toBe(type);
  });
});

function watchedQueue() {
  const told: string[] = [];
  const socket = { isOpen: true };
  const queue = new FrameQueue({
    failed: (error) => told.push(error instanceof Error ? error.message : 'failed'),
    isOpen: () => socket.isOpen,
    hold: (isHeld) => told.push(isHeld ? 'held' : 'read on'),
  });
  return { told, queue, socket };
}

const megabyte = 2 ** 20;

describe('the frames of a socket', () => {
  test('are obeyed one after the other, whatever one of them does', async () => {
    const { told, queue } = watchedQueue();
    const first = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    queue.add(1, () => first.promise);
    queue.add(1, () => Promise.reject(new Error('second failed')));
    queue.add(1, async () => {
      told.push('third');
      last.resolve();
    });
    expect(told).toEqual([]);
    first.resolve();
    await last.promise;
    expect(told).toEqual(['second failed', 'third']);
  });

  test.each([
    ['text', 8, megabyte],
    ['frames', 500, 1],
  ])('are not read on while too many of them wait: %s', async (_what, most, length) => {
    const { told, queue } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    const last = Promise.withResolvers<void>();
    for (let count = 0; count < most; count += 1) queue.add(length, () => slow.promise);
    expect(told).toEqual([]);
    queue.add(length, () => slow.promise);
    expect(told).toEqual(['held']);
    queue.add(0, async () => last.resolve());
    slow.resolve();
    await last.promise;
    expect(told).toEqual(['held', 'read on']);
  });

  test('are not obeyed when they still wait and the socket is gone', async () => {
    const { told, queue, socket } = watchedQueue();
    const slow = Promise.withResolvers<void>();
    queue.add(1, () => slow.promise);
    queue.add(1, async () => void told.push('obeyed'));
    socket.isOpen = false;
    slow.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
  });
});

function sessionThat(whenIdle: (idle: () => void) => void, language: Language = 'en'): Session {
  return new Session({ id: 's', lastSeq: 0, whenIdle, language: () => language });
}

test('a turn does not end while a message that may be answered in it is still being stored', () => {
  const idle: (() => void)[] = [];
  const session = sessionThat((isIdle) => idle.push(isIdle));
  session.work();
  const stored = session.begin();
  idle.shift()?.();
  expect(session.isRunning()).toBe(true);
  stored();
  idle.shift()?.();
  expect(session.isRunning()).toBe(false);
});

test('a turn that a person has aborted ends as aborted, though its run fails after that', () => {
  const idle: (() => void)[] = [];
  const session = sessionThat((isIdle) => idle.push(isIdle));
  const heard: object[] = [];
  session.attach({ showsApprovals: false, send: (shown) => heard.push(shown) > 0 });
  session.work();
  session.ends('aborted');
  session.ends('failed', 'model');
  idle.shift()?.();
  expect(heard.at(-1)).toMatchObject({ type: 'aborted' });
});

test('a turn that fails without a reason says so in the language of its person', () => {
  const idle: (() => void)[] = [];
  const session = sessionThat((isIdle) => idle.push(isIdle), 'zh');
  const heard: object[] = [];
  session.attach({ showsApprovals: false, send: (shown) => heard.push(shown) > 0 });
  session.work();
  session.ends('failed', 'key');
  idle.shift()?.();
  expect(heard.at(-1)).toMatchObject({ type: 'error', code: 'AUTH_ERROR', message: deviceWords.zh.runFailed });
});

test('a session for whose listener a message has waited is idle once that has come and gone', async () => {
  const session = sessionThat(() => {});
  const listener = { showsApprovals: false, send: () => true };
  const heard = session.whenHeard();
  expect(session.isIdle()).toBe(false);
  session.attach(listener);
  await heard;
  session.detach(listener);
  expect(session.isIdle()).toBe(true);
});

test('who comes without having heard anything is shown what is still asked', () => {
  const session = sessionThat(() => {});
  for (const id of ['a', 'b']) session.ask({ id, tool: 'shell', message: 'May I?', choices: [] });
  session.resolve('a', 'No.');
  const heard: object[] = [];
  session.attach({ showsApprovals: true, send: (shown) => heard.push(shown) > 0 });
  expect(heard.at(-1)).toMatchObject({ type: 'approval_request', id: 'b' });
  expect(heard).not.toContainEqual(expect.objectContaining({ id: 'a' }));
});

test.each<[string, readonly Partial<FilePiece>[], string]>([
  ['without a name', [{ part: '' }], 'a part has no name'],
  ['with a long name', [{ part: 'x'.repeat(65) }], 'a part has no name'],
  ['that is no base64', [{ data: '?' }], 'no base64'],
  ['out of order', [{}, { index: 2 }], 'out of order'],
  ['after the last', [{ last: true }, { index: 1 }], 'out of order'],
  ['of one file too many', Array.from({ length: 11 }, (_, number) => ({ part: `p${number}` })), 'more than 10 parts'],
  ['that is too much with the others', [{}, { part: 'q', data: 'AAAAAAAA' }], 'larger than 6 bytes'],
])('a piece of a file is refused %s', (_name, pieces, why) => {
  const parts = new FileParts(pieces.length > 2 ? 100 : 6);
  const faults = pieces.map((piece) => parts.add({ part: 'p', index: 0, data: 'AAAA', last: false, ...piece }));
  expect(faults).toEqual([...pieces.slice(1).map(() => undefined), expect.stringContaining(why)]);
});

const large = 'x'.repeat(100_000);

test.each<[string, ChatFrame]>([
  ['arguments of calls', { type: 'tool_call', id: 'c', name: 'file_write', args: { content: large } }],
  ['results of calls', { type: 'tool_result', id: 'c', name: 'file_read', output: large, success: true }],
  ['questions', { type: 'approval_request', id: 'a', tool: 'shell', message: large, choices: [] }],
  ['texts', { type: 'chunk', content: large }],
])('the frames that are kept of a session are bounded by their size: %s', (_name, frame) => {
  const session = sessionThat(() => {});
  for (let count = 1; count <= 100; count += 1) session.publish(frame);
  const heardAfter = (seq: number) => {
    const heard: object[] = [];
    session.attach({ showsApprovals: true, send: (shown) => heard.push(shown) > 0 }, seq);
    return heard;
  };
  expect(heardAfter(0).length).toBeLessThan(5);
  expect(heardAfter(0)[0]).toMatchObject({ type: 'replay', complete: false });
  expect(heardAfter(99)).toMatchObject([{ frames: 1, complete: true }, { seq: 100 }]);
  expect(heardAfter(101)[0]).toMatchObject({ complete: false });
});
