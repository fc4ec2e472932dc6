import { expect, test } from 'vitest';
import { pageWords } from '../../../../src/features/page/words.ts';
import { isJsonObject } from '../../../../src/lib/json.ts';
import { type PageSetting, pageSetting, type SignedIn, ticketIn } from '../../../support/page/page-setting.ts';
import { told } from '../../../support/page/told.ts';

test('a stolen browser opens no further way in, not even as if in another chat of its person', async () => {
  const setting = await pageSetting({ config: { gateway: { enabled: true } } });
  await setting.daemon.channel.ask('hello', 'echo: hello');
  const browser = await setting.browser();
  for (const line of ['web', 'device phone', 'link'])
    for (const conversationId of [undefined, ...conversationsOf(setting)]) {
      const { markdown } = await told<{ readonly markdown: string }>(
        browser.post('command', { line, ...(conversationId === undefined ? {} : { conversationId }) }),
      );
      expect(markdown).not.toMatch(/http|`[a-z0-9]{4}-[a-z0-9]{4}`/);
      if (line === 'web') expect(markdown).toBe(pageWords.en.notFromDevice);
    }
});

const open = { config: { gateway: { enabled: true, allowed_hosts: ['keyturn.example.com'] } } };

test('a link that a browser got for a phone ends with it', async () => {
  const setting = await pageSetting(open);
  const { gatewayAddress, channel } = setting.daemon;
  const [signedOut, revoked, kept] = [await browserAt(setting), await browserAt(setting), await browserAt(setting)];
  const links = [await phoneLink(signedOut), await phoneLink(revoked), await phoneLink(kept)];
  await signedOut.post('signout');
  const { deviceId } = await told<{ readonly deviceId: string }>(revoked.get('me'));
  await channel.say(`/devices revoke ${deviceId}`);
  await expect.poll(async () => (await revoked.get('me')).status).toBe(401);
  const answers: number[] = [];
  for (const link of links) answers.push((await setting.signIn(new URL(link.hash, gatewayAddress))).status);
  expect(answers).toEqual([403, 403, 200]);
});

test('a stolen browser reads no link that is still good, whole or in part, and cannot find it by searching', async () => {
  const setting = await pageSetting();
  const browser = await setting.browser('bob');
  const link = await setting.link('bob');
  const ticket = ticketIn(link.hash);
  await setting.daemon.channel.ask(`look: ${link.href} and ${ticket}`, 'echo: look', { by: 'bob' });
  const long = `${'x'.repeat(130)} ${link.href}`;
  await setting.daemon.channel.ask(long, 'echo: x', { by: 'bob' });
  const paths = [
    'conversations',
    ...conversationsOf(setting).map((id) => `conversations/${id}/entries`),
    'runs',
    'runs.jsonl',
  ];
  for (const path of [...paths, 'search?q=look', `search?q=${ticket}`, `search?q=${ticket.slice(0, 30)}`]) {
    const answer = await browser.get(path);
    const text = await answer.text();
    expect([path, answer.status, text.includes(ticket.slice(0, 12))]).toEqual([path, 200, false]);
    if (path.endsWith('entries')) expect(text).toContain('#ticket=…');
    if (path.includes(ticket.slice(0, 30))) expect(text).toContain('"hits":[]');
  }
  expect((await setting.signIn(link)).status).toBe(200);
});

function browserAt(setting: PageSetting): Promise<SignedIn> {
  return setting.browserAt(setting.daemon.gatewayAddress);
}

async function phoneLink(browser: SignedIn): Promise<URL> {
  const answer: unknown = await (await browser.post('phone')).json();
  return new URL(isJsonObject(answer) ? String(answer.url) : '');
}

function conversationsOf({ daemon }: PageSetting): readonly string[] {
  return daemon.rows("SELECT id FROM conversations WHERE channel = 'test'").map(({ id }) => String(id));
}
