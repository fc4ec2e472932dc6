import { afterAll, beforeAll, expect, test } from 'vitest';
import { DiscordSetting } from './discord-setting.ts';

const cook = '1001000000000000801';
const friend = '1001000000000000802';
const stranger = '1001000000000000803';
/** Where the config lets a role talk, and where a mention is not needed. */
let kitchen: {
  readonly guildId: string;
  readonly channelId: string;
  readonly openId: string;
  readonly forumId: string;
};
let setting: DiscordSetting;

beforeAll(async () => {
  setting = await DiscordSetting.start({
    config: { delivery: { tool_cards: false } },
    channel: ({ guildId }, { scenery }) => {
      const guild = scenery.addGuild({ name: 'Kitchen', owner: '1001000000000000901' });
      const role = scenery.addRole(guild.id, 'cooks', [cook]);
      const channelId = scenery.addChannel(guild.id, { name: 'team' });
      const openId = scenery.addChannel(guild.id, { name: 'open' });
      const forumId = scenery.addChannel(guild.id, { name: 'questions', type: 'forum' });
      kitchen = { guildId: guild.id, channelId, openId, forumId };
      return {
        allow_from: [friend],
        groups: {
          [guildId]: {},
          [guild.id]: { allow_from: [`role:${role}`] },
          [openId]: { require_mention: false },
        },
      };
    },
  });
});

afterAll(() => setting.dispose());

/** All that the model has read so far. */
function read(): string {
  return JSON.stringify(setting.model.requests.map(({ messages }) => messages));
}

test('in a channel it answers owners and friends who mention it, as a reply, and nobody else', async () => {
  const { discord, mention, scene } = setting;
  const { channelId } = scene;
  const owner = setting.newOwner();
  discord.say(channelId, 'this is not for the bot', { from: owner });
  discord.say(channelId, `${mention} a stranger asks`, { from: stranger });
  discord.say(channelId, `@everyone all of you`, { from: owner });
  discord.say(channelId, `${mention} a program asks`, { webhook: { id: '1001000000000000777', name: 'Hook' } });
  const asked = discord.say(channelId, `${mention} an owner asks`, { from: owner });
  const answer = await setting.shows(channelId, `echo: [Person ${owner}] an owner asks`);
  expect(answer).toMatchObject({ replyTo: asked.id, pings: [] });
  discord.say(channelId, `${mention} a friend asks`, { from: friend });
  await setting.shows(channelId, `echo: [Person ${friend}] a friend asks`);
  expect(read()).not.toMatch(/not for the bot|a stranger asks|all of you|a program asks/);
});

test('in a thread it answers in the thread, and goes on without a mention once it has taken part', async () => {
  const { discord, mention, scene } = setting;
  const { threadId, channelId } = scene;
  const owner = setting.newOwner();
  const before = setting.said(channelId).length;
  discord.say(threadId, 'not yet', { from: owner });
  discord.say(threadId, `${mention} come in`, { from: owner });
  await setting.shows(threadId, `[Person ${owner}] come in`);
  discord.say(threadId, 'and now?', { from: owner });
  await setting.shows(threadId, `[Person ${owner}] and now?`);
  expect(setting.said(threadId)).toHaveLength(2);
  expect(setting.said(channelId)).toHaveLength(before);
  expect(read()).not.toContain('not yet');
});

test('a post in a forum is answered below it, and its thread is a conversation of its own', async () => {
  const { discord, mention } = setting;
  const first = discord.people.post(kitchen.forumId, 'Tea', `${mention} how long?`, { from: cook });
  await setting.shows(first.channel_id, `[Person ${cook}] how long?`);
  discord.say(first.channel_id, 'and coffee?', { from: cook });
  await setting.shows(first.channel_id, `[Person ${cook}] and coffee?`);
  const other = discord.people.post(kitchen.forumId, 'Soup', `${mention} how hot?`, { from: cook });
  await setting.shows(other.channel_id, `[Person ${cook}] how hot?`);
  const texts = setting.model.requests
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join('\n');
  expect(texts).not.toContain('coffee');
});

test('a person with the role may talk in the server that names it, and nowhere else', async () => {
  const { discord, mention, scene } = setting;
  discord.say(scene.channelId, `${mention} a cook elsewhere`, { from: cook });
  discord.say(kitchen.channelId, `${mention} no cook`, { from: stranger });
  discord.say(kitchen.channelId, `${mention} a cook`, { from: cook });
  await setting.shows(kitchen.channelId, `echo: [Person ${cook}] a cook`);
  expect(read()).not.toMatch(/a cook elsewhere|no cook/);
});

test('two servers, with channels of the same name, are two conversations', async () => {
  const { discord, mention, scene } = setting;
  const owner = setting.newOwner();
  discord.say(scene.channelId, `${mention} the word is seven`, { from: owner });
  await setting.shows(scene.channelId, 'the word is seven');
  discord.say(kitchen.channelId, `${mention} what is the word?`, { from: owner });
  await setting.shows(kitchen.channelId, 'what is the word?');
  const texts = setting.model.requests
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join('\n');
  expect(texts).toContain('what is the word?');
  expect(texts).not.toContain('seven');
});

/** Somebody asks there, and while the model thinks about the answer something is forbidden. */
async function forbiddenMeanwhile(
  channelId: string,
  words: string,
  forbid: () => void,
  from = setting.newOwner(),
): Promise<void> {
  const { discord, model, mention } = setting;
  const forbidden = Promise.withResolvers<void>();
  model.onUser((text) => text.endsWith(words), { text: `answered: ${words}`, until: forbidden.promise });
  discord.say(channelId, `${mention} ${words}`, { from });
  await model.waitFor(() => model.requests.some(({ lastUserText }) => lastUserText.endsWith(words)));
  forbid();
  forbidden.resolve();
}

test('where it may not write, or not look, the log says to the operator what to do about it', async () => {
  const { discord, daemon, scene } = setting;
  const { scenery } = discord;
  const [silent, hidden] = ['silent', 'hidden'].map((name) => scenery.addChannel(scene.guildId, { name }));
  if (silent === undefined || hidden === undefined) throw new Error('There are no channels.');
  await forbiddenMeanwhile(silent, 'may you write?', () => scenery.deny(silent, 'SEND_MESSAGES'));
  await daemon.waitForOutput(new RegExp(`lacks a permission in the channel ${silent}.*Send Messages.*50013`));
  await forbiddenMeanwhile(hidden, 'may you look?', () => scenery.deny(hidden, 'VIEW_CHANNEL'));
  await daemon.waitForOutput(new RegExp(`does not see the channel ${hidden}.*View Channel.*50001`));
  expect([...setting.said(silent), ...setting.said(hidden)]).toEqual([]);
});

test('where a person takes no direct messages any more, the log says so', async () => {
  const { discord, daemon } = setting;
  const owner = setting.newOwner();
  const chat = discord.direct(owner);
  await forbiddenMeanwhile(chat, 'are you there?', () => discord.people.closeDirectChat(owner), owner);
  await daemon.waitForOutput(/takes no direct messages.*50007/);
  expect(setting.said(chat)).toEqual([]);
});
