import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mcpWords } from '../../../src/features/mcp/words.ts';
import { cardParts } from '../../../src/lib/card-parts.ts';
import type { JsonValue } from '../../../src/lib/json.ts';
import { boxSetting, endedWithTime, mcpSetting, toldOf } from '../../support/mcp/mcp-setting.ts';
import { definition, serverFolder } from '../../support/mcp/server-folder.ts';
import { call, resultsOf } from '../../support/scripted-model.ts';
import { useTool } from '../../support/use-tool.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { serverDown } from './servers/server-down.ts';

describe('an MCP server of the config', () => {
  test('brings its tools, page by page, under names that begin with its own', async () => {
    const { setting } = await boxSetting(['echo', 'env', 'family']);
    const said = await useTool(setting, 'box_echo', { a: 1 });
    expect(JSON.parse(said)).toEqual({ tool: 'echo', args: { a: 1 } });
    expect(toldOf(setting)).toEqual(expect.arrayContaining(['box_echo', 'box_env', 'box_family']));
  });

  test('sees its own variables and the harmless ones, and nothing else', async () => {
    const { setting } = await boxSetting(['env'], { env: { GREETING: 'hello' } });
    const seen: unknown = JSON.parse(await useTool(setting, 'box_env', {}));
    expect(seen).toMatchObject({ GREETING: 'hello', PATH: process.env.PATH });
    const own = ['GREETING', 'KEYTURN_CALL', 'KEYTURN_OWNER', 'PATH'];
    expect(
      Object.keys(Object(seen))
        .filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))
        .sort(),
    ).toEqual(own);
  });

  test('ends with the daemon, and all that it started with it', async () => {
    const { setting } = await boxSetting(['family']);
    const ids = (await useTool(setting, 'box_family', {})).split(' ').map(Number);
    expect(ids.every(isAlive)).toBe(true);
    await endedWithTime(setting);
    await waitUntil(() => !ids.some(isAlive), { what: 'the processes to be gone' });
  });

  test('may be one that ends when it is greeted in a way that it does not know', async () => {
    const { server, setting } = await boxSetting(['echo'], {}, 'ends-when-probed');
    expect(await useTool(setting, 'box_echo', {})).toContain('echo');
    expect(server.heard.slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  test('that is not there costs nothing but its tools, is said in /status, and is tried again', async () => {
    const server = await serverFolder(definition('echo'));
    const script = join(server.path, 'server');
    const { setting, channel, clock } = await mcpSetting({ box: { ...server.config(), command: script, args: [] } });
    await channel.ask('hello', 'echo: ');
    await channel.ask('/status', serverDown('box', '.*exit code 12[67].*'));
    const { args } = server.config();
    const words = [process.execPath, ...(Array.isArray(args) ? args : [])].map((word) => `'${word}'`).join(' ');
    await writeFile(script, `#!/bin/sh\nexec ${words}\n`, { mode: 0o755 });
    await waitUntil(() => clock.waits.some((wait) => wait >= 750 && wait <= 1_000));
    clock.advance(1_000);
    await server.hears('tools/list');
    await useTool(setting, 'box_echo', {});
    channel.clear();
    expect((await channel.ask('/status', 'is up for')).text).not.toContain('not connected');
  });

  test('that never answers holds up neither the start nor the end', async () => {
    const { setting, channel, clock } = await mcpSetting({ box: { command: 'sleep', args: ['1000'] } });
    const begun = channel.say('hello');
    await clock.waitsFor(2_000);
    clock.advance(2_000);
    await begun;
    await channel.sees('echo: hello');
    const passing = setInterval(() => clock.advance(20), 10);
    const before = clock.now();
    await setting.stop();
    clearInterval(passing);
    expect(clock.now() - before).toBeLessThan(4_000);
  });

  test('of whose tools one is malformed brings all others, and that is said in /status', async () => {
    const bad = [{ name: 'bad', inputSchema: 'none' }, { inputSchema: { type: 'object' } }, 'nonsense', null];
    const { setting } = await boxSetting(['echo', ...bad.map(Object), 'env']);
    expect(await useTool(setting, 'box_echo', {})).toContain('echo');
    expect(toldOf(setting).filter((name) => name.startsWith('box'))).toEqual(['box_echo', 'box_env']);
    await setting.channel.say('/status');
    await setting.channel.sees(
      mcpWords.en
        .leftOut({ server: 'box', tools: [{ tool: 'bad', why: mcpWords.en.noSchema }], more: 3 })
        .replace(/, and 3 more.*/, ', "one without'),
    );
  });

  test('that answers with a part of an unknown kind, or a malformed one, has the rest read', async () => {
    const { setting } = await boxSetting(['show']);
    const content: readonly JsonValue[] = [
      { type: 'text', text: 'first' },
      { type: 'hologram', data: 'x' },
      { type: 'image' },
      7,
    ];
    const said = await useTool(setting, 'box_show', { content: [...content, { type: 'text', text: 'last' }] });
    expect(said).toMatch(/^first\n\n\[Here the server sent a part of the kind "hologram".*last$/s);
    expect(said).toContain('a part of the kind "image"');
    expect(said).toContain('a part without a kind');
  });

  test('that cannot be started says why', async () => {
    const setting = await mcpSetting(
      { nowhere: { command: 'x', cwd: '/nowhere' }, safe: { command: 'x', cwd: '/tmp', sandbox: true } },
      { sandbox: { holds: false, reason: 'the test has none' } },
    );
    await setting.channel.ask('hello', 'echo: hello');
    const { text } = await setting.channel.ask('/status', 'is up for');
    expect(text).toContain(
      mcpWords.en.isDown({ name: 'nowhere', why: mcpWords.en.noStart({ folder: '/nowhere', code: 'ENOENT' }) }),
    );
    expect(text).toContain(mcpWords.en.noSandbox({ reason: 'the test has none' }));
  });

  test('is never one that stands in the workspace', async () => {
    const server = await serverFolder(definition('echo'));
    const setting = await mcpSetting({});
    const own = { mcpServers: { box: server.config() } };
    for (const name of ['.mcp.json', 'mcp.json', '.cursor/mcp.json']) await setting.write(name, JSON.stringify(own));
    await setting.restart();
    await setting.channel.ask('hello', 'echo: ');
    expect(toldOf(setting).filter((name) => name.startsWith('box'))).toEqual([]);
    expect(existsSync(join(server.path, 'pid'))).toBe(false);
  });
});

describe('a call of an MCP tool', () => {
  test('is asked for, since it may write somewhere, unless the operator says what it touches', async () => {
    const server = await serverFolder(definition('echo', { annotations: { readOnlyHint: true } }), definition('env'));
    const { category: _, ...undecided } = server.config();
    const setting = await mcpSetting({ box: undecided });
    setting.model.next([call('box_echo', { a: 1 })]);
    const card = await setting.channel.cardFor('use it');
    expect(card.text).toContain('Tool `box_echo`, category `network_write`');
    expect(server.heard).not.toContain('tools/call');
    await setting.channel.press(card);
    await server.hears('tools/call');
  });

  test('has a card in words, which says that nobody knows what the program touches', async () => {
    const server = await serverFolder(definition('createIssue'));
    const { category: _, ...undecided } = server.config();
    const setting = await mcpSetting({ box: undecided });
    setting.model.next([call('box_createIssue', { owner: 'ada', title: 'A bug', body: 'It breaks.' })]);
    const { text } = await setting.channel.cardFor('use it');
    const told = cardParts(text).shown.split('\n');
    expect(told[0]).toContain('**Call `create issue` of `box` with title `A bug`, owner `ada` and 1 more?**');
    expect(told).toContain(mcpWords.en.guessed);
  });

  test('shows on its card what the server reports', async () => {
    const { setting } = await boxSetting(['wait']);
    setting.model.next([call('box_wait', {})]);
    await setting.channel.say('wait');
    await waitUntil(() => setting.channel.statuses.some(({ tip }) => tip === 'digging (1 of 3)'));
    await setting.channel.sayAtRest('/stop');
  });

  test('is cancelled at the server by /stop', async () => {
    const { server, setting } = await boxSetting(['wait']);
    setting.model.next([call('box_wait', {})]);
    await setting.channel.say('wait');
    await server.hears('tools/call');
    await setting.channel.say('/stop');
    await server.hears('notifications/cancelled');
    await setting.channel.whenIdle();
    expect(setting.rows('SELECT outcome FROM calls')).toEqual([{ outcome: 'cancelled' }]);
  });

  test('that reports nothing for its time is given up, and the server is told', async () => {
    const { server, setting } = await boxSetting(['wait', 'echo'], { timeout_secs: 10 });
    setting.model.next([call('box_wait', {})]);
    await setting.channel.say('wait');
    await waitUntil(() => setting.channel.statuses.some(({ tip }) => tip === 'digging (1 of 3)'));
    setting.clock.advance(10_000);
    const request = await setting.model.asked(2);
    expect(resultsOf(request)[0]).toContain('The MCP server box reported nothing for 10 s');
    await server.hears('notifications/cancelled');
    const { pid } = server;
    expect(await useTool(setting, 'box_echo', {})).toContain('echo');
    expect(server.pid).toBe(pid);
  });

  test('may take as long as it wants while it reports something', async () => {
    const { server, setting } = await boxSetting(['wait'], { timeout_secs: 10 });
    const reported = (tip: string) => waitUntil(() => setting.channel.statuses.some((status) => status.tip === tip));
    setting.model.next([call('box_wait', {})]);
    await setting.channel.say('wait');
    await reported('digging (1 of 3)');
    setting.clock.advance(9_000);
    server.report();
    await reported('digging (2 of 3)');
    setting.clock.advance(9_000);
    server.report();
    await reported('digging (3 of 3)');
    expect(setting.model.requests).toHaveLength(1);
    setting.clock.advance(10_000);
    expect(resultsOf(await setting.model.asked(2))[0]).toContain('reported nothing for 10 s');
  });

  test('in which the server crashes says so, and the next one finds it started again', async () => {
    const { server, setting } = await boxSetting(['crash', 'echo']);
    const said = await useTool(setting, 'box_crash', {});
    expect(said).toMatch(/^The connection to the MCP server box was lost while it worked: .* exit code 3/);
    expect(said).toContain('boom');
    expect(await useTool(setting, 'box_echo', {})).toContain('echo');
    expect(server.heard.filter((method) => method === 'initialize')).toHaveLength(2);
    expect(server.messages.filter(({ params }) => params?.name === 'crash')).toHaveLength(1);
  });

  test('in which the server hangs is given up, and the server is killed and started again', async () => {
    const { server, setting } = await boxSetting(['hang', 'echo'], { timeout_secs: 10 });
    setting.model.next([call('box_hang', {})]);
    await setting.channel.say('hang');
    await server.hears('tools/call');
    const { pid } = server;
    setting.clock.advance(10_000);
    expect(resultsOf(await setting.model.asked(2))[0]).toContain('reported nothing for 10 s');
    const passing = setInterval(() => setting.clock.advance(100), 10);
    await waitUntil(() => !isAlive(pid), { what: 'the process to be killed' });
    clearInterval(passing);
    expect(await useTool(setting, 'box_echo', {})).toContain('echo');
  });

  test('is not made where the arguments do not fit what the server wants', async () => {
    const inputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    const { server, setting } = await boxSetting([definition('echo', { inputSchema })]);
    expect(await useTool(setting, 'box_echo', { count: 'many' })).toContain(
      '- count: expected a whole number, got "many"',
    );
    expect(JSON.parse(await useTool(setting, 'box_echo', { count: '3' }))).toMatchObject({ args: { count: 3 } });
    expect(server.heard.filter((method) => method === 'tools/call')).toHaveLength(1);
  });
});

function isAlive(id: number): boolean {
  try {
    // A zombie is gone; only its parent still has to notice.
    return !readFileSync(`/proc/${id}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
}
