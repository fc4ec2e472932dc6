import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { type ApprovalRequest, type ShownFile, tool, withFiles } from '../../../../packages/client/src/client.ts';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { remoteDaemon, WatchedClient } from '../../../support/gateway/client-setting.ts';
import type { GatewaySetting } from '../../../support/gateway/gateway-setting.ts';
import { call, resultsOf, wordsOf } from '../../../support/scripted-model.ts';
import { useTool } from '../../../support/use-tool.ts';

/** No tool of these tests asks anybody. */
const harmless = { config: { remote_tools: { categories: { '*': 'network_read' } } } };

/** A client that offers tools, which no other chat of Ada's has to ask for. */
async function offering(tools: readonly ReturnType<typeof tool>[]) {
  const setting = await remoteDaemon(harmless);
  const watched = new WatchedClient({ url: setting.address, token: await setting.token(), tools });
  await watched.heard('tools_registered');
  return { daemon: setting.daemon, watched };
}

const add = tool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number().default(1) }),
  handler: ({ a, b }) => a + b,
});

describe('a client', () => {
  test('chats: what it says is answered piece by piece', async () => {
    const setting = await remoteDaemon();
    const texts: string[] = [];
    const done: string[] = [];
    const watched = new WatchedClient({
      url: setting.address,
      token: await setting.token(),
      onText: (delta) => texts.push(delta),
      onDone: (text) => done.push(text),
    });
    await watched.client.message('hello');
    await watched.heard('done');
    expect(done).toEqual(['echo: hello']);
    expect(texts.join('')).toBe('echo: hello');
    expect(watched.states).toEqual(['open']);
  });

  test('offers tools with schemas of zod, and answers calls of other chats', async () => {
    const { daemon } = await offering([add]);
    expect(await useTool(daemon, 'add', { a: 41 })).toBe('42');
    const [asked] = daemon.model.requests;
    expect(asked?.tools.find(({ name }) => name === 'add')?.parameters).toMatchObject({
      properties: { a: { type: 'number' }, b: { type: 'number', default: 1 } },
    });
  });

  test.each<[string, () => unknown, string]>([
    [
      'throws',
      () => {
        throw new Error('camera off');
      },
      'camera off',
    ],
    [
      'throws nothing',
      () => {
        throw new Error('');
      },
      'Handler threw exception',
    ],
    ['rejects', async () => Promise.reject(new Error('no')), 'no'],
    ['returns what JSON cannot hold', () => ({ big: 1n }), 'BigInt'],
  ])('a handler that %s fails the call', async (_what, handler, words) => {
    const { daemon } = await offering([tool({ name: 'snap', description: 'Takes a picture.', handler })]);
    expect(await useTool(daemon, 'snap', {})).toContain(words);
    const [row] = daemon.rows(`SELECT outcome FROM calls`);
    expect(row?.outcome).toBe('error');
  });

  test('a tool that it has forgotten fails the call', async () => {
    const { daemon, watched } = await offering([add]);
    watched.client.unregister('add');
    await watched.heard('tools_unregistered');
    expect(await useTool(daemon, 'add', { a: 1 })).toContain('no tool "add"');
  });

  test('works off calls one after the other, or as many at once as it is told', async () => {
    for (const [concurrency, most] of [
      [1, 1],
      [3, 3],
    ] as const) {
      const setting = await remoteDaemon(harmless);
      const { model, channel } = setting.daemon;
      let running = 0;
      let highest = 0;
      const release = Promise.withResolvers<void>();
      const work = tool({
        name: 'work',
        description: 'Works.',
        handler: async () => {
          running += 1;
          highest = Math.max(highest, running);
          if (running === most) release.resolve();
          await release.promise;
          running -= 1;
          return `done ${highest}, ${running}`;
        },
      });
      const client = new WatchedClient({
        url: setting.address,
        token: await setting.token(),
        tools: [work],
        concurrency,
      });
      await client.heard('tools_registered');
      model.next([call('work', {}), call('work', {}), call('work', {})], 'noted');
      await channel.say('work');
      expect(resultsOf(await model.asked(2))).toHaveLength(3);
      expect(highest).toBe(most);
    }
  });

  test('tells a handler when nobody waits for it any more', async () => {
    const setting = await remoteDaemon(harmless);
    const { model, channel } = setting.daemon;
    const began = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<string>();
    const slow = tool({
      name: 'slow',
      description: 'Takes long.',
      handler: (_args, { signal }) => {
        began.resolve();
        signal.addEventListener('abort', () => aborted.resolve(String(signal.reason)));
        return aborted.promise;
      },
    });
    const client = new WatchedClient({ url: setting.address, token: await setting.token(), tools: [slow] });
    await client.heard('tools_registered');
    model.next([call('slow', {})], 'noted');
    await channel.say('go');
    await began.promise;
    await channel.say('/stop');
    expect(await aborted.promise).toContain('aborted');
    // What it still returns is for nobody: an answer to it would come before this one.
    await new Promise((resolve) => setImmediate(resolve));
    client.client.unregister('other');
    await client.heard('tools_unregistered');
    expect(client.frames.filter(({ type }) => type === 'result_acknowledged')).toEqual([]);
  });

  test('sends a file in pieces, which is saved and shown', async () => {
    const setting = await remoteDaemon({ ...harmless, channel: { capabilities: { maxFileBytes: 10_000_000 } } });
    const bytes = new Uint8Array(1_500_000).fill(7);
    const photo = tool({
      name: 'photo',
      description: 'Takes a picture.',
      handler: () => withFiles('Here.', { type: 'file', name: 'photo.bin', bytes }),
    });
    const client = new WatchedClient({ url: setting.address, token: await setting.token(), tools: [photo] });
    await client.heard('tools_registered');
    expect(await useTool(setting.daemon, 'photo', {})).toMatch(
      /^Here\.\n\n\[[^\]]*1\.4 MB: saved as \.keyturn\/devices\//,
    );
    const [row] = setting.daemon.rows(`SELECT files FROM outbox WHERE files IS NOT NULL`);
    expect(JSON.parse(String(row?.files))).toMatchObject([
      { name: expect.stringContaining('photo.bin'), size: 1_500_000 },
    ]);
  });

  test('says something with files, also again after a reconnect, and hears if they are not taken', async () => {
    const setting = await remoteDaemon({ config: { attachments: { max_bytes: 1_000_000 } } });
    const { model } = setting.daemon;
    const { port } = new URL(setting.address);
    const watched = new WatchedClient({ url: setting.address, token: await setting.token() });
    await watched.heard('connected');
    const files = [{ type: 'file', name: 'a.bin', bytes: new Uint8Array(900_000).fill(7) }] as const;
    const tooLarge = [{ type: 'file', name: 'b.bin', bytes: new Uint8Array(1_000_001) }] as const;
    await expect(watched.client.message('look', { files: tooLarge })).rejects.toThrow('1000000 bytes');
    await setting.daemon.stop();
    const said = watched.client.message('look', { files });
    await setting.daemon.start({ gateway: { enabled: true, port: Number(port) } });
    await said;
    expect(wordsOf(await model.asked(1))).toContain('[file: received/2-a.bin (');
    expect(await readFile(join(setting.daemon.workspace, 'received/2-a.bin'))).toEqual(Buffer.alloc(900_000, 7));
  });

  test('is told of files that it is shown, and fetches them, with a token or with tickets', async () => {
    const setting = await remoteDaemon();
    const token = await setting.token();
    await writeFile(join(setting.daemon.workspace, 'a.csv'), '1;2');
    for (const credentials of [{ token }, { ticket: () => ticketOf(setting, token) }]) {
      const shown = Promise.withResolvers<ShownFile>();
      const watched = new WatchedClient({ url: setting.address, ...credentials, onFile: shown.resolve });
      setting.daemon.model.next([call('send_file', { path: 'a.csv' })], 'Done.');
      await watched.client.message('show it');
      const file = await shown.promise;
      expect(file).toMatchObject({ name: 'a.csv', mediaType: 'text/csv', size: 3 });
      expect(Buffer.from(await file.bytes()).toString()).toBe('1;2');
    }
  });

  test('draws its own card of an approval, and answers it with a reason', async () => {
    const setting = await remoteDaemon();
    const { model } = setting.daemon;
    const asked = Promise.withResolvers<ApprovalRequest>();
    const token = await setting.token();
    const watched = new WatchedClient({ url: setting.address, token, onApproval: asked.resolve });
    model.next([call('write_file', { path: 'a.txt', content: 'x' })], 'Then not.');
    await watched.client.message('write');
    const request = await asked.promise;
    expect(request).toMatchObject({
      kind: 'call',
      tool: 'write_file',
      category: 'filesystem_write',
      arguments: { path: 'a.txt', content: 'x' },
      requester: 'Ada',
      expiresMs: 1_800_000,
    });
    const why = request.choices.find(({ asks }) => asks !== undefined);
    watched.client.decide(request.id, why?.id ?? '', 'it is late');
    expect(JSON.stringify((await model.asked(2)).messages)).toContain('it is late');
  });

  test('comes back with its tools, its chat and what it had to say', async () => {
    const setting = await remoteDaemon(harmless);
    const { model, channel } = setting.daemon;
    const token = await setting.token();
    const port = new URL(setting.address).port;
    const watched = new WatchedClient({ url: setting.address, token, tools: [add] });
    await watched.heard('tools_registered');
    const session = watched.client.sessionId;
    await setting.daemon.stop();
    await watched.is('waiting');
    const said = watched.client.message('still there?');
    await setting.daemon.start({ ...harmless.config, gateway: { enabled: true, port: Number(port) } });
    await said;
    await watched.heard('done');
    expect(watched.client.sessionId).toBe(session);
    model.next([call('add', { a: 1 })], 'noted');
    await channel.say('add');
    await expect.poll(() => model.requests.flatMap(resultsOf)).toContain('2');
  });

  test('gives up where it is not let in', async () => {
    const setting = await remoteDaemon();
    const watched = new WatchedClient({ url: setting.address, token: 'f'.repeat(64) });
    expect(await watched.client.closed).toContain('401');
    await expect(watched.client.message('hello')).rejects.toThrow('closed');
    expect(watched.states).toEqual(['closed']);
  });

  test('goes on trying where nobody is, ever more seldom', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const watched = new WatchedClient({ url: 'ws://127.0.0.1:9', token: 'x', backOff: { first: 20, longest: 80 } });
    await watched.changes.waitFor(() => watched.states.filter((state) => state === 'waiting').length >= 5);
    expect(watched.client.state).not.toBe('closed');
    const pauses = timers.mock.calls.flatMap(([, milliseconds = 0]) =>
      milliseconds >= 20 && milliseconds <= 120 ? milliseconds : [],
    );
    for (const [index, pause] of [20, 40, 80, 80].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(pause);
      expect(pauses[index]).toBeLessThanOrEqual(1.5 * pause);
    }
  });

  test('is let in by a ticket', async () => {
    const setting = await remoteDaemon();
    const token = await setting.token();
    const watched = new WatchedClient({ url: setting.address, ticket: () => ticketOf(setting, token) });
    await watched.is('open');
  });

  test('refuses an address that is none', () => {
    expect(() => new WatchedClient({ url: 'ftp://x' })).toThrow('begins with ws://');
  });
});

async function ticketOf(setting: GatewaySetting, token: string): Promise<string> {
  const answer: unknown = await (await setting.ask('/api/ticket', token, { method: 'POST' })).json();
  if (!isJsonObject(answer) || typeof answer.ticket !== 'string') throw new Error(JSON.stringify(answer));
  return answer.ticket;
}
