import { describe, expect, test } from 'vitest';
import { telegramWords } from '../../../channels/telegram/words.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type Bench, connected, openBench, pass } from './bench.ts';

const ada = 42;
const conflict = 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

const contested = { status: 'failing', reason: telegramWords.en.contested, needsOwner: true };

async function aloneForTwoMinutes({ server, clock, host }: Omit<Bench, 'connect'>): Promise<void> {
  for (const words of ['still contested', 'almost', 'alone']) {
    clock.advance(40_000);
    server.say(ada, words);
    await host.hears(words);
  }
  await connected(host);
}

describe('when Telegram fails', () => {
  test('a poll that nobody answers is given up', async () => {
    const { server, clock, host, connect } = await openBench();
    await connect();
    await connected(host);
    const hang = server.fault({ method: 'getUpdates', kind: 'hang', times: 1 });
    server.say(ada, 'wake');
    await waitUntil(() => hang.fired === 1);
    await pass(clock, 45_000);
    await waitUntil(() => host.health?.status === 'failing');
    await pass(clock, 250);
    await connected(host);
    server.say(ada, 'still there');
    await waitUntil(() => host.words.includes('still there'));
  });

  test.each([
    ['a page of a proxy', { kind: 'html' }, /proxy/],
    ['a broken connection', { kind: 'drop-before' }, /broke/],
    ['an error of the server', { kind: 'status', status: 500 }, /500/],
    ['the JSON value null', { kind: 'status', status: 200, body: 'null' }, /could not be read/],
    ['an answer that is no list', { kind: 'status', status: 200, body: '{"ok":true,"result":7}' }, /does not say/],
    ['JSON of something else', { kind: 'status', status: 200, body: '{"hello":1}' }, /api_root/],
    ['updates without ids', { kind: 'status', status: 200, body: '{"ok":true,"result":[{},null]}' }, /without ids/],
  ] as const)('%s is no end', async (_name, fault, reason) => {
    const { server, clock, host, connect } = await openBench();
    server.fault({ method: 'getUpdates', times: 2, ...fault });
    await connect();
    await pass(clock, 250);
    expect(host.health).toMatchObject({ status: 'failing', reason: expect.stringMatching(reason) });
    await pass(clock, 500);
    await connected(host);
    expect(host.logged.join()).not.toContain(server.token);
  });

  test('too many requests wait as long as Telegram says', async () => {
    const { server, clock, host, connect } = await openBench();
    server.fault({ method: 'getUpdates', kind: '429', retryAfter: 17, times: 1 });
    await connect();
    await pass(clock, 17_000);
    await connected(host);
  });

  test('a wait of eleven days is no longer than a quarter of an hour, and is told', async () => {
    const { server, clock, host, connect } = await openBench();
    server.fault({ method: 'getUpdates', kind: '429', retryAfter: 999_999, times: 1 });
    await connect();
    await waitUntil(() => host.health?.status === 'failing');
    expect(host.health).toMatchObject({ reason: telegramWords.en.asksToWait({ wait: 900_000 }) });
    for (let waited = 0; waited < 900_000; waited += 30_000) await pass(clock, 30_000);
    await connected(host);
  });

  test('owners are told in the language that they read at that moment', async () => {
    const { server, clock, host, connect } = await openBench();
    host.language = 'zh';
    server.fault({ method: 'getUpdates', kind: '429', retryAfter: 17, times: 2 });
    await connect();
    await waitUntil(() => host.health?.status === 'failing');
    expect(host.health).toMatchObject({ reason: telegramWords.zh.asksToWait({ wait: 17_000 }) });
    host.language = 'en';
    await pass(clock, 17_000);
    await waitUntil(() => JSON.stringify(host.health).includes(telegramWords.en.asksToWait({ wait: 17_000 })));
  });

  test('a long wait is told of again and again, so that it is not taken for deafness', async () => {
    const { server, clock, host, connect } = await openBench();
    server.fault({ method: 'getUpdates', kind: '429', retryAfter: 70, times: 1 });
    await connect();
    for (const wait of [30_000, 30_000, 10_000]) await pass(clock, wait);
    await connected(host);
    const statuses = host.healths.map(({ status }) => status).slice(0, 5);
    expect(statuses).toEqual(['connecting', 'failing', 'failing', 'failing', 'connected']);
  });

  test('another process with the same token is said after the third conflict, and receiving goes on', async () => {
    const { server, clock, host, connect } = await openBench();
    server.fault({ method: 'getUpdates', kind: 'status', status: 409, description: conflict, times: 7 });
    await connect();
    for (const wait of [2_000, 4_000]) await pass(clock, wait);
    expect(host.healths.map(({ status }) => status)).not.toContain('failing');
    await pass(clock, 6_000);
    expect(host.health).toEqual(contested);
    for (const wait of [8_000, 10_000, 12_000, 14_000]) await pass(clock, wait);
    // A poll that waits: in a conflict a quick one would only hide the other process.
    await waitUntil(() => clock.waits.includes(45_000));
    await server.waitFor(() => server.polls === 8);
    expect(server.callsOf('getUpdates').map(({ params }) => params.timeout)).toEqual([0, 30, 30, 30, 30, 30, 30, 30]);
    server.say(ada, 'hello');
    await host.hears('hello');
    await aloneForTwoMinutes({ server, clock, host });
  });

  test('another process is also said where both receive in turn, until two minutes pass without a conflict', async () => {
    const { server, clock, host, connect } = await openBench();
    await connect();
    await connected(host);
    for (const turn of [1, 2, 3]) {
      await server.waitFor(() => server.polls === 2 * turn);
      server.fault({ method: 'getUpdates', kind: 'status', status: 409, description: conflict, times: 1 });
      server.say(ada, `turn ${turn}`);
      await host.hears(`turn ${turn}`);
      if (turn < 3) expect(JSON.stringify(host.health)).not.toContain(telegramWords.en.contested);
      await pass(clock, turn * 2_000);
    }
    server.say(ada, 'in between');
    await host.hears('in between');
    expect(host.health).toEqual(contested);
    expect(host.logged.filter((line) => line.includes('does not receive'))).toHaveLength(1);
    await aloneForTwoMinutes({ server, clock, host });
  });

  test('a webhook is ended', async () => {
    const { server, clock, host, connect } = await openBench();
    server.setWebhook('https://old.example.com');
    await connect();
    await connected(host);
    server.setWebhook('https://new.example.com');
    server.say(ada, 'wake');
    await pass(clock, 250);
    await connected(host);
    expect(server.callsOf('deleteWebhook')).toHaveLength(2);
  });

  test.each([
    ['a wrong token', `1:${'A'.repeat(35)}`],
    ['a token with a wrong shape', '1:A'],
  ])('%s is the end, with advice', async (_name, token) => {
    const { clock, host, connect } = await openBench();
    await connect({ token });
    await waitUntil(() => host.health?.status === 'dead');
    expect(host.health).toMatchObject({ reason: expect.stringContaining('@BotFather') });
    clock.advance(3_600_000);
    expect(clock.waits).toEqual([]);
    expect(JSON.stringify(host.healths) + host.logged.join()).not.toContain(token);
  });

  test('an update that cannot be read is skipped and named, and what is sound beside it is taken', async () => {
    const { server, host, connect } = await openBench();
    const sound = { message_id: 1, date: 1, chat: { id: ada, type: 'private' }, from: { id: ada, is_bot: false } };
    const result = [
      null,
      7,
      { update_id: 'x' },
      { update_id: 9000, message: null },
      { update_id: 9001, message: { ...sound, text: 'last' } },
    ];
    const body = JSON.stringify({ ok: true, result });
    server.fault({ method: 'getUpdates', kind: 'status', status: 200, body, times: 1 });
    await connect();
    await waitUntil(() => host.words.includes('last'));
    await server.waitFor(() => server.callsOf('getUpdates')[1]?.params.offset === 9002);
    expect(host.logged.join()).toContain('9000');
  });
});
