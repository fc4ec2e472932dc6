import { afterEach, beforeEach, expect, test } from 'vitest';
import { commandMenu } from '../../../src/contract.ts';
import type { DiscordServer } from '../../support/discord-server.ts';
import type { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { GatewayBench } from './gateway-bench.ts';

let bench: GatewayBench;
let server: DiscordServer;
let host: RecordingHost;

beforeEach(async () => {
  bench = await GatewayBench.open();
  ({ server, host } = bench);
});

afterEach(() => bench.close());

const route = '/applications/:application/commands';

test('every command is offered, and those that take words have a place for them', async () => {
  await bench.connect();
  await server.waitFor(() => server.commandWrites === 1);
  expect(server.commands().map(({ name }) => name)).toEqual(commandMenu.map(({ name }) => name));
  const named = (name: string) => server.commands().find((command) => command.name === name);
  expect(named('approve')).toMatchObject({ options: [{ type: 3, name: 'text', description: 'ID', required: false }] });
  expect(named('stop')).toMatchObject({ options: [] });
});

test('they are not written again while they are the same, in whatever order', async () => {
  await bench.connect();
  await server.waitFor(() => server.commandWrites === 1);
  await bench.create().start(host);
  await server.waitFor(() => server.callsOf(`GET ${route}`).filter(({ status }) => status === 200).length === 2);
  await bench.hears('hello');
  expect(server.commandWrites).toBe(1);
});

test('what stands there by another name is replaced', async () => {
  const body = JSON.stringify([{ type: 1, name: 'stop', description: 'Something else' }]);
  server.fault({ route: `GET ${route}`, kind: 'status', status: 200, body });
  await bench.connect();
  await server.waitFor(() => server.commandWrites === 1);
});

test('what fails for now is tried again, and holds nothing up', async () => {
  server.fault({ route: `GET ${route}`, kind: 'status', status: 500, times: 2 });
  server.fault({ route: `PUT ${route}`, kind: 'drop-after', times: 1 });
  await bench.connect();
  await bench.hears('hello');
  await waitUntil(() => server.callsOf(`GET ${route}`).length === 4, { meanwhile: () => host.clock.advance(1_000) });
  // The answer was lost, and what it was about was done.
  expect(server.commandWrites).toBe(1);
});

test('what Discord refuses is said once', async () => {
  server.fault({ route: `PUT ${route}`, kind: 'status', status: 403, code: 20001 });
  await bench.connect();
  await waitUntil(() => host.logged.join().includes('refuses the menu'));
  expect(host.health?.status).toBe('connected');
});

test('nothing is asked for where the config does not want it', async () => {
  await bench.connect({ register_commands: false });
  await bench.hears('hello');
  expect(server.callsOf(`GET ${route}`)).toEqual([]);
});
