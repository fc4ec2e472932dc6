import { expect, test } from 'vitest';
import type { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import { offeredCommands } from '../../support/offered-commands.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';

const german = { commands: { de: { stop: 'Anhalten' } } };

const approve = offeredCommands.find(({ name }) => name === 'approve');
const announced = (server: TelegramServer) => server.callsOf('setMyCommands').filter(({ status }) => status === 200);

test('all commands are announced to everyone, in Chinese, and in each language of the config', async () => {
  const { server, connect } = await openBench();
  await connect(german, new RecordingHost());
  await server.waitFor(() => announced(server).length === 3);
  const [all, zh, de] = announced(server).map(({ params }) => params);
  expect(all).not.toHaveProperty('language_code');
  expect(zh).toHaveProperty('language_code', 'zh');
  expect(de).toHaveProperty('language_code', 'de');
  for (const menu of [all, zh, de]) {
    expect(menu?.commands).toMatchObject(offeredCommands.map(({ name }) => ({ command: name })));
  }
  const stop = { command: 'stop', description: 'Anhalten' };
  expect(de?.commands).toContainEqual(stop);
  expect(all?.commands).not.toContainEqual(stop);
  expect(all?.commands).toContainEqual({ command: 'approve', description: `${approve?.description}: /approve ID` });
  expect(zh?.commands).toContainEqual({ command: 'approve', description: '批准等待中的工具调用：/approve 编号' });
});

test('the config can put a description in the place of ours', async () => {
  const { server, connect } = await openBench();
  await connect({ commands: { zh: { stop: '停下' } } });
  await server.waitFor(() => announced(server).length === 2);
  const zh = announced(server).at(-1)?.params;
  expect(zh?.commands).toContainEqual({ command: 'stop', description: '停下' });
  expect(zh?.commands).toContainEqual({ command: 'people', description: '查看谁可以和我对话' });
});

test('a description of a command that there is not is noted, with the one that was meant', async () => {
  const { server, host, connect } = await openBench();
  await connect({ commands: { de: { stopp: 'Anhalten' } } });
  await server.waitFor(() => announced(server).length === 3);
  expect(host.logged.join()).toMatch(/"command":"stopp","meant":"stop"/);
});

test('what fails for now is announced again, ever more seldom', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: 'drop-after', times: 1 });
  server.fault({ method: 'setMyCommands', kind: 'status', status: 500, times: 1 });
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 17, times: 1 });
  await connect(german);
  await connected(host);
  for (const wait of [1_000, 2_000, 17_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 3);
  expect(server.callsOf('setMyCommands')).toHaveLength(6);
});

test('a platform that says "at once" each time is believed less and less', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 0, times: 4 });
  await connect();
  await connected(host);
  for (const wait of [1_000, 2_000, 4_000, 8_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 2);
});

test('a menu that is refused does not keep the others back', async () => {
  const { server, host, connect } = await openBench();
  const when = ({ language_code }: Readonly<Record<string, unknown>>): boolean => language_code === 'xx';
  server.fault({ method: 'setMyCommands', kind: 'status', status: 400, description: 'Bad Request: no', when });
  await connect({ commands: { xx: {}, de: {} } });
  await server.waitFor(() => announced(server).length === 3);
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
