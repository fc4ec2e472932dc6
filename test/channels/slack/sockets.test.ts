import { describe, expect, test } from 'vitest';
import { kitWords } from '../../../channels/kit/words.ts';
import { slackWords } from '../../../channels/slack/words.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { type ConnectionSetting, connectionSetting } from './connection-setting.ts';

/** With both sockets open. */
async function connected(options: Parameters<typeof connectionSetting>[1] = {}): Promise<ConnectionSetting> {
  const setting = await connectionSetting({}, options);
  await setting.host.is('connected');
  await setting.has(2);
  return setting;
}

describe('what comes in', () => {
  test('is acknowledged also if it is stored while the connection ends', async () => {
    const setting = await connected();
    const stored = Promise.withResolvers<void>();
    setting.store = () => stored.promise;
    const delivery = setting.say('hello');
    await waitUntil(() => setting.isWaiting, { what: 'it to come in' });
    const stopped = setting.connection.stop();
    stored.resolve();
    await stopped;
    await setting.slack.acknowledged(delivery);
  });

  test.each(['interactive', 'slash_commands'] as const)('as %s is acknowledged with nothing in it', async (kind) => {
    const setting = await connected();
    const { teamId } = setting.slack.home.installation;
    const person = { id: 'U00000001', team_id: teamId };
    const payload: JsonObject =
      kind === 'interactive'
        ? { type: 'block_actions', team: { id: teamId }, user: person, actions: [{ action_id: 'a', type: 'button' }] }
        : { command: '/keyturn', text: 'help', team_id: teamId, user_id: person.id, channel_id: 'C00000001' };
    const { answer } = await setting.slack.acknowledged(setting.slack.deliver(kind, payload));
    expect(answer).toEqual({});
    expect(setting.bodies).toEqual([payload]);
  });

  test('that no sound Slack sends harms nothing', async () => {
    const setting = await connected();
    const rubbish: readonly JsonObject[] = [
      {},
      { event: null },
      { event: { type: 'close' } },
      { event: { type: 'ws_message' } },
    ];
    for (const payload of rubbish) {
      const { attempts } = await setting.slack.acknowledged(setting.slack.deliver('events_api', payload));
      expect(attempts).toBe(1);
    }
    await setting.slack.acknowledged(setting.slack.deliver('interactive', {}));
    const odd = {
      type: 'event_callback',
      event: { type: 'message', user: null, item: null, channel: null, text: 'odd' },
    };
    await setting.slack.acknowledged(setting.slack.deliver('events_api', odd));
    await setting.slack.acknowledged(setting.say('hello'));
    expect(setting.heard).toEqual(['odd', 'hello']);
    expect(setting.slack.sockets.opened).toBe(2);
    await setting.until(() => setting.host.healths.length > 8, 'time to pass');
    expect(setting.slack.sockets.opened).toBe(2);
    expect(setting.host.logged.some((line) => line.includes('cannot be read'))).toBe(true);
  });
});

describe('a socket', () => {
  test('that Slack renews is replaced before it is gone, under traffic', async () => {
    const setting = await connected();
    const deliveries = [];
    for (let round = 0; round < 30; round += 1) {
      const { opened } = setting.slack.sockets;
      setting.slack.sockets.disconnect(round % 2 === 0 ? 'warning' : 'refresh_requested', 0);
      deliveries.push(setting.say(`message ${round}`));
      await setting.until(
        () => setting.slack.sockets.opened > opened && setting.slack.sockets.count === 2,
        'a new socket',
      );
      deliveries.push(setting.say(`answer ${round}`));
    }
    for (const delivery of deliveries) await setting.slack.acknowledged(delivery);
    expect(deliveries.every(({ attempts }) => attempts === 1)).toBe(true);
    expect(new Set(setting.heard).size).toBe(60);
    expect(setting.heard).toHaveLength(60);
    expect(setting.host.healths.some(({ status }) => status === 'failing')).toBe(false);
  });

  test('over which nothing comes but pings is kept', async () => {
    const setting = await connected();
    const { opened } = setting.slack.sockets;
    const since = setting.host.clock.now();
    await setting.until(() => setting.host.clock.now() - since > 200_000, 'time to pass');
    expect(setting.slack.sockets.opened).toBe(opened);
    expect(setting.host.health?.status).toBe('connected');
  });

  test('of too many is tried again after a minute', async () => {
    const setting = await connected();
    const { opened } = setting.slack.sockets;
    setting.slack.sockets.disconnect('too_many_websockets');
    await setting.has(0);
    const since = setting.host.clock.now();
    await setting.host.is('failing');
    expect(setting.reason).toBe(slackWords.en.tooManySockets);
    await setting.until(() => setting.slack.sockets.opened > opened, 'a new socket');
    expect(setting.host.clock.now() - since).toBeGreaterThan(58_000);
    await setting.host.is('connected');
  });
});

describe('a connection', () => {
  test('is dead when Socket Mode is switched off, and says how to switch it on', async () => {
    const setting = await connected();
    setting.slack.sockets.disconnect('link_disabled');
    await setting.host.is('dead');
    expect(setting.reason).toBe(slackWords.en.socketModeOff({ kind: 'app', code: 'link_disabled' }));
    await setting.running;
    await setting.has(0);
  });

  test.each(['auth.test', 'apps.connections.open'])('is stopped at once while %s hangs', async (method) => {
    const setting = await connectionSetting({ request_timeout_secs: 600 });
    setting.slack.fault({ method, kind: 'hang' });
    await waitUntil(() => setting.slack.connections > 0);
    await setting.connection.stop();
    await setting.running;
    setting.slack.release();
    expect(setting.slack.sockets.count).toBe(0);
  });
});

describe('what was missed', () => {
  test('while no process was there is asked for, unless there has never been one', async () => {
    const heardAt = Date.now() - 3_600_000;
    const setting = await connected({ heardAt });
    expect(setting.gaps).toEqual([{ since: heardAt - 60_000, isShort: false }]);
    expect((await connected()).gaps).toEqual([]);
  });

  test('for a moment is asked for where people have talked last', async () => {
    const setting = await connected();
    const { opened } = setting.slack.sockets;
    setting.slack.sockets.disconnect('refresh_requested');
    await waitUntil(() => setting.slack.sockets.opened > opened, { what: 'a new socket' });
    await setting.slack.acknowledged(setting.say('hello'));
    // Both sockets are renewed: where neither is open twice, it is asked for twice.
    expect(setting.gaps.map(({ isShort }) => isShort)).toEqual(setting.gaps.length === 2 ? [true, true] : [true]);
  });

  test('before a socket broke without a farewell is asked for at once, though another seems open', async () => {
    const setting = await connected();
    await setting.slack.sockets.hush();
    const lastHeard = setting.host.clock.now();
    setting.slack.sockets.fallSilent();
    setting.host.clock.advance(16_000);
    setting.slack.sockets.drop(0);
    await waitUntil(() => setting.gaps.length === 1, { what: 'it to be asked for' });
    expect(Math.abs((setting.gaps[0]?.since ?? 0) - (lastHeard - 60_000))).toBeLessThan(10_000);
  });

  test('before the last socket broke is asked for when there is one again', async () => {
    const setting = await connected();
    const refused = setting.slack.refuseSockets();
    await setting.slack.sockets.hush();
    const lastHeard = setting.host.clock.now();
    setting.slack.sockets.fallSilent();
    setting.host.clock.advance(16_000);
    setting.slack.sockets.drop();
    await setting.host.is('failing');
    const asked = setting.gaps.length;
    refused.remove();
    await setting.host.is('connected');
    expect(setting.gaps.length).toBeGreaterThan(asked);
    for (const { since } of setting.gaps) expect(Math.abs(since - (lastHeard - 60_000))).toBeLessThan(10_000);
  });

  test('while a socket that seemed open brought nothing is asked for', async () => {
    const setting = await connected();
    const lastHeard = setting.host.clock.now();
    setting.slack.sockets.fallSilent(0);
    await setting.until(() => setting.gaps.length > 0, 'it to be noticed');
    expect(setting.gaps).toHaveLength(1);
    expect(Math.abs((setting.gaps[0]?.since ?? 0) - (lastHeard - 60_000))).toBeLessThan(30_000);
    expect(setting.host.clock.now() - lastHeard).toBeLessThan(90_000);
  });

  test('while nothing could be stored for longer than Slack tries is asked for, now and then until it can', async () => {
    const setting = await connected();
    setting.store = async () => {
      throw new Error('The disk is full.');
    };
    const since = setting.host.clock.now();
    setting.say('one');
    await waitUntil(() => setting.host.logged.some((line) => line.includes('not stored')));
    await setting.until(() => setting.gaps.length > 0, 'it to be asked for');
    expect(setting.host.clock.now() - since).toBeGreaterThan(300_000);
    expect(setting.reason).toBe(kitWords.en.unstored({ platform: 'Slack' }));
    setting.store = async () => {};
    await setting.slack.acknowledged(setting.say('two'));
    expect(setting.host.health?.status).toBe('connected');
    for (const { since: gap } of setting.gaps) expect(Math.abs(gap - (since - 60_000))).toBeLessThan(30_000);
  });
});

describe('how it is', () => {
  test('is failing while what comes in cannot be stored, whatever else comes, until something is', async () => {
    const setting = await connected();
    setting.store = async () => {
      throw new Error('The disk is full.');
    };
    setting.say('hello');
    await waitUntil(() => setting.host.health?.status === 'failing');
    expect(setting.host.logged.join()).toContain('not stored');
    const said = setting.host.healths.length;
    setting.holdsAnything = false;
    setting.store = async () => {};
    const ignored = setting.slack.deliver('events_api', { type: 'event_callback', event: { type: 'team_join' } });
    await setting.slack.acknowledged(ignored);
    await waitUntil(() => setting.host.healths.length >= said + 3);
    expect(setting.host.healths.slice(said).some(({ status }) => status === 'connected')).toBe(false);
    setting.holdsAnything = true;
    await setting.slack.acknowledged(setting.say('again'));
    expect(setting.host.health?.status).toBe('connected');
  });
});
