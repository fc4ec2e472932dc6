import { createServer, type Server, type ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { beforeEach, describe, expect, test } from 'vitest';
import type { PersonFile } from '../../../packages/fakes/src/telegram/people.ts';
import type { ChannelAdapter, ChannelError, InboundAttachment } from '../../../src/contract.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { failureOf } from '../kit/request-faults.ts';
import { type Bench, openBench } from './bench.ts';

const ada = 42;
const bytes = Buffer.from('all its bytes');

let bench: Bench;
let adapter: ChannelAdapter;

beforeEach(async () => {
  bench = await openBench();
  adapter = await bench.connect();
});

/** What the adapter tells the host of a file that somebody has sent. */
async function sent(file: Partial<PersonFile> = {}): Promise<InboundAttachment> {
  const before = bench.host.received.length;
  bench.server.people.send(ada, { type: 'document', bytes, ...file });
  await waitUntil(() => bench.host.received.length > before);
  const event = bench.host.received.at(-1);
  const [attachment] = event?.type === 'message' ? (event.attachments ?? []) : [];
  if (attachment === undefined) throw new Error('It has no attachment.');
  return attachment;
}

async function fetched(attachment: InboundAttachment, maxBytes = 1_000, signal = new AbortController().signal) {
  return adapter.fetchAttachment?.(attachment, { maxBytes, signal });
}

async function faultOf(attachment: InboundAttachment, signal?: AbortSignal): Promise<ChannelError> {
  const error = await failureOf(fetched(attachment, 1_000, signal));
  expect(inspect(error, { depth: 9 })).not.toContain(bench.server.token);
  return error;
}

/** A server that knows where every file is, and does with those who fetch one what the test says. */
class OtherServer {
  readonly root: string;
  readonly #server: Server;

  private constructor(root: string, listening: Server) {
    this.root = root;
    this.#server = listening;
  }

  static async start(onFile: (response: ServerResponse) => unknown): Promise<OtherServer> {
    const place = { ok: true, result: { file_id: 'x', file_unique_id: 'y', file_path: 'x' } };
    const listening = createServer((request, response) => {
      if (request.url?.startsWith('/file/')) onFile(response);
      else response.end(JSON.stringify(place));
    });
    return new OtherServer(`http://127.0.0.1:${await listenOnLoopback(listening)}`, listening);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return closeServer(this.#server);
  }
}

/** The server's answer to where the file is. */
function tellPlace(place: object): void {
  const body = JSON.stringify({ ok: true, result: { file_id: 'x', file_unique_id: 'y', ...place } });
  bench.server.fault({ method: 'getFile', kind: 'status', status: 200, body, times: 1 });
}

describe('a file that somebody has sent', () => {
  test.each(['photo', 'document', 'voice', 'audio', 'video', 'video_note', 'animation'] as const)(
    'as a %s is fetched as it was sent',
    async (type) => {
      expect(await fetched(await sent({ type }))).toEqual(bytes);
    },
  );

  test('that is larger than Telegram hands out is too large', async () => {
    const handle = bench.server.addFile('huge', Buffer.alloc(20 * 2 ** 20 + 1));
    expect(await fetched({ kind: 'file', handle }, 2 ** 30)).toBe('too-large');
  });

  test('that the server announces as larger than wanted is not waited for', async () => {
    await using other = await OtherServer.start((response) =>
      response.writeHead(200, { 'content-length': 10_000 }).write('a'),
    );
    adapter = await bench.connect({ api_root: other.root }, new RecordingHost());
    expect(await fetched({ kind: 'file', handle: 'x' })).toBe('too-large');
    await adapter.stop();
  });
});

describe('a file that cannot be fetched', () => {
  test.each([
    ['auth', { kind: 'status', status: 401 }],
    ['permanent', { kind: 'status', status: 404 }],
    ['transient', { kind: 'status', status: 500 }],
    ['transient', { kind: 'html' }],
    ['transient', { kind: 'drop-before' }],
    ['rate-limited', { kind: '429', retryAfter: 3 }],
    ['permanent', { kind: 'status', status: 302 }],
  ] as const)('fails as %s with %j', async (type, fault) => {
    const attachment = await sent();
    bench.server.fault({ method: 'download', ...fault, times: 1 });
    expect((await faultOf(attachment)).fault).toMatchObject({ type });
    expect(await fetched(attachment)).toEqual(bytes);
  });

  test.each([
    ['transient', { kind: 'drop-before' }],
    ['transient', { kind: 'status', status: 500 }],
    ['rate-limited', { kind: '429', retryAfter: 3 }],
    ['permanent', { kind: 'status', status: 400, description: 'Bad Request: wrong file_id' }],
  ] as const)('fails as %s if where it is cannot be learned: %j', async (type, fault) => {
    bench.server.fault({ method: 'getFile', ...fault, times: 1 });
    expect((await faultOf(await sent())).fault).toMatchObject({ type });
  });

  test.each([
    '/var/lib/telegram-bot-api/1:A/documents/a.txt',
    'C:\\bot\\a.txt',
    '../../secret',
    'documents/../../bot/getMe',
  ])('since the server names the place %s on its own disk says what to do', async (file_path) => {
    const attachment = await sent();
    tellPlace({ file_path });
    const error = await faultOf(attachment);
    expect(error.fault.type).toBe('permanent');
    expect(error.message).toContain('without --local');
    expect(error.message).not.toContain(file_path);
    expect(bench.server.callsOf('download')).toEqual([]);
  });

  test('since the server sends us on to another address fails for good: what is there is not asked for', async () => {
    const location = `${bench.server.root}/file/bot${bench.server.token}/documents/${bench.server.addFile('x', bytes)}`;
    await using other = await OtherServer.start((response) => response.writeHead(302, { location }).end());
    adapter = await bench.connect({ api_root: other.root }, new RecordingHost());
    const error = await faultOf({ kind: 'file', handle: 'x' });
    expect(error).toMatchObject({ fault: { type: 'permanent' }, message: expect.stringContaining('not followed') });
    expect(bench.server.callsOf('download')).toEqual([]);
    await adapter.stop();
  });

  test('since nobody says where it is fails for good', async () => {
    tellPlace({});
    expect((await faultOf(await sent())).fault.type).toBe('permanent');
  });

  test.each(['getFile', 'download'])('since nobody answers to %s is given up when that is wanted', async (method) => {
    const attachment = await sent();
    const hang = bench.server.fault({ method, kind: 'hang', times: 1 });
    const controller = new AbortController();
    const failing = faultOf(attachment, controller.signal);
    await bench.server.waitFor(() => hang.fired === 1);
    controller.abort(new Error('enough'));
    expect((await failing).fault.type).toBe('transient');
  });
});
