import { expect, test } from 'vitest';
import { commandWords } from '../../../src/conversation/commands/words.ts';
import { rightWords } from '../../../src/features/edits/rights/words.ts';
import { editWords } from '../../../src/features/edits/words.ts';
import { clockTime, dayWords, machineTimeZone } from '../../../src/lib/time-words.ts';
import type { Language } from '../../../src/lib/words.ts';
import { type DaemonSetting, daemonSetting, group } from '../../support/daemon-setting.ts';

function noted({ clock }: DaemonSetting, language: Language = 'en'): string {
  const timeZone = machineTimeZone();
  const reader = { timeZone, isNamed: timeZone === 'UTC', language };
  return editWords[language].moment({ day: dayWords(clock.now(), reader), time: clockTime(clock.now(), reader) });
}

const pairing = { name: '', place: '', key: '', isSo: false };
const notPairing = rightWords.en.pairing(pairing);

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
  const { configChanged, allowsMore, allowsLess } = editWords.en;
  expect((await channel.sees(configChanged)).text).toBe(
    [configChanged, `${allowsMore}\n- \`test:bob\` may now approve`, `${allowsLess}\n- ${notPairing}`].join('\n\n'),
  );
});

test('an owner reads of edits in their language: at once, and by /config', async () => {
  const setting = await daemonSetting();
  const { channel } = setting;
  await channel.ask('/language zh', /\p{Script=Han}/u);
  await setting.edit({ agent: { max_turns: 41 }, pairing: { enabled: false } });
  const { configChanged, allowsLess } = editWords.zh;
  const words = rightWords.zh.pairing(pairing);
  expect((await channel.sees(configChanged)).text).toBe(`${configChanged}\n\n${allowsLess}\n- ${words}`);
  const [first, second] = (await channel.ask('/config', words)).text.split('\n').slice(2);
  expect(first).toMatch(new RegExp(`：${words}（收紧）$`));
  expect(second).toMatch(/：`agent\.max_turns: 25 → 41`$/);
});

test('a change that was stored in English alone is shown to all', async () => {
  const setting = await daemonSetting();
  const detail = JSON.stringify({ path: 'owners', words: '`test:bob` is now an owner', effect: 'widens' });
  await setting.stop();
  setting.tamper(
    `INSERT INTO audit (at, kind, conversation_id, actor, detail) VALUES (0, 'config-changed', '', 'keyturn', '${detail}')`,
  );
  await setting.start();
  await setting.channel.ask('/language zh', /\p{Script=Han}/u);
  await setting.channel.ask('/config', '`test:bob` is now an owner（放宽）');
});

test('each change is a row of the audit, in each language', async () => {
  const setting = await daemonSetting();
  await setting.edit({ agent: { max_turns: 40 }, pairing: { enabled: false } });
  const plain = { path: 'agent.max_turns', words: '`agent.max_turns: 25 → 40`', effect: 'other' };
  const narrowed = { path: 'pairing.enabled', words: notPairing, effect: 'narrows' };
  expect(setting.rows(audited).map(({ actor, detail }) => [actor, JSON.parse(String(detail))])).toEqual([
    ['keyturn', { ...plain, otherwise: { zh: plain.words } }],
    ['keyturn', { ...narrowed, otherwise: { zh: rightWords.zh.pairing(pairing) } }],
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
  expect((await channel.ask('/config', 'is now an owner')).text.split('\n').slice(2)).toEqual([
    ...ids.slice(1).map((id) => `- ${noted(setting)}: \`${id}\` is now an owner (allows more)`),
    `- ${first}: ${notPairing} (allows less)`,
  ]);
});

test('/config says that nothing was changed, and since when', async () => {
  const setting = await daemonSetting();
  const since = noted(setting);
  const chinese = noted(setting, 'zh');
  expect(chinese).not.toContain(',');
  await setting.clock.advance(3_600_000);
  await setting.channel.ask('/config', editWords.en.nothingChanged({ since }));
  await setting.channel.ask('/language zh', /^从现在起/);
  await setting.channel.ask('/config', editWords.zh.nothingChanged({ since: chinese }));
});

test('/config is for owners, in chats of their own', async () => {
  const { channel } = await daemonSetting({ allowFrom: ['bob'] });
  await channel.ask('/config', commandWords.en.ownersOnlySee, { by: 'bob' });
  await channel.ask('/config', commandWords.en.notInGroups, { in: group });
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
