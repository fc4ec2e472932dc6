import { expect, test } from 'vitest';
import type { TelegramServer } from '../../../packages/fakes/src/telegram-server.ts';
import { commandMenu } from '../../../src/contract.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { connected, openBench, pass } from './bench.ts';

const german = { commands: { de: { stop: 'Anhalten' } } };

const announced = (server: TelegramServer) => server.callsOf('setMyCommands').filter(({ status }) => status === 200);

test('all commands are announced to everyone, and in each language of the config', async () => {
  const { server, connect } = await openBench();
  await connect(german, new RecordingHost());
  await server.waitFor(() => announced(server).length === 2);
  const [all, de] = announced(server).map(({ params }) => params);
  expect(all).not.toHaveProperty('language_code');
  expect(de).toHaveProperty('language_code', 'de');
  for (const menu of [all, de]) {
    expect(menu?.commands).toMatchObject(commandMenu.map(({ name }) => ({ command: name })));
  }
  const stop = { command: 'stop', description: 'Anhalten' };
  expect(de?.commands).toContainEqual(stop);
  expect(all?.commands).not.toContainEqual(stop);
});

test('what fails for now is announced again, ever more seldom', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: 'drop-after', times: 1 });
  server.fault({ method: 'setMyCommands', kind: 'status', status: 500, times: 1 });
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 17, times: 1 });
  await connect(german);
  await connected(host);
  for (const wait of [1_000, 2_000, 17_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 2);
  expect(server.callsOf('setMyCommands')).toHaveLength(5);
});

test('a platform that says "at once" each time is believed less and less', async () => {
  const { server, clock, host, connect } = await openBench();
  server.fault({ method: 'setMyCommands', kind: '429', retryAfter: 0, times: 4 });
  await connect();
  await connected(host);
  for (const wait of [1_000, 2_000, 4_000, 8_000]) await pass(clock, wait);
  await server.waitFor(() => announced(server).length === 1);
});

test('a menu that is refused does not keep the others back', async () => {
  const { server, host, connect } = await openBench();
  const when = ({ language_code }: Readonly<Record<string, unknown>>): boolean => language_code === 'xx';
  server.fault({ method: 'setMyCommands', kind: 'status', status: 400, description: 'Bad Request: no', when });
  await connect({ commands: { xx: {}, de: {} } });
  await server.waitFor(() => announced(server).length === 2);
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
