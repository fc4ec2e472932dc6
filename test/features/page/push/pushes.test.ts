import { expect, test } from 'vitest';
import { pushWords } from '../../../../src/features/page/push/words.ts';
import type { PushKey } from '../../../../src/features/page/wire/push.ts';
import { silentLog } from '../../../../src/lib/log.ts';
import type { DaemonSetting } from '../../../support/daemon-setting.ts';
import { unlock } from '../../../support/gateway/gateway-setting.ts';
import { type PageSetting, pageSetting, type SignedIn } from '../../../support/page/page-setting.ts';
import { claimsIn, PushReader, PushService } from '../../../support/page/push-service.ts';
import { call } from '../../../support/scripted-model.ts';

interface Setting {
  readonly service: PushService;
  readonly setting: PageSetting;
  readonly daemon: DaemonSetting;
}

/** A daemon whose operator has opened the push service of this machine. */
async function pushing(log = silentLog): Promise<Setting> {
  const service = await PushService.open();
  const setting = await pageSetting({
    tools: [unlock],
    log,
    config: { tools: { network: { allow_private: [service.host] } } },
  });
  setting.daemon.model.otherwise(() => 'All done.');
  return { service, setting, daemon: setting.daemon };
}

async function subscribed(browser: SignedIn, { service }: Setting, path = 'of-ada'): Promise<PushReader> {
  const reader = new PushReader(`https://${service.host}/${path}`);
  expect((await browser.post('push/subscribe', reader.subscription)).status).toBe(200);
  return reader;
}

/** The card is there. */
async function ask({ daemon }: Pick<Setting, 'daemon'>, door = 'front'): Promise<void> {
  daemon.model.next([call('unlock', { door })]);
  await daemon.channel.say(`open the ${door} door`);
  await daemon.channel.sees(new RegExp(`nlock the ${door} door`));
}

const taken = ({ service }: Setting) => service.taken.map(({ path }) => path);
const kept = ({ daemon }: Setting) => daemon.rows('SELECT endpoint FROM page_push ORDER BY endpoint').length;
const keyFor = async (browser: SignedIn): Promise<string> => {
  const { key }: PushKey = JSON.parse(await (await browser.get('push/key')).text());
  return key;
};

test('a browser without a tab is told that something waits, in the words of its person, and nothing of what', async () => {
  const all = await pushing();
  const { daemon, setting, service } = all;
  const browser = await setting.browser();
  const reader = await subscribed(browser, all);
  await daemon.channel.say('/language zh');
  await daemon.channel.whenIdle();
  await ask(all, 'front');
  await expect.poll(() => taken(all)).toEqual(['/of-ada']);
  const { body, headers } = service.newest;
  const [approval] = daemon.all('approvals');
  expect(JSON.parse(reader.read(body))).toEqual({
    title: pushWords.zh.waits,
    tag: `keyturn-${approval?.id}`,
    language: 'zh',
  });
  expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', urgency: 'high', topic: 'waiting' });
  expect(Number(headers.ttl)).toBeGreaterThanOrEqual(60);
  const { key, claims } = claimsIn(headers.authorization);
  expect([key, claims.aud]).toEqual([await keyFor(browser), `https://${service.host}`]);
});

test('the key stays the same for all, and after a restart', async () => {
  const { setting, daemon } = await pushing();
  const key = await keyFor(await setting.browser('ada'));
  expect(await keyFor(await setting.browser('bob'))).toBe(key);
  await daemon.restart();
  expect(await keyFor(await setting.browser('ada'))).toBe(key);
});

test('only who may decide is told: owners of calls, and whoever is asked of a question', async () => {
  const all = await pushing();
  const { daemon, setting } = all;
  await subscribed(await setting.browser('ada'), all, 'of-ada');
  await subscribed(await setting.browser('bob'), all, 'of-bob');
  daemon.model.next([call('ask', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] })]);
  await daemon.channel.say('a drink', { by: 'bob' });
  await expect.poll(() => taken(all)).toEqual(['/of-bob']);
  await ask(all);
  await expect.poll(() => taken(all)).toEqual(['/of-bob', '/of-ada']);
});

test('a subscription that is gone is forgotten; one that is refused otherwise stays', async () => {
  const all = await pushing();
  const { setting, service } = all;
  await subscribed(await setting.browser(), all);
  for (const [index, status] of [500, 403, 307].entries()) {
    service.status = status;
    await ask(all, `door ${index}`);
    await expect.poll(() => taken(all).length).toBe(index + 1);
  }
  expect([kept(all), new Set(taken(all))]).toEqual([1, new Set(['/of-ada'])]);
  service.status = 410;
  await ask(all, 'last');
  await expect.poll(() => kept(all)).toBe(0);
});

test('a browser that signs out, or is revoked, is told nothing more', async () => {
  const all = await pushing();
  const { daemon, setting } = all;
  const [first, second, third] = [await setting.browser(), await setting.browser(), await setting.browser()];
  await subscribed(first, all, 'first');
  await subscribed(second, all, 'second');
  await subscribed(third, all, 'third');
  await first.post('signout');
  await expect.poll(() => kept(all)).toBe(2);
  const [{ principal = '' } = {}] = daemon.rows(`SELECT principal FROM page_push WHERE endpoint LIKE '%second'`);
  await daemon.channel.say(`/devices revoke ${String(principal).replace('device:', '')}`);
  await expect.poll(() => kept(all)).toBe(1);
  await ask(all);
  await expect.poll(() => taken(all)).toEqual(['/third']);
  expect((await third.post('push/unsubscribe')).status).toBe(200);
  expect(kept(all)).toBe(0);
});

test('a push service that hangs delays nothing, and is left after ten seconds', async () => {
  const all = await pushing();
  const { daemon, setting, service } = all;
  const browser = await setting.browser();
  await subscribed(browser, all);
  service.status = 'hangs';
  await ask(all);
  await expect.poll(() => taken(all).length).toBe(1);
  await daemon.channel.press(await daemon.channel.card());
  await daemon.channel.sees('All done.');
  // Of several that wait meanwhile, the newest is told.
  await ask(all, 'back');
  await ask(all, 'side');
  expect(taken(all)).toHaveLength(1);
  service.status = 201;
  daemon.clock.advance(10_000);
  await expect.poll(() => taken(all).length).toBe(2);
  expect((await browser.get('waiting/count')).status).toBe(200);
});

test('a stop does not wait for a push service', async () => {
  const all = await pushing();
  const { daemon, setting, service } = all;
  await subscribed(await setting.browser(), all);
  service.status = 'hangs';
  await ask(all);
  await expect.poll(() => taken(all).length).toBe(1);
  await daemon.stop();
  expect(kept(all)).toBe(1);
});

test('nothing is sent into the private network, neither by its address nor by what a name leads to', async () => {
  const { setting, daemon } = await pushing();
  const browser = await setting.browser();
  const { subscription } = new PushReader('');
  const refused = async (endpoint: string) => {
    const answer = await browser.post('push/subscribe', { ...subscription, endpoint });
    return [answer.status, await answer.json()];
  };
  for (const host of ['127.0.0.1:8443', '192.168.1.7', '[::1]', '169.254.169.254', 'router.local', 'localhost:9'])
    expect(await refused(`https://${host}/x`)).toEqual([400, { error: pushWords.en.refused }]);
  expect(await refused('https://push.example.com:25/x')).toEqual([400, { error: pushWords.en.refused }]);
  expect(await refused('https://me:pass@push.example.com/x')).toEqual([400, { error: pushWords.en.refused }]);
  for (const endpoint of [
    'http://push.example.com/x',
    'push.example.com',
    '',
    `https://push.example.com/${'x'.repeat(2_000)}`,
  ])
    expect(await refused(endpoint)).toEqual([400, { error: pushWords.en.wrong }]);
  expect(daemon.all('page_push')).toEqual([]);
});

test('what has become private is not reached any more, and the log names its host alone', async () => {
  const logged: unknown[] = [];
  const all = await pushing({ ...silentLog, warn: (fields) => logged.push(fields) });
  const { daemon, setting, service } = all;
  await subscribed(await setting.browser(), all);
  await daemon.restart({ tools: { network: { allow_private: [] } } });
  await ask(all);
  const refused = expect.objectContaining({ part: 'page', host: service.host });
  await expect.poll(() => logged).toContainEqual(refused);
  expect([taken(all), kept(all)]).toEqual([[], 1]);
  expect(JSON.stringify(logged)).not.toContain('of-ada');
});

const { keys } = new PushReader('').subscription;

test.each([
  ['no keys', {}],
  ['a short secret', { keys: { ...keys, auth: 'BA' } }],
  ['a key that is no point', { keys: { ...keys, p256dh: `B${'A'.repeat(86)}` } }],
])('a subscription with %s is refused', async (_what, body) => {
  const { setting } = await pushing();
  const answer = await (await setting.browser('bob')).post('push/subscribe', {
    endpoint: 'https://push.example.com/x',
    ...body,
  });
  expect([answer.status, await answer.json()]).toEqual([400, { error: pushWords.en.wrong }]);
});

test('a person has ten at most, and the oldest go; a browser has one', async () => {
  const all = await pushing();
  const { daemon, setting } = all;
  await subscribed(await setting.browser('bob'), all, 'of-bob');
  for (let number = 0; number < 12; number += 1) {
    await subscribed(await setting.browser(), all, `ada-${String(number).padStart(2, '0')}`);
    daemon.clock.advance(1_000);
  }
  const browser = await setting.browser();
  // As somebody else, or anew: it is the same browser.
  await subscribed(browser, all, 'of-bob');
  await subscribed(browser, all, 'of-bob');
  const paths = daemon.all('page_push').map(({ endpoint }) => new URL(String(endpoint)).pathname);
  expect(paths.toSorted()).toEqual([
    ...Array.from({ length: 9 }, (_, index) => `/ada-${String(index + 3).padStart(2, '0')}`),
    '/of-bob',
  ]);
});
