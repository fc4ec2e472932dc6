import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { loadLibrary } from '../../../src/features/mcp/connection.ts';
import { httpEndpoint } from '../../../src/features/mcp/endpoints.ts';
import { mcpWords } from '../../../src/features/mcp/words.ts';
import { silentLog } from '../../../src/lib/log.ts';
import { wordsIn } from '../../../src/lib/words.ts';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { mcpSetting } from '../../support/mcp/mcp-setting.ts';
import { definition } from '../../support/mcp/server-folder.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { wholeSchema } from '../../support/whole-schema.ts';
import { serverDown } from './servers/server-down.ts';

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  onTestFinished(() => closeServer(server));
  return listenOnLoopback(server);
}

/** A daemon with a server that answers so. Resolves with what an owner is told of it. */
async function troubleWith(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const port = await serving(answer);
  const headers = { Authorization: 'Bearer top-secret-value' };
  const url = `http://127.0.0.1:${port}/mcp`;
  const setting = await mcpSetting({ web: { url, headers } }, { secrets: ['top-secret-value'] });
  await setting.channel.ask('hello', 'echo: hello');
  return (await setting.channel.ask('/status', 'is up for')).text;
}

test('a server that sends us to another origin sends nobody there, with neither a request nor a header', async () => {
  const asked: string[] = [];
  const other = await serving((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  const said = await troubleWith((_request, response) => {
    response.writeHead(307, { location: `http://127.0.0.1:${other}/steal` }).end();
  });
  expect(said).toMatch(serverDown('web', 'Redirect to .* is the intended server\\.?'));
  expect(asked).toEqual([]);
});

test('a server that wants us to be authorised elsewhere makes us ask nobody for that', async () => {
  const asked: string[] = [];
  const other = await serving((request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  const said = await troubleWith((_request, response) => {
    const challenge = `Bearer resource_metadata="http://127.0.0.1:${other}/.well-known/oauth-protected-resource"`;
    response.writeHead(401, { 'www-authenticate': challenge }).end();
  });
  expect(said).toContain(mcpWords.en.isDown({ name: 'web', why: mcpWords.en.status({ status: 401 }) }));
  expect(asked).toEqual([]);
});

test('a server that answers with a page, and with what we have told it, is said without both', async () => {
  const said = await troubleWith((request, response) => {
    response.writeHead(500, { 'content-type': 'text/html' });
    response.end(`<h1>No</h1> ${request.headers.authorization}`);
  });
  expect(said).toContain(mcpWords.en.isDown({ name: 'web', why: mcpWords.en.status({ status: 500 }) }));
  expect(said).not.toContain('top-secret-value');
  expect(said).not.toContain('<h1>');
  const page = await troubleWith((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(),
  );
  expect(page).toMatch(/not connected: the server answered with an unusable reply \(.*text\/html\)\. It is tried/);
});

/** What the model is told of a call of a server over HTTP that answers it so. */
async function resultOf(answer: (response: ServerResponse, id: unknown) => void): Promise<string> {
  const port = await serving(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const { id, method } = await bodyOf(request);
    const say = (result: object): void => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'one' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (id === undefined) response.writeHead(202).end();
    else if (method === 'initialize') {
      say({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } });
    } else if (method === 'tools/list') say({ tools: [definition('echo')] });
    else if (method === 'tools/call') answer(response, id);
    else response.writeHead(404).end();
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  const setting = await mcpSetting({ web: { url, category: 'network_read' } });
  return useTool(setting, 'web_echo', {});
}

async function bodyOf(request: IncomingMessage): Promise<{ readonly id?: unknown; readonly method?: string }> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return JSON.parse(text);
}

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
}

test.each<[string, Answer, string]>([
  ['a page', { type: 'text/html', body: '<h1>Hello</h1>' }, 'it answered with text/html in place of a result'],
  ['nothing at all', { body: '' }, 'it answered with nothing'],
  ['no JSON', { type: 'application/json', body: '{"jsonrpc": ' }, 'it answered with something that is no JSON'],
  ['other JSON', { type: 'application/json', body: '{"a":1}' }, 'it answered with JSON that is no message'],
  ['an error of the server', { status: 500, type: 'text/html', body: '<h1>No</h1>' }, 'it answered with HTTP 500'],
  ['a proxy that gives up', { status: 502, body: '' }, 'it answered with HTTP 502'],
])(
  'a call that is answered with %s is told apart from a lost connection',
  async (_what, { status = 200, type, body }, says) => {
    const result = await resultOf((response) => {
      response.writeHead(status, type === undefined ? {} : { 'content-type': type }).end(body);
    });
    expect(result).toContain(`gave no usable answer: ${says}`);
    expect(result).toContain('It may have done a part of its work');
    expect(result).not.toContain('was lost');
  },
);

test('a call that is answered with HTTP 403 was not taken', async () => {
  const result = await resultOf((response) => response.writeHead(403).end('no'));
  expect(result).toContain(`did not take the call: ${mcpWords.en.status({ status: 403 }).split(':')[0]}`);
});

test.each([
  [404, 'no'],
  [400, 'Bad request: no valid session ID'],
])('a call in a session that the server has forgotten (HTTP %i) is made in a new one', async (status, words) => {
  let calls = 0;
  const result = await resultOf((response, id) => {
    calls += 1;
    if (calls === 1) response.writeHead(status).end(words);
    else {
      const content = [{ type: 'text', text: 'hello' }];
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
    }
  });
  expect(result).toBe('hello');
});

test('a call whose connection breaks is told as lost', async () => {
  const result = await resultOf((response) => response.destroy());
  expect(result).toContain('was lost while it worked');
});

test('a part of a result that nobody knows becomes a note, and the rest is read, over HTTP, too', async () => {
  const result = await resultOf((response, id) => {
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'hologram', data: 'AAEC' },
    ];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content } }));
  });
  expect(result).toContain('Look:');
  expect(result).toContain('a part of the kind "hologram"');
});

/** A way to a server that has been asked for something, and answers so. */
async function askedOf(answer: (response: ServerResponse) => void) {
  const port = await serving((_request, response) => {
    answer(response);
  });
  const clock = new ManualClock();
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  const parts = { config: wholeSchema().parse({}), library: await loadLibrary(), clock, log: silentLog };
  const endpoint = await httpEndpoint(url, { headers: {}, allow_private: false }, parts).open();
  const { transport } = endpoint;
  onTestFinished(async () => {
    const passing = setInterval(() => clock.advance(100), 1);
    await endpoint.close();
    clearInterval(passing);
  });
  let count = 0;
  transport.onmessage = () => {
    count += 1;
  };
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => resolve();
  });
  await transport.start();
  await transport.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  return { endpoint, clock, heard: () => count, closed };
}

const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'note' })}\n\n`;

test('a server that sends very many events is read a part at a time, and loses nothing', async () => {
  const { clock, heard } = await askedOf((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event.repeat(2_000));
  });
  await clock.waitsFor(100);
  expect(heard()).toBeLessThan(300);
  await waitUntil(
    async () => {
      clock.advance(100);
      return heard() === 2_000;
    },
    { what: 'all events' },
  );
});

test('a server that floods us for half a minute is left, and it is said why', async () => {
  const { endpoint, clock, closed } = await askedOf((response) => {
    const pour = (): void => {
      while (!response.destroyed && response.write(':\n'.repeat(10_000)));
      response.once('drain', pour);
    };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    pour();
  });
  const passing = setInterval(() => clock.advance(100), 1);
  onTestFinished(() => clearInterval(passing));
  await closed;
  expect(wordsIn('en', endpoint.why() ?? '')).toBe(mcpWords.en.closedForFlood({ seconds: 30 }));
});

test('a server that wants its stream opened again at once is asked four times a second at most', async () => {
  let asked = 0;
  const { clock } = await askedOf((response) => {
    asked += 1;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata: \n\n');
  });
  await clock.waitsFor(250);
  expect(asked).toBe(1);
});
