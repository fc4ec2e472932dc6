import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { discordWords } from '../../../channels/discord/words.ts';
import type { DiscordServer } from '../../../packages/fakes/src/discord-server.ts';
import { offeredCommands } from '../../support/offered-commands.ts';
import type { RecordingHost } from '../../support/recording-host.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { ada, GatewayBench } from './gateway-bench.ts';

let bench: GatewayBench;
let server: DiscordServer;
let host: RecordingHost;

beforeEach(async () => {
  bench = await GatewayBench.open();
  ({ server, host } = bench);
});

afterEach(() => bench.close());

/** Whether anything is asked for, whatever time passes. */
async function expectRest(): Promise<void> {
  const [calls, made] = [server.calls.length, server.gateway.connectionsMade];
  for (let step = 0; step < 10; step += 1) {
    host.clock.advance(600_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([server.calls.length, server.gateway.connectionsMade]).toEqual([calls, made]);
}

const words = discordWords.en;

describe('a token that Discord does not accept', () => {
  test('is told of with what to do, and never tried again', async () => {
    server.revokeToken();
    await bench.start();
    await host.is('dead');
    expect(host.health).toMatchObject({ reason: words.badToken });
    expect(server.calls).toHaveLength(1);
    expect(server.gateway.connectionsMade).toBe(0);
    await expectRest();
  });

  test('because it was reset while the bot was connected is so, too', async () => {
    await bench.connect();
    server.revokeToken();
    server.gateway.closeWith(4004);
    await host.is('dead');
    expect(host.health).toMatchObject({ reason: words.badToken });
    await expectRest();
  });
});

test.each([
  [4013, words.outdated({ code: 4013 })],
  [4011, words.tooManyServers],
  [4012, words.outdated({ code: 4012 })],
])('after the close code %i it waits for the operator', async (code, reason) => {
  await bench.connect();
  server.gateway.closeWith(code);
  await host.is('dead');
  expect(host.health).toMatchObject({ reason });
  await expectRest();
});

test('what is wrong is told in the language of those who run it', async () => {
  host.language = 'zh';
  server.revokeToken();
  await bench.start();
  await host.is('dead');
  expect(host.health).toMatchObject({ reason: discordWords.zh.badToken });
});

describe('the permission to read messages', () => {
  const refused = { route: 'PATCH /applications/@me', kind: 'status', status: 400, code: 50035 } as const;

  test('is switched on where it is off, and nothing else is changed', async () => {
    server.application.flags = 1 << 23;
    await bench.connect();
    expect(server.application.flags).toBe((1 << 23) | (1 << 19));
    expect(host.logged.join()).toContain(words.intentSwitchedOn);
    await bench.hears('hello');
  });

  test.each([18, 19])('is left alone where it is on, as bit %i', async (bit) => {
    server.application.flags = 1 << bit;
    await bench.connect();
    expect(server.callsOf('PATCH /applications/@me')).toEqual([]);
  });

  test('that the bot may not switch on is explained', async () => {
    server.application.flags = 0;
    server.fault(refused);
    await bench.start();
    await host.is('dead');
    expect(host.health).toMatchObject({ reason: words.mayNotRead });
    expect(server.gateway.connectionsMade).toBe(0);
    await expectRest();
  });

  test('that is switched off while the bot is connected is switched on again', async () => {
    await bench.connect();
    server.application.flags = 0;
    server.gateway.closeWith(4014);
    await waitUntil(() => host.health?.status === 'failing');
    await host.is('connected');
    expect(server.application.flags).toBe(1 << 19);
    await bench.hears('hello');
  });

  test('that Discord goes on refusing is explained', async () => {
    await bench.connect();
    server.gateway.closeWith(4014);
    await waitUntil(() => host.health?.status === 'failing');
    server.application.mayBeTold = () => false;
    await host.is('dead');
    expect(host.health).toMatchObject({ reason: words.mayNotRead });
    await expectRest();
  });

  test('is asked for again when asking fails for now', async () => {
    server.application.flags = 0;
    server.fault({ route: 'PATCH /applications/@me', kind: 'status', status: 500, times: 1 });
    await bench.connect();
    expect(server.application.flags).toBe(1 << 19);
  });
});

describe('what Discord is asked before the gateway', () => {
  test.each([
    ['a page of a proxy', { kind: 'html' }],
    ['a broken connection', { kind: 'drop-before' }],
    ['an error of the server', { kind: 'status', status: 500 }],
    ['the JSON value null', { kind: 'status', status: 200, body: 'null' }],
    ['JSON of something else', { kind: 'status', status: 200, body: '{"hello":[null]}' }],
    ['too many requests', { kind: '429', retryAfter: 3 }],
  ] as const)('is asked again after %s', async (_what, fault) => {
    for (const route of ['GET /users/@me', 'GET /applications/@me', 'GET /gateway/bot'])
      server.fault({ ...fault, route, times: 1 });
    await bench.connect();
    expect(host.healths.filter(({ status }) => status === 'failing')).not.toEqual([]);
    expect(server.gateway.identifies).toHaveLength(1);
  });
});

describe('the sessions that Discord allows a day', () => {
  test('are not used up: it waits until there are more, and says so', async () => {
    server.gateway.startLimit = { total: 1000, remaining: 50, resetAfter: 7_200_000, maxConcurrency: 1 };
    await bench.start();
    await host.is('failing');
    expect(host.health).toMatchObject({ reason: words.tooManySessions({ left: 50, minutes: 15 }) });
    expect(server.gateway.connectionsMade).toBe(0);
    const said = host.healths.length;
    host.clock.advance(30_000);
    await waitUntil(() => host.healths.length > said);
    expect(server.callsOf('GET /gateway/bot')).toHaveLength(1);
    server.gateway.startLimit = { ...server.gateway.startLimit, remaining: 1000 };
    // Once it has asked again, no time is left out: a connection needs it.
    const look = (): boolean => {
      if (server.callsOf('GET /gateway/bot').length < 2) host.clock.advance(120_000);
      return host.health?.status === 'connected';
    };
    await waitUntil(look, { what: 'the connection', everyMs: 4 });
    expect(server.tokenResets).toBe(0);
  });

  test('survive a Discord that ends every session', async () => {
    server.gateway.startLimit = { total: 1000, remaining: 60, resetAfter: 86_400_000, maxConcurrency: 1 };
    await bench.start();
    const look = (): boolean => {
      if (server.gateway.isReady) server.gateway.closeWith(1000);
      host.clock.advance(20_000);
      return (
        host.health?.status === 'failing' && host.health.reason === words.tooManySessions({ left: 50, minutes: 15 })
      );
    };
    await waitUntil(look);
    expect(server.gateway.startLimit.remaining).toBe(50);
    expect(server.tokenResets).toBe(0);
  });

  test('are not spent on connections that go on', async () => {
    await bench.connect();
    server.gateway.startLimit = { ...server.gateway.startLimit, remaining: 0 };
    server.gateway.drop();
    await bench.hears('hello');
    expect(server.gateway.identifies).toHaveLength(1);
  });
});

describe('a bot that is in no server', () => {
  test('tells once how to let it in, with all that it needs', async () => {
    await bench.connect();
    server.gateway.closeWith(1000);
    await waitUntil(() => host.health?.status === 'failing');
    await host.is('connected');
    const invitations = host.logged.filter((line) => line.includes('in no server'));
    expect(invitations).toHaveLength(1);
    const url = new URL(/https:[^"]+/.exec(invitations[0] ?? '')?.[0] ?? '');
    expect(url.searchParams.get('scope')).toBe('bot applications.commands');
    expect(url.searchParams.get('client_id')).toBe(server.application.id);
    const bits = [6, 10, 11, 15, 16, 38].map((bit) => 1n << BigInt(bit));
    expect(BigInt(url.searchParams.get('permissions') ?? '')).toBe(bits.reduce((sum, bit) => sum | bit, 0n));
  });

  test('is not what one in a server is', async () => {
    server.scenery.addGuild();
    await bench.connect();
    expect(host.logged.join()).not.toContain(words.inNoServer);
  });
});

test('a permission that the bot lacks is told of with the address at which it is given', async () => {
  const guild = server.scenery.addGuild();
  const channel = server.scenery.addChannel(guild.id, { denied: ['SEND_MESSAGES'] });
  const adapter = await bench.connect();
  const to = { channel: 'discord', tenant: guild.id, chatId: channel, kind: 'group' } as const;
  const sent = adapter.send(to, { id: 'm1', kind: 'reply', markdown: 'hello' });
  await expect(sent).rejects.toMatchObject({
    fault: { type: 'permanent' },
    message: expect.stringMatching(/Send Messages.*https:\/\/discord\.com\/oauth2\/authorize/s),
  });
});

test('an address of the application that takes all presses away is warned of', async () => {
  server.application.interactionsEndpoint = 'https://example.com/discord';
  await bench.connect();
  expect(host.logged.join()).toContain(words.endpointSet);
});

test.each([
  ['where the config does not want that', { backfill: false }, 10_000],
  ['at the very first start', {}, undefined],
])('what was missed is not looked for %s', async (_where, overrides, absence) => {
  server.say(server.direct(ada), 'anybody there?');
  if (absence !== undefined) host.leftAt = host.clock.now() - absence;
  await bench.connect(overrides);
  await bench.hears('now');
  await server.waitFor(() => server.gateway.isCaughtUp);
  expect(host.words).toEqual(['now']);
  expect(server.callsOf('GET /channels/:channel/messages')).toEqual([]);
});

describe('the slash commands', () => {
  const commands = '/applications/:application/commands';

  test('are all offered, and those that take words have a place for them', async () => {
    await bench.connect();
    await server.waitFor(() => server.commandWrites === 1);
    const offered = [...offeredCommands.map(({ name }) => name), discordWords.en.commandAsk];
    expect(server.commands().map(({ name }) => name)).toEqual(offered);
    const named = (name: string) => server.commands().find((command) => command.name === name);
    expect(named('approve')).toMatchObject({
      description_localizations: { 'zh-CN': '批准等待中的工具调用' },
      options: [
        {
          type: 3,
          name: 'text',
          description: 'ID',
          description_localizations: { 'zh-CN': '编号' },
          required: false,
        },
      ],
    });
    expect(named('stop')).toMatchObject({ options: [] });
  });

  test('are not written again while they are the same, in whatever order', async () => {
    await bench.connect();
    await server.waitFor(() => server.commandWrites === 1);
    await bench.create().start(host);
    await server.waitFor(() => server.callsOf(`GET ${commands}`).filter(({ status }) => status === 200).length === 2);
    await bench.hears('hello');
    expect(server.commandWrites).toBe(1);
  });

  test('take the place of what stands there by another name', async () => {
    const body = JSON.stringify([{ type: 1, name: 'stop', description: 'Something else' }]);
    server.fault({ route: `GET ${commands}`, kind: 'status', status: 200, body });
    await bench.connect();
    await server.waitFor(() => server.commandWrites === 1);
  });

  test('are written again when that fails for now, which holds nothing up', async () => {
    server.fault({ route: `GET ${commands}`, kind: 'status', status: 500, times: 2 });
    server.fault({ route: `PUT ${commands}`, kind: 'drop-after', times: 1 });
    await bench.connect();
    await bench.hears('hello');
    await waitUntil(() => server.callsOf(`GET ${commands}`).length === 4, {
      meanwhile: () => host.clock.advance(1_000),
    });
    // The answer was lost, and what it was about was done.
    expect(server.commandWrites).toBe(1);
  });

  test('that Discord refuses are spoken of once', async () => {
    server.fault({ route: `PUT ${commands}`, kind: 'status', status: 403, code: 20001 });
    await bench.connect();
    await waitUntil(() => host.logged.join().includes('refuses the menu'));
    expect(host.health?.status).toBe('connected');
  });

  test('are not asked for where the config does not want it', async () => {
    await bench.connect({ register_commands: false });
    await bench.hears('hello');
    expect(server.callsOf(`GET ${commands}`)).toEqual([]);
  });
});
