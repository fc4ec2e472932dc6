import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { DiscordSetting } from '../e2e/discord-setting.ts';

const warns = (setting: DiscordSetting) => setting.daemon.output.split('\n').filter((l) => /"level":(40|50|60)/.test(l)).map((l) => l.slice(0, 520)).slice(0, 25).join('\n');

test('slash registration 500s; gateway abuse; global 429', async () => {
  await using setting = await DiscordSetting.start({ server: { times: { heartbeat: 500 } }, prepare: (discord) => {
    discord.fault({ route: 'PUT /applications/:application/commands', kind: 'status', status: 500, times: 3 });
  } });
  await setting.connected();
  const { discord } = setting;
  const owner = setting.newOwner();
  const chat = discord.direct(owner);
  await pause(8000);
  console.log('commands written', discord.commandWrites, discord.commands().map(({ name }) => name));
  // sessions ended at once
  for (let i = 0; i < 40; i++) { if (discord.gateway.isReady) discord.gateway.invalidate(false); await pause(250); }
  console.log('identifies in 10 s of ended sessions', discord.gateway.identifies.length);
  discord.say(chat, 'after storms');
  await setting.shows(chat, 'after storms', 20_000).catch((error) => console.log(String(error).slice(0, 200)));
  const f = discord.fault({ route: '*', kind: '429', retryAfter: 2, global: true, times: 3 });
  discord.say(chat, 'limited');
  const t = Date.now();
  await setting.shows(chat, 'limited', 20_000).catch((error) => console.log(String(error).slice(0, 200)));
  console.log('limited answered in', Date.now() - t, f.fired);
  // dispatch before READY, wrong sequence, rubbish
  for (const frame of [null, 7, 'x', { op: 0 }, { op: 0, t: 'MESSAGE_CREATE', s: 99999, d: null }, { op: 0, t: 'READY', s: 1, d: {} }, { op: 10, d: { heartbeat_interval: 1 } }, { op: 9, d: 'x' }, { op: 11 }, { op: 1, d: null }]) discord.gateway.sendFrame(frame);
  await pause(1000);
  discord.say(chat, 'after rubbish');
  await setting.shows(chat, 'after rubbish', 20_000).catch((error) => console.log(String(error).slice(0, 200)));
  discord.gateway.isSilent = true;
  await pause(13_000);
  discord.gateway.isSilent = false;
  discord.say(chat, 'after silence');
  await setting.shows(chat, 'after silence', 40_000).catch((error) => console.log(String(error).slice(0, 200)));
  console.log('identifies', discord.gateway.identifies.length, 'resumes', discord.gateway.resumes.length);
  console.log(warns(setting));
}, 150_000);

test('a member named like the owner, roles, unmentioned thread, edits of mention', async () => {
  await using setting = await DiscordSetting.start({ channel: (scene: { guildId: string }) => ({ groups: { [scene.guildId]: {} } }) });
  const { discord, scene, mention } = setting;
  const owner = setting.newOwner();
  const stranger = '1001000000000000666';
  discord.dispatch('MESSAGE_CREATE', { ...discord.say(scene.channelId, `${mention} spoof`, { from: stranger }), id: '1573742525158522999', author: { id: stranger, username: `Person ${owner}`, global_name: `Person ${owner}` } });
  discord.say(scene.channelId, `${mention} web`, { webhook: { id: owner, name: `Person ${owner}` } });
  const t = discord.people.startThread(scene.channelId, 'th', { from: owner });
  discord.say(t, 'no mention', { from: owner });
  discord.say(t, `${mention} hi`, { from: owner });
  await setting.shows(t, /hi$/);
  discord.say(t, 'follow up', { from: owner });
  discord.say(t, 'stranger in thread', { from: stranger });
  await pause(1500);
  console.log(JSON.stringify(setting.said(t)), JSON.stringify(setting.said(scene.channelId)));
  const i = discord.command(scene.channelId, 'status', { from: stranger, forged: true });
  await pause(1000);
  console.log(JSON.stringify(discord.interaction(i.id)));
  console.log(warns(setting));
}, 60_000);
