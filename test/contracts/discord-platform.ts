import { discord } from '../../channels/discord/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import type { Person, User } from '../support/discord/places.ts';
import type { ShownMessage } from '../support/discord/shown-message.ts';
import { DiscordServer, type Interaction } from '../support/discord-server.ts';
import { foundWithin } from '../support/wait-for.ts';
import { deliverRubbish } from './discord-rubbish.ts';
import {
  type AnsweringPlatform,
  faultsWith,
  type NetworkFault,
  type PersonalFile,
  type SeenFile,
  type SociablePlatform,
  type StandingMessage,
  type Who,
} from './platform.ts';

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

/** A Discord of our own, for the shared suite: a guild with a channel and a thread, and a direct chat with the owner. */
export class DiscordPlatform implements SociablePlatform, AnsweringPlatform {
  readonly channel = 'discord';
  readonly mergesRepeats = true;
  readonly owner = idOf('owner');
  readonly home: Conversation;
  readonly nowhere: Conversation = { channel: 'discord', chatId: '999999999999999999', kind: 'direct' };
  readonly group: Conversation;
  readonly thread: Conversation;
  readonly gone = '1000000000000000001';
  readonly #server: DiscordServer;
  readonly #wishes: DiscordWishes;
  #fallsSilent = false;
  /** What happened last, as the gateway told it; and where it stands, if it was said. */
  #last:
    | { readonly event: string; readonly data: unknown; readonly said?: { id: string; place: Conversation } }
    | undefined;

  private constructor(server: DiscordServer, wishes: DiscordWishes) {
    this.#server = server;
    this.#wishes = wishes;
    const guild = server.scenery.addGuild({ name: 'Team', owner: this.owner });
    const chatId = server.scenery.addChannel(guild.id, { name: 'team' });
    this.home = { channel: 'discord', chatId: server.direct(this.owner), kind: 'direct' };
    this.group = { channel: 'discord', tenant: guild.id, chatId, kind: 'group' };
    this.thread = { ...this.group, threadId: server.people.startThread(chatId, 'plans') };
  }

  static async open(wishes: DiscordWishes = {}): Promise<DiscordPlatform> {
    return new DiscordPlatform(await DiscordServer.start(options), wishes);
  }

  get secret(): string {
    return this.#server.token;
  }

  get settings() {
    const { token, apiUrl: api_url } = this.#server;
    const groups = { [this.group.chatId]: { require_mention: true } };
    return { enabled: true, token, api_url, allow_from: [idOf('friend')], groups, ...this.#wishes };
  }

  connect(): ChannelAdapter {
    return discord.create(this.settings);
  }

  /** Who has no session is told nothing. */
  ready(): Promise<void> {
    return this.#server.waitUntilReady();
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  say(text: string): void {
    this.#say(this.home, text);
    if (!this.#fallsSilent) return;
    this.#fallsSilent = false;
    this.#silence();
  }

  share(text: string): void {
    this.#server.dispatch('MESSAGE_CREATE', {
      ...{ id: '1500000000000000900', channel_id: this.home.chatId, channel_type: 1, type: 0, content: '' },
      author: { id: this.owner, username: 'owner', discriminator: '0', global_name: 'Owner', avatar: null },
      ...{ attachments: [], embeds: [], mentions: [], mention_roles: [], flags: 0, edited_timestamp: null },
      ...{ timestamp: new Date().toISOString(), message_reference: { type: 1 } },
      message_snapshots: [{ message: { content: text, attachments: [], mentions: [] } }],
    });
  }

  press(label: string): void {
    this.#press(this.home, this.#withButton(this.home, label).id, label, { from: people.owner });
  }

  seen(): string {
    return this.seenIn(this.home);
  }

  /** Resolves when the bot says that it has all of it. */
  async deliverRubbish(): Promise<void> {
    const { tenant = '', chatId: channelId, threadId = '' } = this.thread;
    const scene = { userId: this.owner, directId: this.home.chatId, guildId: tenant, channelId, threadId };
    deliverRubbish(this.#server, scene);
    await this.#server.waitFor(() => this.#server.gateway.isCaughtUp, { what: 'the rubbish to be taken' });
  }

  repeat(): void {
    if (this.#last !== undefined) this.#server.dispatch(this.#last.event, this.#last.data);
  }

  isConfirmed(): boolean {
    return this.#server.gateway.isCaughtUp;
  }

  message(ref: string): StandingMessage | undefined {
    const message = this.#messages(this.home).find(({ id }) => id === ref);
    return message && { text: readable(message.text), buttons: message.buttons.map(({ label }) => label ?? '') };
  }

  idOf(who: Who): string {
    return idOf(who);
  }

  sayIn(place: Conversation, text: string, who: Who): void {
    this.#say(place, this.#mentioning(place, text), { from: people[who] });
  }

  replyInGroup(text: string): void {
    const { id: replyTo } = this.#server.say(this.group.chatId, 'something', { from: people.friend });
    this.#say(this.group, this.#mentioning(this.group, text), { from: people.owner, replyTo });
  }

  pressIn(place: Conversation, label: string, who: Who): Promise<string> {
    return this.#isTold(this.#press(place, this.#withButton(place, label).id, label, { from: people[who] }));
  }

  actionOf(label: string): string {
    return this.#withButton(this.home, label).buttons.find((button) => button.label === label)?.data ?? '';
  }

  forge(place: Conversation, actionId: string, who: Who): Promise<string> {
    // Where there is no message, somebody says something: a press has to name one.
    const latest =
      this.#messages(place).at(-1) ?? this.#server.say(channelOf(place), 'chatter', { from: people.friend });
    return this.#isTold(this.#press(place, latest.id, actionId, { from: people[who], forged: true }));
  }

  seenIn(place: Conversation): string {
    const messages = this.#messages(place).filter(({ from }) => from === 'bot');
    return messages.map(({ text }) => readable(text)).join('\n');
  }

  called(): readonly string[] {
    const messages = [this.group, this.thread].flatMap((place) => this.#messages(place));
    return messages.flatMap(({ from, pings }) => (from === 'bot' ? pings : []));
  }

  fail(fault: NetworkFault): void {
    this.#server.fault({ route: sends, times: 1, ...faults[fault] });
  }

  outage(isOn: boolean): void {
    this.#server.outage(isOn);
  }

  /** What is on its way still arrives, as everywhere: with a session, that is what is said next. */
  fallSilent(): void {
    this.#fallsSilent = this.#server.gateway.isReady;
    if (!this.#fallsSilent) this.#silence();
  }

  async speakAgain(): Promise<void> {
    const { gateway } = this.#server;
    await this.#server.waitFor(() => gateway.unheard > 0, { what: 'a heartbeat that is not answered' });
    gateway.isSilent = false;
    this.#server.clearFaults();
  }

  revoke(): void {
    this.#server.revokeToken();
  }

  restore(): void {
    this.#server.restoreToken();
  }

  attempts(): number {
    return this.#server.calls.length + this.#server.gateway.connectionsMade;
  }

  failChange(fault: NetworkFault): void {
    this.#server.fault({ route: changes, times: 1, ...faults[fault] });
  }

  changes(): number {
    return this.#server.callsOf(changes).length;
  }

  attach({ bytes, name, mediaType }: PersonalFile, text: string): void {
    this.#say(this.home, text, { files: [{ bytes, name, mediaType }] });
  }

  /** By the names that people see, whatever Discord calls them in addresses. */
  files(): readonly SeenFile[] {
    const messages = this.#messages(this.home).filter(({ from }) => from === 'bot');
    return messages.flatMap(({ files }) => files.map(({ title, bytes }) => ({ name: title, bytes })));
  }

  answer(words: string, text: string): void {
    const answered = this.#messages(this.home).findLast((message) => message.text.includes(words));
    this.#say(this.home, text, answered && { replyTo: answered.id });
  }

  answered(ref: string): string | undefined {
    const messages = this.#messages(this.home);
    const replyTo = messages.find(({ id }) => id === ref)?.replyTo;
    return messages.find(({ id }) => id === replyTo)?.text;
  }

  marks(): readonly string[] {
    return this.#messages(this.home).findLast(({ from }) => from === 'user')?.reactions ?? [];
  }

  correct(text: string): void {
    const said = this.#last?.said;
    if (said === undefined) throw new Error('Nobody has said anything.');
    const data = this.#server.edit(channelOf(said.place), said.id, this.#mentioning(said.place, text));
    this.#last = { event: 'MESSAGE_UPDATE', data, said };
  }

  forget(): void {
    this.#server.forget();
  }

  #say(place: Conversation, text: string, how: Parameters<DiscordServer['say']>[2] = {}): void {
    const data = this.#server.say(channelOf(place), text, how);
    this.#last = { event: 'MESSAGE_CREATE', data, said: { id: data.id, place } };
  }

  /** What calls the bot, where it has to be called. */
  #mentioning(place: Conversation, text: string): string {
    return place === this.home ? text : `<@${this.#server.bot.id}> ${text}`;
  }

  #press(
    place: Conversation,
    messageId: string,
    button: string,
    how: Parameters<DiscordServer['press']>[3],
  ): Interaction {
    const interaction = this.#server.press(channelOf(place), messageId, button, how);
    this.#last = { event: 'INTERACTION_CREATE', data: interaction.event };
    return interaction;
  }

  /** All that stands in the place, the oldest first. */
  #messages(place: Conversation): readonly ShownMessage[] {
    return this.#server.chat(channelOf(place));
  }

  #withButton(place: Conversation, label: string): ShownMessage {
    const found = this.#messages(place).findLast(({ buttons }) => buttons.some((button) => button.label === label));
    if (found === undefined) throw new Error(`There is no button "${label}" in ${channelOf(place)}.`);
    return found;
  }

  /** What the presser alone reads then; empty if it is nothing for a while. */
  async #isTold({ id }: Interaction): Promise<string> {
    return (await foundWithin(looks, () => this.#server.interaction(id).ephemeral.join('\n'))) ?? '';
  }

  #silence(): void {
    this.#server.gateway.isSilent = true;
    this.#server.fault({ route: '*', kind: 'hang' });
  }
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
