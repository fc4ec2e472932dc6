import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createLocalSocket } from '../../../src/daemon/local-socket/local-socket.ts';
import { longestRequest, protocolVersion, RefusedRequest } from '../../../src/daemon/local-socket/protocol.ts';
import { socketAddress, socketName } from '../../../src/daemon/local-socket/socket-place.ts';
import { type Log, silentLog } from '../../../src/lib/log.ts';
import { askSocket, requestLine } from '../../support/ask-socket.ts';
import { newFolder } from '../../support/new-folder.ts';

interface Opened {
  readonly folder?: string;
  readonly log?: Log;
}

async function opened({ folder, log = silentLog }: Opened = {}) {
  const place = folder ?? (await newFolder());
  const socket = createLocalSocket({
    folder: place,
    log,
    answer: async ({ id, request, language, params }) => {
      if (request === 'no') throw new RefusedRequest('refused', 'not now');
      if (request === 'broken') throw new Error('a secret of the code');
      return { v: protocolVersion, id, ok: true, result: { request, language, params } };
    },
  });
  await socket.open();
  onTestFinished(() => socket.close());
  return { socket, folder: place, path: join(place, socketName) };
}

test('only the user who runs it can open the socket, and nothing is left beside it', async () => {
  const { folder, path } = await opened();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(path).isSocket()).toBe(true);
  expect(readdirSync(folder)).toEqual([socketName]);
});

test('requests of one connection are answered in their order, with their ids', async () => {
  const { path } = await opened();
  const lines = [
    requestLine('a', { x: 1 }),
    requestLine('no', {}, { id: 7 }),
    requestLine('b', {}, { language: 'zh' }),
  ];
  expect(await askSocket(path, lines.join(''), 3)).toEqual([
    { v: 1, id: 1, ok: true, result: { request: 'a', language: 'en', params: { x: 1 } } },
    { v: 1, id: 7, ok: false, code: 'refused', reason: 'not now' },
    { v: 1, id: 1, ok: true, result: { request: 'b', language: 'zh', params: {} } },
  ]);
});

test.each([
  ['no JSON', 'hello\n', 'malformed'],
  ['a list', '[1]\n', 'malformed'],
  ['a request without an id', `${JSON.stringify({ v: 1, request: 'a' })}\n`, 'malformed'],
  ['params that are no object', requestLine('a', [1]), 'malformed'],
  ['another version', requestLine('a', {}, { v: 2 }), 'other-version'],
  ['a line without an end', 'x'.repeat(longestRequest + 1), 'malformed'],
])('%s is refused with a reason', async (_what, written, code) => {
  const { path } = await opened();
  expect(await askSocket(path, written)).toMatchObject([{ ok: false, code, reason: expect.stringMatching(/\w/) }]);
});

test('a language that is not spoken is English', async () => {
  const { path } = await opened();
  expect(await askSocket(path, requestLine('a', {}, { language: 'fr' }))).toMatchObject([
    { result: { language: 'en' } },
  ]);
});

test('who has gone before the answer takes no place among the streams', async () => {
  const folder = await newFolder();
  const isReady = Promise.withResolvers<void>();
  const gone: Promise<void>[] = [];
  const became: boolean[] = [];
  const socket = createLocalSocket({
    folder,
    log: silentLog,
    answer: async ({ id, params }, connection) => {
      gone.push(new Promise((resolve) => connection.gone.addEventListener('abort', () => resolve(), { once: true })));
      await isReady.promise;
      became.push(connection.become(() => {}));
      return { v: protocolVersion, id, ok: true, result: params };
    },
  });
  await socket.open();
  onTestFinished(() => socket.close());
  const path = join(folder, socketName);
  // As many as there are places.
  const clients = Array.from({ length: 24 }, () => connect(path));
  for (const client of clients) client.write(requestLine('stream'));
  await expect.poll(() => gone.length).toBe(24);
  for (const client of clients) client.destroy();
  await Promise.all(gone);
  isReady.resolve();
  await expect.poll(() => became.length).toBe(24);
  expect(await askSocket(path, requestLine('stream'))).toMatchObject([{ ok: true }]);
  expect(became).toEqual([...Array.from({ length: 24 }, () => false), true]);
});

test('a fault of the code is told without its words, and the connection goes on', async () => {
  const { path } = await opened();
  const answers = await askSocket(path, requestLine('broken') + requestLine('a'), 2);
  expect(answers).toMatchObject([{ ok: false, code: 'fault' }, { ok: true }]);
  expect(JSON.stringify(answers)).not.toContain('secret');
});

test('what a killed process has left is replaced: a socket, or anything else of that name', async () => {
  const folder = await newFolder();
  const left = createServer().listen(join(folder, socketName));
  onTestFinished(() => void left.close());
  const { path, socket } = await opened({ folder });
  expect(await askSocket(path, requestLine('a'))).toMatchObject([{ ok: true }]);
  socket.close();
  expect(existsSync(path)).toBe(false);
  await writeFile(path, 'a file');
  await opened({ folder });
  expect(await askSocket(path, requestLine('a'))).toMatchObject([{ ok: true }]);
});

test('a folder whose path is too long for a socket has one all the same', async () => {
  const folder = join(await newFolder(), 'x'.repeat(120));
  await mkdir(folder);
  await opened({ folder });
  const address = socketAddress(folder, socketName);
  expect(await askSocket(address?.path ?? '', requestLine('a'))).toMatchObject([{ ok: true }]);
  address?.release();
});

test('where such a path can be opened by no other way, the log says what to change', async () => {
  expect(socketAddress(`/${'x'.repeat(120)}`, socketName, 'darwin')).toBeUndefined();
  expect(socketAddress('/short', socketName, 'darwin')?.path).toBe(`/short/${socketName}`);
  expect(socketAddress('C:\\data', socketName, 'win32')?.path).toMatch(/^\\\\\.\\pipe\\keyturn-[0-9a-f]{32}$/);
});

test('a folder in which there can be no socket is a warning, and nothing else', async () => {
  const warnings: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void warnings.push(fields) };
  const { socket } = await opened({ folder: '/nowhere/at/all', log });
  expect(warnings).toEqual([{ folder: '/nowhere/at/all', why: expect.stringContaining('ENOENT') }]);
  socket.close();
});

test('an end while it opens leaves nothing', async () => {
  const folder = await newFolder();
  const socket = createLocalSocket({ folder, log: silentLog, answer: () => Promise.reject(new Error('never')) });
  const opening = socket.open();
  socket.close();
  await opening;
  socket.close();
  expect(readdirSync(folder)).toEqual([]);
});
