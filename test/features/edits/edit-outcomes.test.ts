import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { daemonWords } from '../../../src/daemon/words.ts';
import { rightWords } from '../../../src/features/edits/rights/words.ts';
import { editWords } from '../../../src/features/edits/words.ts';
import { type DaemonSetting, daemonSetting } from '../../support/daemon-setting.ts';
import { closeServer, freePort, listenOnLoopback } from '../../support/loopback.ts';
import { anything, sayingOnly } from '../../support/saying.ts';
import { TestChannel } from '../../support/test-channel.ts';
import { waitUntil } from '../../support/wait-for.ts';

type Keys = Readonly<Record<string, unknown>>;

const { configChanged, allowsMore, allowsLess, doesNotWork, mayBeMistake } = editWords.en;

const right = { name: '', place: '', key: '' };

/** A daemon whose owner has a chat of their own. */
async function ownersSetting(config: Keys = {}): Promise<DaemonSetting> {
  const setting = await daemonSetting({ config });
  // Time passes once the test is over: processes are given some to end by themselves.
  onTestFinished(async () => {
    const pump = setInterval(() => setting.clock.advance(25), 5);
    await setting.stop().finally(() => clearInterval(pump));
  });
  await setting.channel.ask('hello', 'echo: hello');
  return setting;
}

/** Lets time pass for the rest of the test. */
function letPass({ clock }: DaemonSetting): void {
  const pump = setInterval(() => clock.advance(25), 5);
  onTestFinished(() => clearInterval(pump));
}

/** A server that takes connections, and answers nothing. */
async function silentPort(): Promise<number> {
  const server = createServer(() => {});
  onTestFinished(() => closeServer(server));
  return listenOnLoopback(server);
}

/** What owners are told of an edit. */
async function noticeOf(config: Keys, before: Keys = {}): Promise<string> {
  const setting = await ownersSetting(before);
  letPass(setting);
  await setting.edit({ ...before, ...config });
  return (await setting.channel.sees(configChanged)).text;
}

const server = (more: Keys) => ({ mcp_servers: { a: more } });
const hook = (command: string) => ({ hooks: { before_tool_call: [{ command }] } });
const model = (base_url: string) => ({ models: { m: { provider: 'openai_compatible', name: 'x', base_url } } });

test.each<[what: string, config: Keys, says: RegExp, saysNot: RegExp]>([
  [
    'an MCP server whose program is missing',
    server({ command: 'no-such-program-x' }),
    /- The MCP server a is not connected: .*not found/,
    /is now in the config/,
  ],
  [
    'a file of tools that is missing',
    { tool_modules: ['/nope/mine.ts'] },
    /- The file of tools \/nope\/mine\.ts: it does not exist/,
    /may now bring tools/,
  ],
  [
    'plugins without their folder',
    { plugins: { enabled: true, plugin_dirs: ['/nope/plugins'] } },
    /- plugins\.plugin\\?_dirs: there is no folder \/nope\/plugins/,
    /plugins are now looked for$/m,
  ],
  [
    'a hook whose program is missing',
    hook('no-such-hook-x'),
    /before\\?_tool\\?_call.{1,2}0.{1,2}\.command: there is no program "no-such-hook-x"/,
    /asked before/,
  ],
  [
    'a custom tool whose program is missing',
    { custom_tools: [{ name: 'mine', description: 'x', command: 'no-such-tool-x' }] },
    /there is no program "no-such-tool-x"/,
    /is now there/,
  ],
])('of %s, owners are told that it does not work', async (_what, config, says, saysNot) => {
  const text = await noticeOf(config);
  expect(text).toContain(doesNotWork);
  expect(text).toMatch(says);
  expect(text).not.toMatch(saysNot);
});

test('of a gateway whose port is taken, owners are told that, and of one that listens, that it is on', async () => {
  const port = await silentPort();
  const setting = await ownersSetting();
  await setting.edit({ gateway: { enabled: true, port } });
  const { text } = await setting.channel.sees(configChanged);
  expect(text).toMatch(
    sayingOnly(`${configChanged}\n\n${doesNotWork}\n- The gateway ${anything}127.0.0.1:${port}${anything}`),
  );
  setting.channel.clear();
  await setting.edit({});
  await setting.channel.sees('the gateway is no longer on');
  setting.channel.clear();
  await setting.edit({ gateway: { enabled: true, port: 0 } });
  expect((await setting.channel.sees(configChanged)).text).toBe(
    `${configChanged}\n\n${allowsMore}\n- the gateway is now on`,
  );
});

test.each<[what: string, config: (address: string) => Keys]>([
  ['a model', (address) => model(address)],
  ['transcription', (address) => ({ transcription: { name: 'x', base_url: address } })],
  ['a search engine', (address) => ({ tools: { web_search: { engine: 'searxng', base_url: address } } })],
])('of %s at an address of this machine where nothing listens, owners are told that', async (_what, config) => {
  const address = `http://127.0.0.1:${await freePort()}`;
  expect(await noticeOf(config(address))).toContain(`nothing listens at ${address}`);
  const listening = `http://127.0.0.1:${await silentPort()}`;
  const setting = await ownersSetting();
  await setting.edit({ ...config(listening), pairing: { enabled: false } });
  expect((await setting.channel.sees(configChanged)).text).not.toContain('does not work');
});

test('of a channel that its platform refuses, owners are told that it does not work', async () => {
  const channels = (enabled: boolean) => ({ channels: { other: { enabled } } });
  const setting = await daemonSetting({ config: channels(false), moreChannels: [{ name: 'other' }] });
  await setting.channel.ask('hello', 'echo: hello');
  const other = new TestChannel({ name: 'other' });
  other.sessions.health = { status: 'dead', reason: 'The token is wrong.' };
  await setting.edit(channels(true), { made: new Map([['other', other]]) });
  expect((await setting.channel.sees(configChanged)).text).toBe(
    `${configChanged}\n\n${doesNotWork}\n- ${daemonWords.en.channelFails({ channel: 'other', reason: 'The token is wrong.' })}`,
  );
});

test('of a server that never answers, owners are told after ten seconds that it is still starting', async () => {
  const setting = await ownersSetting();
  await setting.edit({
    ...server({ url: `http://127.0.0.1:${await silentPort()}` }),
    owners: ['test:ada', 'test:bob'],
  });
  await setting.channel.whenIdle();
  expect(setting.channel.textsIn('test:ada').join()).not.toContain(configChanged);
  await setting.clock.advance(10_000);
  const { text } = await setting.channel.sees(configChanged);
  expect(text).toContain('`test:bob` is now an owner');
  expect(text).toContain(`${doesNotWork}\n- mcp\\_servers.a is still starting.`);
});

test('what an edit did not touch is not told, even if it does not work', async () => {
  const before = { ...server({ command: 'no-such-program-x' }), tool_modules: ['/nope/mine.ts'] };
  const text = await noticeOf({ pairing: { enabled: false } }, before);
  expect(text).toBe(`${configChanged}\n\n${allowsLess}\n- ${rightWords.en.pairing({ ...right, isSo: false })}`);
});

test('what of an edit may be a mistake is told with it, but not what was so before', async () => {
  const setting = await ownersSetting();
  const warned = (...warnings: readonly string[]) => ({ warnings });
  await setting.edit({}, warned('old is odd.'));
  await setting.edit({}, warned('old is odd.', 'new is odd.'));
  expect((await setting.channel.sees('new is odd.')).text).toBe(`${configChanged}\n\n${mayBeMistake}\n- new is odd.`);
});

test('an edit that does work after all is told as such', async () => {
  const setting = await ownersSetting();
  const folder = setting.folder;
  const program = join(folder, 'hook.sh');
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 });
  await setting.edit(hook(program));
  const { text } = await setting.channel.sees(configChanged);
  expect(text).toBe(`${configChanged}\n\n${allowsLess}\n- ${rightWords.en.hookBefore({ ...right, isSo: true })}`);
  await waitUntil(async () => setting.rows(`SELECT 1 FROM audit WHERE kind = 'config-changed'`).length > 0);
});
