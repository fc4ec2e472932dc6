import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { closeServer, listenOnLoopback } from '../../support/loopback.ts';
import { newFolder } from '../../support/new-folder.ts';
import { noTool } from '../../support/no-tool.ts';
import { RecordingTool } from '../../support/recording-tool.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { letPass } from './hooks/hook-setting.ts';
import { mcpSetting, toldOf } from './mcp-servers/mcp-setting.ts';
import { copyPlugin, processesWith } from './plugin/plugin-setting.ts';

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

test('a hook that an edit adds looks at the next call, and no more when it is taken away', async () => {
  const look = new RecordingTool('look', 'memory');
  const setting = await mcpSetting({}, { tools: [look.registration] });
  const command = `echo '{"decision":"cancel","reason":"not today"}'`;
  await setting.edit({ hooks: { before_tool_call: [{ command }] } });
  expect(await useTool(setting, 'look', { what: 'it' })).toContain('not today');
  await setting.edit({});
  expect(await useTool(setting, 'look', { what: 'it' })).toContain('done: it');
  expect(look.executed).toEqual(['it']);
});

test('plugins are switched on by an edit, and leave nothing running when they are switched off', async () => {
  const folder = await newFolder();
  await copyPlugin('dice', folder);
  const setting = await mcpSetting({});
  setting.model.otherwise(async () => 'noted');
  await setting.channel.say('hi');
  const plugins = { enabled: true, plugin_dirs: [folder] };
  await setting.edit({ plugins });
  const { text } = await setting.channel.sees('The plugin `dice` is new here');
  await setting.channel.ask(`/trust ${/\/trust ([a-z0-9]+)/.exec(text)?.[1]}`, 'Trusted: the plugin');
  letPass(setting.clock);
  await waitUntil(async () => /[1-6]/.test(await useTool(setting, 'roll_dice', { count: 1 })));
  expect(await processesWith(folder)).toHaveLength(1);
  const running = await processesWith(folder);
  const other = await newFolder();
  await copyPlugin('once', other);
  const both = { ...plugins, plugin_dirs: [folder, other] };
  await setting.edit({ plugins: both, agent: { instructions: 'Be brief.' } });
  await setting.channel.sees('The plugin `once` is new here');
  await setting.edit({ plugins: { ...both, blocked_plugins: ['once'] } });
  expect(running).toHaveLength(1);
  expect(await processesWith(folder)).toEqual(running);
  await setting.edit({ plugins: { ...both, blocked_plugins: ['dice'] } });
  await waitUntil(async () => (await processesWith(folder)).length === 0);
  await setting.edit({ plugins });
  await waitUntil(async () => /[1-6]/.test(await useTool(setting, 'roll_dice', { count: 1 })));
  await setting.edit({});
  await waitUntil(async () => (await processesWith(folder)).length === 0);
  expect(await useTool(setting, 'roll_dice', { count: 1 })).toContain(noTool('roll_dice'));
});
