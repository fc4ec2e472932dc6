import {
  type BaseInteraction,
  ChannelType,
  type Client,
  Events,
  type Message,
  MessageFlags,
  type TextChannel,
} from 'discord.js';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiscordServer } from '../support/discord-server.ts';
import { waitUntil } from '../support/wait-for.ts';
import { clientOf } from './discord-client.ts';

const person = '2001';
let discord: DiscordServer;
let client: Client;
let guildId: string;
let channelId: string;
let heard: Message[];

beforeEach(async () => {
  discord = await DiscordServer.start({ timeScale: 0.1, times: { heartbeat: 5_000 } });
  guildId = discord.scenery.addGuild({ name: 'Team', owner: person }).id;
  channelId = discord.scenery.addChannel(guildId, { name: 'general' });
  heard = [];
  client = clientOf(discord);
  client.on(Events.MessageCreate, (message) => heard.push(message));
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(discord.token);
  await ready;
});

afterEach(async () => {
  await client.destroy();
  await discord.close();
});

function hears(text: string): Promise<Message> {
  return waitUntil(() => heard.find(({ content }) => content === text), { what: text });
}

function channel(): TextChannel {
  const found = client.channels.cache.get(channelId);
  if (found?.type !== ChannelType.GuildText) throw new Error('The channel is not known.');
  return found;
}

test('a real client logs in, and knows its guilds, channels, roles and permissions', () => {
  expect(client.user?.id).toBe(discord.bot.id);
  expect(client.application?.id).toBe(discord.application.id);
  expect(client.guilds.cache.map(({ name }) => name)).toEqual(['Team']);
  expect(client.guilds.cache.get(guildId)?.roles.botRoleFor(discord.bot.id)?.managed).toBe(true);
  expect(channel().permissionsFor(discord.bot.id)?.has(['SendMessages', 'AttachFiles'])).toBe(true);
  expect(channel().permissionsFor(discord.bot.id)?.has('ManageChannels')).toBe(false);
  expect(discord.gateway.identifies.map(({ outcome }) => outcome)).toEqual(['ready']);
  expect(discord.calls.map(({ route }) => route)).toEqual(['GET /gateway/bot']);
});

test('it hears people in channels, threads, forums and direct chats, and answers there', async () => {
  const thread = discord.people.startThread(channelId, 'A thread');
  const forum = discord.scenery.addChannel(guildId, { type: 'forum' });
  const post = discord.people.post(forum, 'A question', 'in a post');
  discord.say(channelId, 'in the channel');
  discord.say(thread, 'in the thread');
  discord.say(discord.direct(person), 'alone');
  for (const text of ['in the channel', 'in the thread', 'in a post', 'alone'])
    await (await hears(text)).reply(`I heard: ${text}`);
  expect(discord.chat(post.channel_id).at(-1)).toMatchObject({ from: 'bot', text: 'I heard: in a post' });
  for (const place of [channelId, thread, discord.direct(person)]) {
    const [said, answered] = discord.chat(place).filter(({ type }) => type === 0 || type === 19);
    expect(answered).toMatchObject({ from: 'bot', text: `I heard: ${said?.text}`, replyTo: said?.id, type: 19 });
  }
});

test('it presses through a button, a form and an answer for one person', async () => {
  const seen: string[] = [];
  const failed: unknown[] = [];
  const answer = async (interaction: BaseInteraction): Promise<void> => {
    if (interaction.isButton()) {
      const input = { type: 4, custom_id: 'reason', label: 'Why?', style: 1 } as const;
      const form = { custom_id: 'form', title: 'Say why', components: [{ type: 1, components: [input] }] };
      await interaction.showModal(form);
    }
    if (interaction.isModalSubmit()) {
      seen.push(interaction.fields.getTextInputValue('reason'));
      await interaction.reply({ content: 'Thank you.', flags: MessageFlags.Ephemeral });
    }
    if (interaction.isChatInputCommand()) {
      await interaction.deferReply();
      await interaction.editReply(`echo ${interaction.options.getString('text')}`);
    }
  };
  client.on(Events.InteractionCreate, (interaction) => {
    answer(interaction).catch((error: unknown) => failed.push(error));
  });
  const deny = { type: 2, style: 4, label: 'Deny', custom_id: 'deny' } as const;
  const { id } = await channel().send({ content: 'May I?', components: [{ type: 1, components: [deny] }] });
  const press = discord.press(channelId, id, 'Deny');
  expect((await press.answered).modal).toMatchObject({ title: 'Say why', inputs: [{ label: 'Why?' }] });
  expect(() => discord.submit(press.id, {})).toThrow('wants "Why?"');
  const form = discord.submit(press.id, { reason: 'because' });
  expect(await form.answered).toMatchObject({ type: 4, ephemeral: true });
  expect(discord.interaction(form.id).ephemeral).toEqual(['Thank you.']);
  expect(seen).toEqual(['because']);
  expect(discord.chat(channelId).map(({ text }) => text)).toEqual(['May I?']);

  const options = [{ type: 3, name: 'text', description: 'What to say', required: true }];
  await client.application?.commands.set([{ name: 'echo', description: 'Says it', options }]);
  const command = discord.command(channelId, 'echo', { options: { text: 'hello' } });
  expect(await command.answered).toMatchObject({ type: 5, ephemeral: false });
  const shown = await discord.waitForMessage(channelId, 'echo hello');
  expect(shown).toMatchObject({ type: 20, flags: 0 });
  expect(failed).toEqual([]);
});

test('it resumes what it missed after op 7, a broken connection, and begins anew after a close with 1000', async () => {
  discord.gateway.requestReconnect();
  await discord.waitFor(() => discord.gateway.resumes.length === 1 && discord.gateway.isReady);
  discord.gateway.drop();
  discord.say(channelId, 'while away');
  await hears('while away');
  expect(discord.gateway.resumes.at(-1)).toMatchObject({ replayed: 1, path: '/gw/again/' });
  expect(discord.gateway.identifies).toHaveLength(1);

  discord.gateway.closeWith(1000);
  discord.say(channelId, 'lost to the session');
  await discord.waitFor(() => discord.gateway.identifies.length === 2, { timeoutMs: 10_000 });
  await discord.waitUntilReady();
  discord.say(channelId, 'after it');
  await hears('after it');
  expect(heard.map(({ content }) => content)).toEqual(['while away', 'after it']);
}, 20_000);

test('files go out and come in', async () => {
  const bytes = Buffer.from('what is in it');
  await channel().send({ files: [{ attachment: bytes, name: 'a file.txt', description: 'a text' }] });
  expect(discord.chat(channelId)[0]?.files).toMatchObject([{ name: 'a_file.txt', bytes, title: 'a file.txt' }]);
  discord.say(channelId, 'look', { files: [{ name: 'b.png', bytes, mediaType: 'image/png' }] });
  const attachment = (await hears('look')).attachments.first();
  expect(attachment).toMatchObject({ name: 'b.png', contentType: 'image/png', size: bytes.length });
  const response = await fetch(attachment?.url ?? '');
  expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
});
