import { expect, test } from 'vitest';
import { mutations } from '../../contracts/mutations.ts';
import { soundPayloads } from '../../contracts/slack-rubbish.ts';
import { ada, bob, bot, general, type IntakeSetting, intakeSetting, team } from './intake-setting.ts';

const ts = '1700000000.000100';
const sound = soundPayloads({ team, bot, person: ada, other: bob, channel: general });

/** Nothing was received but from somebody, somewhere in our workspace. */
function expectSound({ host }: IntakeSetting): void {
  for (const { conversation, sender, key } of host.received) {
    expect(conversation).toMatchObject({ channel: 'slack', tenant: team });
    expect(conversation.chatId).toMatch(/^[CD][A-Z0-9]+$/);
    expect(conversation.threadId ?? ts).toMatch(/^\d+\.\d+$/);
    expect([`${team}/${ada}`, `${team}/B00000009`]).toContain(sender.id);
    expect(sender.isPerson).toBe(sender.id === `${team}/${ada}`);
    expect(key).toMatch(/^\S.*$/);
  }
}

test.each(Object.keys(sound))('a %s with anything in any place of it is taken and harms nothing', async (kind) => {
  const setting = await intakeSetting();
  await setting.intake.take(sound[kind]);
  expect(setting.host.received).toHaveLength(kind === 'pane' ? 0 : 1);
  for (const payload of mutations(sound[kind] ?? null, 250)) await setting.intake.take(payload);
  expectSound(setting);
});

test.each(['message', 'mention', 'edit', 'deletion'])(
  'what the bot itself says stays its own with anything in any other place of it (%s)',
  async (kind) => {
    const setting = await intakeSetting();
    const about = { bot_id: 'B0BOT0001', bot_profile: { id: 'B0BOT0001', name: 'keyturn' } };
    const own = soundPayloads({ team, bot, person: bot, other: bob, channel: general, about })[kind] ?? null;
    for (const mutated of mutations(own, 250)) await setting.intake.take(mutated);
    expect(setting.host.received).toEqual([]);
  },
);

test.each([
  undefined,
  null,
  7,
  'x',
  true,
  [],
  {},
  { type: 7 },
  { type: 'event_callback' },
  { command: {} },
  { team_id: team },
])('a body that is %j is ignored with a line in the log', async (body) => {
  const setting = await intakeSetting();
  await setting.intake.take(body);
  expect(setting.host.received).toEqual([]);
  expect(setting.host.logged.join()).toContain('was ignored');
});
