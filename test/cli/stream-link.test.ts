import { mkdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type LinkParts, openStreamLink } from '../../src/cli/stream-link.ts';
import { cliWords } from '../../src/cli/words.ts';
import { isJsonObject, parseJson } from '../../src/lib/json.ts';
import { newFolder } from '../support/new-folder.ts';

/** A daemon that opens each stream, and answers `echo`, but so often that it ends just now; anything else it leaves without an answer. */
class EchoDaemon {
  readonly heard: string[] = [];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #endings: number;

  constructor(endings = 0) {
    this.#endings = endings;
  }

  async start(folder: string): Promise<void> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(join(folder, 'control.sock'), resolve));
  }

  /** As if it was killed. */
  async end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server?.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setEncoding('utf8').on('error', () => {});
    socket.on('data', (chunk: string) => {
      for (const read of chunk.split('\n').map(parseJson).filter(isJsonObject)) {
        const { id, request, params } = read;
        if (id !== 0) this.heard.push(String(request));
        if (id === 0 || request === 'echo')
          socket.write(`${JSON.stringify({ v: 1, id, ...this.#answer(id, params) })}\n`);
      }
    });
  }

  #answer(id: unknown, result: unknown): object {
    if (id === 0 || this.#endings === 0) return { ok: true, result };
    this.#endings -= 1;
    return { ok: false, code: 'ending', reason: '' };
  }
}

async function opened(more: Partial<LinkParts> = {}, daemon = new EchoDaemon()) {
  const folder = await newFolder();
  mkdirSync(folder, { recursive: true });
  await daemon.start(folder);
  const told: string[] = [];
  const link = await openStreamLink({
    folder,
    language: 'en',
    opening: { request: 'chat', params: {} },
    opened: () => told.push('opened'),
    heard: (line) => told.push(line),
    lost: () => told.push('lost'),
    refused: (error) => told.push(`${error.exitCode} ${error.saidIn('en')}`),
    ...more,
  });
  onTestFinished(() => link.close());
  return { folder, daemon, told, link };
}

test('what has no answer when the connection ends is asked again on the next one, and what has one is not', async () => {
  const { folder, daemon, told, link } = await opened();
  expect(await link.ask('echo', { a: 1 })).toEqual({ a: 1 });
  const late = link.ask('later', {});
  await expect.poll(() => daemon.heard).toEqual(['echo', 'later']);
  await daemon.end();
  const asked = link.ask('echo', { b: 2 });
  const next = new EchoDaemon();
  await next.start(folder);
  onTestFinished(() => next.end());
  expect(await asked).toEqual({ b: 2 });
  expect(next.heard).toEqual(['later', 'echo']);
  expect(told).toEqual(['opened', 'lost', 'opened']);
  late.catch(() => {});
});

test('what a daemon that ends just now does not take is asked again, until one takes it', async () => {
  const { daemon, told, link } = await opened({}, new EchoDaemon(2));
  onTestFinished(() => daemon.end());
  expect(await link.ask('echo', { key: 'k1' })).toEqual({ key: 'k1' });
  expect(daemon.heard).toEqual(['echo', 'echo', 'echo']);
  expect(told).toEqual(['opened', 'lost', 'opened', 'lost', 'opened']);
});

test('who has only so much patience is told when the daemon does not come back', async () => {
  const { folder, daemon, told } = await opened({ patience: 1 });
  await daemon.end();
  await expect.poll(() => told).toEqual(['opened', 'lost', `3 ${cliWords.en.notRunning({ folder })}`]);
});
