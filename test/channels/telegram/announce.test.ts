import { expect, test } from 'vitest';
import type { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import { offeredCommands } from '../../support/offered-commands.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';

const german = { commands: { de: { stop: 'Anhalten' } } };

const approve = offeredCommands.find(({ name }) => name === 'approve');
const announced = (server: TelegramServer) => server.callsOf('setMyCommands').filter(({ status }) => status === 200);
/** The names that stand in a menu, as a person of that chat and language sees it. */
const menuOf = (server: TelegramServer, scope: object, language?: string): readonly string[] | undefined => {
  const call = announced(server).findLast(
    ({ params }) => JSON.stringify(params.scope) === JSON.stringify(scope) && params.language_code === language,
  );
  const commands: unknown = call?.params.commands;
  return Array.isArray(commands) ? commands.map(({ command }) => command) : undefined;
};
const everybody = { type: 'default' };
const groups = { type: 'all_group_chats' };
const chatOf = (chat_id: number) => ({ type: 'chat', chat_id });
const forAll = ['stop', 'approve', 'language'];

test('friends, groups and each owner have menus of their own, in each language, with what is used most first', async () => {
  const { server, clock, connect } = await openBench();
  server.addChat(42);
  const host = new RecordingHost(clock);
  host.owners = ['42'];
  await connect(german, host);
  await server.waitFor(() => announced(server).length === 9);
  for (const language of [undefined, 'zh', 'de']) {
    expect(menuOf(server, everybody, language)).toEqual(forAll);
    expect(menuOf(server, groups, language)).toEqual(['stop', 'approve']);
    expect(menuOf(server, chatOf(42), language)).toEqual([...forAll, 'people']);
  }
  const [all, zh, de] = announced(server).map(({ params }) => params);
  const stop = { command: 'stop', description: 'Anhalten' };
  expect(de?.commands).toContainEqual(stop);
  expect(all?.commands).not.toContainEqual(stop);
  expect(all?.commands).toContainEqual({ command: 'approve', description: `${approve?.description}: /approve ID` });
  expect(zh?.commands).toContainEqual({ command: 'approve', description: '批准等待中的工具调用：/approve 编号' });
});

test('the menus of owners follow them: who becomes one has it, who is none any more has that of everybody', async () => {
  const { server, clock, connect } = await openBench();
  for (const id of [42, 43]) server.addChat(id);
  const host = new RecordingHost(clock);
  host.owners = ['42'];
  await connect({}, host);
  await server.waitFor(() => announced(server).length === 6);
  host.owners = ['43'];
  server.say(43, 'hello');
  await server.waitFor(() => announced(server).length === 8 && server.callsOf('deleteMyCommands').length === 2);
  expect(menuOf(server, chatOf(43))).toContain('people');
  expect(server.callsOf('deleteMyCommands').map(({ params }) => params.scope)).toEqual([chatOf(42), chatOf(42)]);
});

test('an owner who has never written to the bot is tried again later, and nobody is told', async () => {
  const { server, clock, connect } = await openBench();
  const host = new RecordingHost(clock);
  host.owners = ['42', 'nobody'];
  await connect({}, host);
  await server.waitFor(() => server.callsOf('getMyCommands').some(({ status }) => status === 400));
  server.say(43, 'hello');
  await host.hears('hello');
  expect(host.logged.join()).not.toContain('refuses the menu');
  expect(server.callsOf('getMyCommands').filter(({ status }) => status === 400)).toHaveLength(1);
  server.addChat(42);
  const meanwhile = (): void => clock.advance(60_000);
  await waitUntil(() => menuOf(server, chatOf(42)) !== undefined, { meanwhile });
});

test('a menu that stands there already is not written again', async () => {
  const { server, connect } = await openBench();
  const first = await connect();
  await server.waitFor(() => announced(server).length === 4);
  await first.stop();
  await connect();
  await server.waitFor(() => server.callsOf('getMyCommands').length === 8);
  expect(announced(server)).toHaveLength(4);
});

test('the config can put a description in the place of ours', async () => {
  const { server, connect } = await openBench();
  await connect({ commands: { zh: { stop: '停下' } } });
  await server.waitFor(() => announced(server).length === 4);
  const zh = announced(server).at(-1)?.params;
  expect(zh?.commands).toContainEqual({ command: 'stop', description: '停下' });
  expect(zh?.commands).toContainEqual({ command: 'approve', description: '批准等待中的工具调用：/approve 编号' });
});

test('a description of a command that there is not is noted, with the one that was meant', async () => {
  const { server, host, connect } = await openBench();
  await connect({ commands: { de: { stopp: 'Anhalten' } } });
  await server.waitFor(() => announced(server).length === 6);
  expect(host.logged.join()).toMatch(/"command":"stopp","meant":"stop"/);
});

test('what fails for now is announced again, ever more seldom', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: 'drop-before', times: 1 });
  server.fault({ method: 'setMyCommands', kind: 'status', status: 500, times: 1 });
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 17, times: 1 });
  await connect(german);
  await connected(host);
  for (const wait of [1_000, 2_000, 17_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 6);
  expect(server.callsOf('setMyCommands')).toHaveLength(9);
});

test('a platform that says "at once" each time is believed less and less', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 0, times: 4 });
  await connect();
  await connected(host);
  for (const wait of [1_000, 2_000, 4_000, 8_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 4);
});

test('a menu that is refused does not keep the others back', async () => {
  const { server, host, connect } = await openBench();
  const when = ({ language_code }: Readonly<Record<string, unknown>>): boolean => language_code === 'xx';
  server.fault({ method: 'setMyCommands', kind: 'status', status: 400, description: 'Bad Request: no', when });
  await connect({ commands: { xx: {}, de: {} } });
  await server.waitFor(() => announced(server).length === 6);
  await waitUntil(() => host.logged.join().includes('refuses the menu'));
});

test('stopping ends the tries', async () => {
  const { server, clock, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: 'status', status: 500 });
  const adapter = await connect();
  await waitUntil(() => clock.waits.includes(1_000));
  await adapter.stop();
  expect(clock.waits).toEqual([]);
});
