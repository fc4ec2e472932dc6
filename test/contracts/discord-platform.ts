import { discord } from '../../channels/discord/index.ts';
import type { Person, User } from '../../packages/fakes/src/discord/places.ts';
import { DiscordServer, type Interaction } from '../../packages/fakes/src/discord-server.ts';
import type { Conversation } from '../../src/contract.ts';
import { foundWithin } from '../support/wait-for.ts';
import { deliverRubbish } from './discord-rubbish.ts';
import { type AnsweringPlatform, faultsWith, type SociablePlatform, type Who, withButton } from './platform.ts';

const otherBot: User = {
  ...{ id: '1001000000000000045', username: 'other', discriminator: '0', global_name: null, avatar: null },
  bot: true,
};
const people: Readonly<Record<Who, Person>> = {
  owner: '1001000000000000042',
  friend: '1001000000000000043',
  stranger: '1001000000000000044',
  bot: otherBot,
};
/** So often is it looked whether somebody was told something. */
const looks = 35;

const sends = 'POST /channels/:channel/messages';
const changes = 'PATCH /channels/:channel/messages/:message';

/** Discord's seconds last a hundredth of ours, but for what a person or a test waits for. */
const options = {
  timeScale: 0.01,
  times: { rateScale: 0, identify: 0, resume: 180_000, interaction: 60_000, interactionToken: 900_000, nonce: 180_000 },
} as const;

/** What is to be set other than it is at first. */
interface DiscordWishes {
  readonly reactions?: boolean;
}

const faults = faultsWith(
  { kind: 'status', status: 403, code: 50_013, message: 'Missing Permissions' } as const,
  { kind: 'status', status: 401, message: '401: Unauthorized' } as const,
);

/** What happened last, as the gateway told it; and where it stands, if it was said. */
interface Happened {
  readonly event: string;
  readonly data: unknown;
  readonly said?: { readonly id: string; readonly conversation: Conversation };
}

/** A Discord of our own, for the shared suite: a guild with a channel and a thread, and a direct chat with the owner. */
export async function openDiscord(wishes: DiscordWishes = {}): Promise<SociablePlatform & AnsweringPlatform> {
  const server = await DiscordServer.start(options);
  const { gateway } = server;
  const owner = idOf('owner');
  const guild = server.scenery.addGuild({ name: 'Team', owner });
  const chatId = server.scenery.addChannel(guild.id, { name: 'team' });
  const home: Conversation = { channel: 'discord', chatId: server.direct(owner), kind: 'direct' };
  const group: Conversation = { channel: 'discord', tenant: guild.id, chatId, kind: 'group' };
  const thread = { ...group, threadId: server.people.startThread(chatId, 'plans') };
  const settings = {
    ...{ enabled: true, token: server.token, api_url: server.apiUrl, allow_from: [idOf('friend')] },
    groups: { [chatId]: { require_mention: true } },
    ...wishes,
  };
  let fallsSilent = false;
  let last: Happened | undefined;

  /** All that stands in the conversation, the oldest first. */
  const messagesIn = (conversation: Conversation) => server.chat(channelOf(conversation));

  function ofTheBot(conversation: Conversation) {
    return messagesIn(conversation).filter(({ from }) => from === 'bot');
  }

  function seenIn(conversation: Conversation): string {
    return ofTheBot(conversation)
      .map(({ text }) => readable(text))
      .join('\n');
  }

  function say(conversation: Conversation, text: string, how: Parameters<DiscordServer['say']>[2] = {}): void {
    const data = server.say(channelOf(conversation), text, how);
    last = { event: 'MESSAGE_CREATE', data, said: { id: data.id, conversation } };
  }

  /** What calls the bot, where it has to be called. */
  function mentioning(conversation: Conversation, text: string): string {
    return conversation === home ? text : `<@${server.bot.id}> ${text}`;
  }

  function press(conversation: Conversation, label: string, who: Who): Interaction {
    return pressed(conversation, withButton(messagesIn(conversation), label).id, label, { from: people[who] });
  }

  function pressed(
    conversation: Conversation,
    ...how: [string, string, Parameters<DiscordServer['press']>[3]]
  ): Interaction {
    const interaction = server.press(channelOf(conversation), ...how);
    last = { event: 'INTERACTION_CREATE', data: interaction.event };
    return interaction;
  }

  /** What the presser alone reads then; empty if it is nothing for a while. */
  async function isTold({ id }: Interaction): Promise<string> {
    return (await foundWithin(looks, () => server.interaction(id).ephemeral.join('\n'))) ?? '';
  }

  function silence(): void {
    gateway.isSilent = true;
    server.fault({ route: '*', kind: 'hang' });
  }

  return {
    ...{ channel: 'discord', mergesRepeats: true, settings, owner, home, group, thread, idOf, seenIn },
    nowhere: { channel: 'discord', chatId: '999999999999999999', kind: 'direct' },
    gone: '1000000000000000001',
    secret: server.token,
    connect: () => discord.create(settings),
    /** Who has no session is told nothing. */
    ready: () => server.waitUntilReady(),
    close: () => server.close(),

    say(text) {
      say(home, text);
      if (!fallsSilent) return;
      fallsSilent = false;
      silence();
    },

    share(text) {
      server.dispatch('MESSAGE_CREATE', {
        ...{ id: '1500000000000000900', channel_id: home.chatId, channel_type: 1, type: 0, content: '' },
        author: { id: owner, username: 'owner', discriminator: '0', global_name: 'Owner', avatar: null },
        ...{ attachments: [], embeds: [], mentions: [], mention_roles: [], flags: 0, edited_timestamp: null },
        ...{ timestamp: new Date().toISOString(), message_reference: { type: 1 } },
        message_snapshots: [{ message: { content: text, attachments: [], mentions: [] } }],
      });
    },

    press: (label) => void press(home, label, 'owner'),
    seen: () => seenIn(home),

    /** Resolves when the bot says that it has all of it. */
    async deliverRubbish() {
      const scene = { userId: owner, directId: home.chatId, guildId: guild.id, channelId: chatId };
      deliverRubbish(server, { ...scene, threadId: thread.threadId });
      await server.waitFor(() => gateway.isCaughtUp, { what: 'the rubbish to be taken' });
    },

    repeat: () => last !== undefined && server.dispatch(last.event, last.data),
    isConfirmed: () => gateway.isCaughtUp,

    message(ref) {
      const message = messagesIn(home).find(({ id }) => id === ref);
      return message && { text: readable(message.text), buttons: message.buttons.map(({ label }) => label ?? '') };
    },

    sayIn: (conversation, text, who) => say(conversation, mentioning(conversation, text), { from: people[who] }),

    replyInGroup(text) {
      const { id: replyTo } = server.say(chatId, 'something', { from: people.friend });
      say(group, mentioning(group, text), { from: people.owner, replyTo });
    },

    pressIn: (conversation, label, who) => isTold(press(conversation, label, who)),

    actionOf(label) {
      return withButton(messagesIn(home), label).buttons.find((button) => button.label === label)?.data ?? '';
    },

    forge(conversation, actionId, who) {
      // Where there is no message, somebody says something: a press has to name one.
      const latest =
        messagesIn(conversation).at(-1) ?? server.say(channelOf(conversation), 'chatter', { from: people.friend });
      return isTold(pressed(conversation, latest.id, actionId, { from: people[who], forged: true }));
    },

    called: () => [group, thread].flatMap((conversation) => ofTheBot(conversation).flatMap(({ pings }) => pings)),
    fail: (fault) => server.fault({ route: sends, times: 1, ...faults[fault] }),
    outage: (isOn) => server.outage(isOn),

    /** What is on its way still arrives, as everywhere: with a session, that is what is said next. */
    fallSilent() {
      fallsSilent = gateway.isReady;
      if (!fallsSilent) silence();
    },

    async speakAgain() {
      await server.waitFor(() => gateway.unheard > 0, { what: 'a heartbeat that is not answered' });
      gateway.isSilent = false;
      server.clearFaults();
    },

    revoke: () => server.revokeToken(),
    restore: () => server.restoreToken(),
    attempts: () => server.calls.length + gateway.connectionsMade,
    failChange: (fault) => server.fault({ route: changes, times: 1, ...faults[fault] }),
    changes: () => server.callsOf(changes).length,
    attach: ({ bytes, name, mediaType }, text) => say(home, text, { files: [{ bytes, name, mediaType }] }),
    /** By the names that people see, whatever Discord calls them in addresses. */
    files: () => ofTheBot(home).flatMap(({ files }) => files.map(({ title, bytes }) => ({ name: title, bytes }))),

    answer(words, text) {
      const answered = messagesIn(home).findLast((message) => message.text.includes(words));
      say(home, text, answered && { replyTo: answered.id });
    },

    answered(ref) {
      const messages = messagesIn(home);
      const replyTo = messages.find(({ id }) => id === ref)?.replyTo;
      return messages.find(({ id }) => id === replyTo)?.text;
    },

    marks: () => messagesIn(home).findLast(({ from }) => from === 'user')?.reactions ?? [],

    correct(text) {
      const said = last?.said;
      if (said === undefined) throw new Error('Nobody has said anything.');
      const data = server.edit(channelOf(said.conversation), said.id, mentioning(said.conversation, text));
      last = { event: 'MESSAGE_UPDATE', data, said };
    },

    forget: () => server.forget(),
  };
}

/** What is seen of a text: neither the backslash before a mark, outside of code, nor what is between and has no width. */
function readable(text: string): string {
  const shown = /\\([!-/:-@[-`{-~])|```[\s\S]*?```|``[\s\S]*?``|`[^`]*`/g;
  return text.replaceAll('\u200b', '').replace(shown, (whole, escaped?: string) => escaped ?? whole);
}

function idOf(who: Who): string {
  const person = people[who];
  return typeof person === 'string' ? person : person.id;
}

/** A thread is a channel of its own. */
function channelOf({ chatId, threadId }: Conversation): string {
  return threadId ?? chatId;
}
