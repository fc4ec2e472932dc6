import { discord } from '../../channels/discord/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import { DiscordServer } from '../support/discord-server.ts';
import { deliverRubbish } from './discord-rubbish.ts';
import { DiscordScene, idOf, people } from './discord-scene.ts';
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

const sends = 'POST /channels/:channel/messages';
const changes = 'PATCH /channels/:channel/messages/:message';

/** Discord's seconds last a hundredth of ours, but for what a person or a test waits for. */
const options = {
  timeScale: 0.01,
  times: { rateScale: 0, identify: 0, resume: 180_000, interaction: 60_000, interactionToken: 900_000, nonce: 180_000 },
} as const;
/** So many mutations of each event. */
const rubbishEach = 20;

/** What is to be set other than it is at first. */
interface DiscordWishes {
  readonly reactions?: boolean;
}

const faults = faultsWith(
  { kind: 'status', status: 403, code: 50_013, message: 'Missing Permissions' } as const,
  { kind: 'status', status: 401, message: '401: Unauthorized' } as const,
);

/** A Discord of our own, for the shared suite. */
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
  readonly #scene: DiscordScene;
  readonly #wishes: DiscordWishes;
  #fallsSilent = false;

  private constructor(server: DiscordServer, wishes: DiscordWishes) {
    this.#server = server;
    this.#wishes = wishes;
    this.#scene = new DiscordScene(server);
    ({ home: this.home, group: this.group, thread: this.thread } = this.#scene);
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
    this.#scene.say(this.home, text);
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
    const { id } = this.#scene.withButton(this.home, label);
    this.#scene.press(this.home, id, { button: label, from: people.owner });
  }

  seen(): string {
    return this.seenIn(this.home);
  }

  /** Resolves when the bot says that it has all of it. */
  async deliverRubbish(): Promise<void> {
    const { tenant = '', chatId: channelId, threadId = '' } = this.thread;
    const scene = { userId: this.owner, directId: this.home.chatId, guildId: tenant, channelId, threadId };
    deliverRubbish(this.#server, scene, rubbishEach);
    await this.#server.waitFor(() => this.#server.gateway.isCaughtUp, { what: 'the rubbish to be taken' });
  }

  repeat(): void {
    this.#scene.repeat();
  }

  isConfirmed(): boolean {
    return this.#server.gateway.isCaughtUp;
  }

  message(ref: string): StandingMessage | undefined {
    const message = this.#scene.messages(this.home).find(({ id }) => id === ref);
    return message && { text: readable(message.text), buttons: message.buttons.map(({ label }) => label ?? '') };
  }

  idOf(who: Who): string {
    return idOf(who);
  }

  sayIn(place: Conversation, text: string, who: Who): void {
    this.#scene.say(place, `${this.#scene.mention} ${text}`, { from: people[who] });
  }

  replyInGroup(text: string): void {
    const { id: replyTo } = this.#server.say(this.group.chatId, 'something', { from: people.friend });
    this.#scene.say(this.group, `${this.#scene.mention} ${text}`, { from: people.owner, replyTo });
  }

  pressIn(place: Conversation, label: string, who: Who): Promise<string> {
    const { id } = this.#scene.withButton(place, label);
    return this.#scene.isTold(this.#scene.press(place, id, { button: label, from: people[who] }));
  }

  actionOf(label: string): string {
    return this.#scene.withButton(this.home, label).buttons.find((button) => button.label === label)?.data ?? '';
  }

  forge(place: Conversation, actionId: string, who: Who): Promise<string> {
    const press = { button: actionId, from: people[who], forged: true };
    return this.#scene.isTold(this.#scene.press(place, this.#scene.latest(place), press));
  }

  seenIn(place: Conversation): string {
    const messages = this.#scene.messages(place).filter(({ from }) => from === 'bot');
    return messages.map(({ text }) => readable(text)).join('\n');
  }

  called(): readonly string[] {
    const messages = [this.group, this.thread].flatMap((place) => this.#scene.messages(place));
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
    this.#scene.say(this.home, text, { files: [{ bytes, name, mediaType }] });
  }

  /** By the names that people see, whatever Discord calls them in addresses. */
  files(): readonly SeenFile[] {
    const messages = this.#scene.messages(this.home).filter(({ from }) => from === 'bot');
    return messages.flatMap(({ files }) => files.map(({ title, bytes }) => ({ name: title, bytes })));
  }

  answer(words: string, text: string): void {
    const answered = this.#scene.messages(this.home).findLast((message) => message.text.includes(words));
    this.#scene.say(this.home, text, answered && { replyTo: answered.id });
  }

  answered(ref: string): string | undefined {
    const messages = this.#scene.messages(this.home);
    const replyTo = messages.find(({ id }) => id === ref)?.replyTo;
    return messages.find(({ id }) => id === replyTo)?.text;
  }

  marks(): readonly string[] {
    return this.#scene.messages(this.home).findLast(({ from }) => from === 'user')?.reactions ?? [];
  }

  correct(text: string): void {
    this.#scene.correct(text);
  }

  forget(): void {
    this.#server.forget();
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
