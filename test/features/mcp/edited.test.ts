import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { mcpSetting, toldOf } from '../../support/mcp/mcp-setting.ts';
import { noTool } from '../../support/no-tool.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';

/** MCP servers, by their paths, each with one tool, whose calls may never end; and which of them were greeted, in order. */
async function servers(hangAt?: () => void) {
  const greeted: string[] = [];
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    const { id, method, params = {} } = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
    const answer = (result: object): void => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (id === undefined) return response.writeHead(202).end();
    if (method === 'tools/list') {
      return answer({ tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] });
    }
    if (method === 'tools/call' && hangAt !== undefined) return hangAt();
    if (method !== 'initialize') return answer({ content: [{ type: 'text', text: `seen: ${name}` }] });
    greeted.push(name);
    answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name, version: '1' },
    });
  });
  onTestFinished(() => closeServer(server));
  const port = await listenOnLoopback(server);
  const at = (path: string, more: object = {}) => ({
    url: `http://127.0.0.1:${port}/${path}`,
    category: 'memory',
    ...more,
  });
  return { greeted, at };
}

test('an MCP server that an edit adds, changes or takes away is connected or left alone, and the others are not touched', async () => {
  const { greeted, at } = await servers();
  const { setting, channel } = await mcpSetting({ one: at('a') });
  const told = async (): Promise<readonly string[]> => {
    await channel.sayAtRest('hi');
    return toldOf(setting).filter((name) => name.endsWith('_look'));
  };
  await waitUntil(async () => (await told()).includes('one_look'));
  await setting.edit({ mcp_servers: { one: at('a'), two: at('b') } });
  await waitUntil(async () => (await told()).includes('two_look'));
  expect(await useTool(setting, 'two_look', {})).toContain('seen: b');
  await setting.edit({ mcp_servers: { one: at('a'), two: at('c') } });
  await waitUntil(async () => (await useTool(setting, 'two_look', {})).includes('seen: c'));
  await setting.edit({ mcp_servers: { one: at('a') } });
  expect(await told()).toEqual(['one_look']);
  expect(await useTool(setting, 'two_look', {})).toContain(noTool('two_look'));
  expect(greeted).toEqual(['a', 'b', 'c']);
});

test('an MCP server that never answers holds up no further edit', async () => {
  const { at } = await servers();
  const silent = createServer(() => {});
  onTestFinished(() => closeServer(silent));
  const hole = { url: `http://127.0.0.1:${await listenOnLoopback(silent)}` };
  const setting = await mcpSetting({});
  await setting.edit({ mcp_servers: { hole } });
  await setting.edit({ mcp_servers: { hole, one: at('a') } });
  await waitUntil(async () => (await useTool(setting, 'one_look', {})).includes('seen: a'));
});

test.each<[string, 'approval' | 'call']>([
  ['an approval of its tool waits, does not run it', 'approval'],
  ['its tool runs, has that call fail, and the run goes on', 'call'],
])('an MCP server that is taken away while %s', async (_what, when) => {
  const called = Promise.withResolvers<void>();
  const { at } = await servers(() => called.resolve());
  const { setting, channel, model } = await mcpSetting({
    one: at('a', when === 'approval' ? { category: 'shell' } : {}),
  });
  await waitUntil(async () => {
    await channel.sayAtRest('hi');
    return toldOf(setting).includes('one_look');
  });
  const before = model.requests.length;
  model.next([call('one_look', {})], 'That is all.');
  await channel.say('look');
  const card = when === 'approval' ? await channel.card() : await called.promise;
  await setting.edit({ mcp_servers: {} });
  if (card !== undefined) await channel.press(card);
  await channel.sees('That is all.');
  expect(resultsOf(await model.asked(before + 2))).not.toEqual([expect.stringContaining('seen: ')]);
});
