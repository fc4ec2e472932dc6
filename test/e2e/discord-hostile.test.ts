import { afterAll, beforeAll, expect, test } from 'vitest';
import { deliverRubbish, soundEvents } from '../contracts/discord-rubbish.ts';
import { DiscordSetting } from './discord-setting.ts';

/** So many mutations of each of the events that it reads: more than two hundred of all together. */
const each = 14;
let setting: DiscordSetting;

beforeAll(async () => {
  setting = await DiscordSetting.start({ server: { times: { heartbeat: 1_500 } } });
});

afterAll(() => setting.dispose());

test('more than 200 mutated events do not end the process, and what is sound among them is answered', async () => {
  const { discord, daemon, mention, scene } = setting;
  const owner = setting.newOwner();
  const chat = discord.direct(owner);
  const rubbish = { userId: owner, directId: chat, ...scene };
  expect(soundEvents(discord, rubbish).length * each).toBeGreaterThanOrEqual(200);
  const { pid } = daemon;
  discord.say(chat, 'before');
  deliverRubbish(discord, rubbish, each);
  discord.say(chat, 'after');
  await setting.shows(chat, /after$/);
  expect(setting.said(chat).join('\n')).toContain('before');
  await discord.waitFor(() => discord.gateway.isCaughtUp, { what: 'all of it to be taken' });
  for (const channel of [scene.channelId, scene.threadId]) {
    discord.say(channel, `${mention} here, too`, { from: owner });
    await setting.shows(channel, `[Person ${owner}] here, too`);
  }
  expect(daemon.pid).toBe(pid);
  expect(setting.sessions()).toBe(1);
  expect(daemon.output).not.toMatch(/"level":60|Uncaught|unhandled/i);
});
