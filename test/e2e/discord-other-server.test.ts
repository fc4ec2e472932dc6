import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DaemonProcess } from '../support/daemon-process.ts';
import { DiscordTwin } from '../support/discord-digital-twin.ts';
import { ModelServer } from '../support/model-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import { daemonConfig, modelEnvironment } from './daemon-config.ts';

/** The same talk as elsewhere, with a Discord that others have written: what ours allows, theirs may not. */
let model: ModelServer;
let discord: DiscordTwin;
let daemon: DaemonProcess;

beforeAll(async () => {
  [model, discord] = await Promise.all([ModelServer.start(), DiscordTwin.start()]);
  const { token, apiUrl, guildId } = discord;
  const channel = { enabled: true, token, api_url: apiUrl, groups: { [guildId]: {} } };
  const config = daemonConfig({ model, owners: [], channels: { discord: channel } });
  daemon = DaemonProcess.start({ config, env: modelEnvironment });
  await daemon.waitForOutput(connected);
});

afterAll(async () => {
  await daemon.dispose();
  await Promise.all([model.close(), discord.close()]);
});

test('a person claims it with the printed code, and talks with it', async () => {
  const [, code] = /\/claim ([a-z0-9]+)/.exec(daemon.output) ?? [];
  const direct = discord.direct('ann');
  await discord.say(direct, `/claim ${code}`);
  await discord.waitForMessage(direct, ({ text }) => text.includes('is yours now'));
  await discord.say(direct, 'hello');
  await discord.waitForMessage(direct, 'echo: hello');
});

test('a mention in a channel is answered there, and so is a reply to the answer; nothing else is', async () => {
  const asked = await discord.say(discord.general, `${discord.mention} who are you?`);
  const answer = await discord.waitForMessage(discord.general, 'echo: [ann] who are you?');
  expect(answer.replyTo).toBe(asked);
  await discord.say(discord.general, 'not for the bot');
  await discord.reply(discord.general, asked, 'nor is this');
  await discord.reply(discord.general, answer.id, 'and who am I?');
  await discord.waitForMessage(discord.general, ({ text }) => text.endsWith('and who am I?'));
  expect(model.requests.map(({ lastUserText }) => lastUserText).filter((text) => /not for|nor is/.test(text))).toEqual([]);
});

const connected = '"channel":"discord","status":"connected"';
