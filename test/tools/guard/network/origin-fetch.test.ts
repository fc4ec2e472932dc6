import { createServer, type RequestListener } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type OriginFetchRules, originFetch } from '../../../../src/tools/guard/network/origin-fetch.ts';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  onTestFinished(() => closeServer(server));
  return listenOnLoopback(server);
}

async function fetchOf(url: string, rules: Partial<OriginFetchRules> = {}) {
  const made = await originFetch({
    url: new URL(url),
    mayBePrivate: false,
    allowPrivate: [],
    maxBytes: 1_000,
    turnFor: async () => {},
    ...rules,
  });
  onTestFinished(() => made.close());
  return made;
}

/** Every name leads to this machine. */
const lookup = async () => [{ address: '127.0.0.1', family: 4 }];

describe('the fetch for one origin of the config', () => {
  test('reaches it, even on this machine, and returns its response', async () => {
    const port = await serving((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        response.writeHead(201, { 'x-kind': 'test' });
        response.end(`${request.method} ${request.url} ${request.headers['x-team']} ${body}`);
      });
    });
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/mcp`);
    const response = await fetch(`http://127.0.0.1:${port}/mcp?a=1`, {
      method: 'POST',
      headers: { 'x-team': 'a' },
      body: 'hi',
    });
    expect([response.status, response.headers.get('x-kind'), await response.text()]).toEqual([
      201,
      'test',
      'POST /mcp?a=1 a hi',
    ]);
  });

  test.each(['http://127.0.0.1:1/mcp', 'https://127.0.0.1/mcp', 'http://169.254.169.254/latest', 'http://localhost/x'])(
    'does not ask %s',
    async (other) => {
      const port = await serving((_request, response) => response.end('secret'));
      const { fetch } = await fetchOf(`http://127.0.0.1:${port}/mcp`);
      await expect(fetch(other)).rejects.toThrow('which is not in the config');
    },
  );

  test('follows no redirect by itself', async () => {
    const port = await serving((_request, response) =>
      response.writeHead(307, { location: 'http://localhost:1/' }).end(),
    );
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/mcp`);
    const response = await fetch(`http://127.0.0.1:${port}/mcp`);
    expect([response.status, response.headers.get('location')]).toEqual([307, 'http://localhost:1/']);
  });

  test('refuses a public name that leads to this machine, unless the operator allows it', async () => {
    const port = await serving((_request, response) => response.end('inside'));
    const url = `http://mcp.example.com:${port}/`;
    const strict = await fetchOf(url, { lookup });
    await expect(strict.fetch(url)).rejects.toThrow('private network');
    for (const rules of [{ mayBePrivate: true }, { allowPrivate: ['mcp.example.com'] }]) {
      const open = await fetchOf(url, { lookup, ...rules });
      expect(await (await open.fetch(url)).text()).toBe('inside');
    }
    const local = await fetchOf(`http://mcp.internal:${port}/`, { lookup });
    expect(await (await local.fetch(`http://mcp.internal:${port}/`)).text()).toBe('inside');
  });

  test('refuses a response that is too large', async () => {
    const port = await serving((_request, response) => response.end('a'.repeat(1_001)));
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/`);
    await expect((await fetch(`http://127.0.0.1:${port}/`)).text()).rejects.toThrow('more than 1000 bytes at once');
  });

  test('limits each event of a stream, not the stream', async () => {
    const event = `data: ${'a'.repeat(300)}\r\n\r\n`;
    const port = await serving((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write(event.repeat(5));
      response.end(request.url === '/long' ? 'data: x\n'.repeat(200) : 'data: x\n\n'.repeat(200));
    });
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/`);
    expect((await (await fetch(`http://127.0.0.1:${port}/`)).text()).length).toBe(event.length * 5 + 1_800);
    await expect((await fetch(`http://127.0.0.1:${port}/long`)).text()).rejects.toThrow('more than 1000 bytes at once');
  });

  test('reads a piece at a time, each in its turn', async () => {
    const port = await serving((request, response) => {
      const type = request.url === '/events' ? 'text/event-stream' : 'application/json';
      response.writeHead(200, { 'content-type': type }).end('\n'.repeat(400));
    });
    const turns: (readonly [number, number])[] = [];
    const turnFor = async (bytes: number, events: number): Promise<void> => {
      turns.push([bytes, events]);
    };
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/`, { turnFor });
    for (const path of ['events', 'json']) await (await fetch(`http://127.0.0.1:${port}/${path}`)).text();
    expect(turns.slice(0, 8)).toEqual(Array(8).fill([50, 25]));
    // What is no stream of events is one message.
    expect(turns.slice(8)).toEqual(Array(8).fill([50, 0]));
  });

  test('ends an aborted request', async () => {
    const port = await serving(() => {});
    const { fetch } = await fetchOf(`http://127.0.0.1:${port}/`);
    const controller = new AbortController();
    const asked = fetch(`http://127.0.0.1:${port}/`, { signal: controller.signal });
    controller.abort();
    await expect(asked).rejects.toThrow('abort');
  });
});
