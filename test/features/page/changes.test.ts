import { expect, onTestFinished, test } from 'vitest';
import { conversationId } from '../../../src/contract.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import { direct } from '../../support/deed.ts';
import { DeviceClient } from '../../support/gateway/device-client.ts';
import { unlock } from '../../support/gateway/gateway-setting.ts';
import { type PageSetting, pageSetting, paired, type SignedIn } from '../../support/page/page-setting.ts';
import { call } from '../../support/scripted-model.ts';

test('a page is told what has changed, so far as its person may see it', async () => {
  const { setting, ada, bob } = await followers();
  await setting.daemon.channel.ask('hello', 'echo: hello', { by: 'bob' });
  for (const page of [ada, bob]) {
    await hears(page, setting, ofChat('bob'));
    expect(topicsOf(page)).toEqual(expect.arrayContaining(['runs', expect.stringMatching(/^run:/)]));
  }
  await setting.daemon.channel.ask('hello', 'echo: hello', { by: 'ada' });
  await hears(ada, setting, ofChat('ada'));
  const { length } = topicsOf(bob);
  await setting.daemon.channel.ask('once more', 'echo: once more', { by: 'bob' });
  await hears(bob, setting, ofChat('bob'), length);
  expect(topicsOf(bob)).not.toContain(ofChat('ada'));
});

test('what waits is told to whose it is, and to who decides', async () => {
  const { setting, ada, bob } = await followers();
  const { channel, model } = setting.daemon;
  model.next([call('unlock', { door: 'front' })]);
  await channel.cardFor('open the door', { by: 'bob' });
  for (const page of [ada, bob]) await hears(page, setting, 'waiting');
});

test('an edit of the config, and the health of channels, are told to owners', async () => {
  const { setting, ada, bob } = await followers();
  await setting.daemon.edit({ budget: { currency: 'EUR' } });
  setting.daemon.channel.sessions.hosts.at(-1)?.reportHealth({ status: 'failing', reason: 'gone' });
  await hears(ada, setting, 'settings');
  await hears(ada, setting, 'channels');
  await setting.daemon.channel.ask('hello', 'echo: hello', { by: 'bob' });
  await hears(bob, setting, ofChat('bob'));
  expect(topicsOf(bob)).not.toContain('settings');
  expect(topicsOf(bob)).not.toContain('channels');
});

test('many changes at once are told in few words, and none to who asks twice, twice', async () => {
  const { setting, ada } = await followers();
  ada.send({ type: 'page_follow' });
  for (let count = 0; count < 30; count += 1)
    await setting.daemon.channel.ask(`hello ${count}`, `echo: hello ${count}`);
  await hears(ada, setting, ofChat('ada'));
  const told = ada.all('page_changed').filter(({ topics }) => Array.isArray(topics) && topics.length > 0);
  expect(told).toHaveLength(1);
});

test('a paired program is told nothing of it', async () => {
  const setting = await pageSetting({ config: { gateway: { enabled: true } } });
  const { token } = await paired(setting);
  const client = new DeviceClient(setting.daemon.gatewayAddress, { headers: { Authorization: `Bearer ${token}` } });
  onTestFinished(() => client.socket.terminate());
  await client.greet();
  client.send({ type: 'page_follow' });
  expect(await client.next('error')).toMatchObject({ code: 'UNKNOWN_MESSAGE_TYPE' });
});

const ofChat = (person: string): string => `conversation:${conversationId(direct('test', person))}`;

async function followers(): Promise<{
  readonly setting: PageSetting;
  readonly ada: DeviceClient;
  readonly bob: DeviceClient;
}> {
  const setting = await pageSetting({ tools: [unlock] });
  const [ada, bob] = [await follower(await setting.browser('ada')), await follower(await setting.browser('bob'))];
  await setting.daemon.channel.whenIdle();
  return { setting, ada, bob };
}

/** A page that is told what changes, from now on. */
async function follower({ origin, proof }: SignedIn): Promise<DeviceClient> {
  const answer = await fetch(`${origin}/api/ticket`, { method: 'POST', headers: { ...proof, Origin: origin } });
  const body: unknown = await answer.json();
  const ticket = isJsonObject(body) ? String(body.ticket) : '';
  const client = new DeviceClient(origin, { query: `ticket=${ticket}`, headers: { Origin: origin } });
  onTestFinished(() => client.socket.terminate());
  await client.greet();
  client.send({ type: 'page_follow' });
  await client.next('page_changed');
  return client;
}

/** Resolves once the page was told of the topic, behind the first ones. */
async function hears(page: DeviceClient, { daemon }: PageSetting, topic: string, behind = 0): Promise<void> {
  daemon.clock.advance(100);
  await page.changes.waitFor(() => topicsOf(page).slice(behind).includes(topic), {
    what: topic,
    describe: () => JSON.stringify(page.frames),
  });
}

function topicsOf(page: DeviceClient): readonly unknown[] {
  return page.all('page_changed').flatMap(({ topics }) => (Array.isArray(topics) ? topics : []));
}
