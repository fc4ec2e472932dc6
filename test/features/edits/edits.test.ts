import { expect, test } from 'vitest';
import { clockTime, dayWords, machineTimeZone } from '../../../src/lib/time-words.ts';
import { type DaemonSetting, daemonSetting, group } from '../../support/daemon-setting.ts';

function noted({ clock }: DaemonSetting): string {
  const timeZone = machineTimeZone();
  const zone = { timeZone, isNamed: timeZone === 'UTC' };
  return `${dayWords(clock.now(), zone)}, ${clockTime(clock.now(), zone)}`;
}

const audited = `SELECT actor, detail FROM audit WHERE kind = 'config-changed' ORDER BY seq`;

test('owners are told at once what an edit allows and forbids, and of nothing else', async () => {
  const { setting, channel } = await daemonSetting();
  await channel.ask('hello', 'echo: hello');
  await setting.edit({ agent: { max_turns: 40 } });
  await setting.edit({
    agent: { max_turns: 41 },
    approval: { approvers: ['owner', 'test:bob'] },
    pairing: { enabled: false },
  });
  expect((await channel.sees('The config was changed')).text).toBe(
    [
      '⚙️ The config was changed.',
      'This allows more:\n- `test:bob` may now approve',
      'This allows less:\n- strangers may no longer ask to be let in',
    ].join('\n\n'),
  );
});

test('each change is a row of the audit', async () => {
  const setting = await daemonSetting();
  await setting.edit({ agent: { max_turns: 40 }, pairing: { enabled: false } });
  expect(setting.rows(audited).map(({ actor, detail }) => [actor, JSON.parse(String(detail))])).toEqual([
    ['keyturn', { path: 'agent.max_turns', words: '`agent.max_turns: 25 → 40`', effect: 'other' }],
    ['keyturn', { path: 'pairing.enabled', words: 'strangers may no longer ask to be let in', effect: 'narrows' }],
  ]);
});

test('/config shows an owner the last ten changes, the newest first, after a restart too', async () => {
  const { setting, channel, clock } = await daemonSetting();
  const first = noted(setting);
  await setting.edit({ agent: { max_turns: 40 }, pairing: { enabled: false } });
  await clock.advance(3_600_000);
  await setting.restart();
  const ids = ['test:ada', 'test:b', 'test:c', 'test:d', 'test:e', 'test:f', 'test:g', 'test:h', 'test:i', 'test:j'];
  await setting.edit({ owners: ids });
  expect((await channel.ask('/config', 'What was changed')).text.split('\n').slice(2)).toEqual([
    ...ids.slice(1).map((id) => `- ${noted(setting)}: \`${id}\` is now an owner (allows more)`),
    `- ${first}: strangers may no longer ask to be let in (allows less)`,
  ]);
});

test('/config says that nothing was changed, and since when', async () => {
  const setting = await daemonSetting();
  const since = noted(setting);
  await setting.clock.advance(3_600_000);
  await setting.channel.ask('/config', `Nothing was changed in the config since ${since}, when I started.`);
});

test('/config is for owners, in chats of their own', async () => {
  const { channel } = await daemonSetting({ allowFrom: ['bob'] });
  await channel.ask('/config', 'Only an owner of this Keyturn can see that.', { by: 'bob' });
  await channel.ask('/config', 'Write that to me in a chat of our own', { in: group });
});

test('a secret in a value is in no words', async () => {
  const setting = await daemonSetting({ secrets: ['correct-horse-battery'] });
  await setting.edit({ agent: { instructions: 'Say correct-horse-battery.' } });
  expect(
    setting
      .rows(audited)
      .map(({ detail }) => String(detail))
      .join(),
  ).toContain('Say [secret].');
});
