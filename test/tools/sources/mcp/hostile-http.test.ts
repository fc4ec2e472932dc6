import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../../../support/loopback.ts';
import { mcpSetting } from '../../../support/mcp/mcp-setting.ts';

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
  await setting.channel.say('hello');
  await setting.channel.sees('echo: hello');
  await setting.channel.say('/status');
  return (await setting.channel.sees('is up for')).text;
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
  expect(said).toContain('The MCP server web is not connected');
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
  expect(said).toContain('The MCP server web is not connected');
  expect(asked).toEqual([]);
});

test('a server that answers with a page, and with what we have told it, is said without both', async () => {
  const said = await troubleWith((request, response) => {
    response.writeHead(500, { 'content-type': 'text/html' });
    response.end(`<h1>No</h1> ${request.headers.authorization}`);
  });
  expect(said).toContain('The MCP server web is not connected: it answered with HTTP 500');
  expect(said).not.toContain('top-secret-value');
  expect(said).not.toContain('<h1>');
});
