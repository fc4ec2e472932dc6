import { slack } from '../../channels/slack/index.ts';
import type { ChannelAdapter, Conversation } from '../../src/contract.ts';
import type { Delivery } from '../support/slack/deliveries.ts';
import type { Said } from '../support/slack/people.ts';
import type { ShownMessage } from '../support/slack/shown-message.ts';
import { SlackServer } from '../support/slack-server.ts';
import { foundWithin } from '../support/wait-for.ts';
import {
  faultsWith,
  type NetworkFault,
  type PersonalFile,
  type SeenFile,
  type SociablePlatform,
  type StandingMessage,
  type Who,
} from './platform.ts';
import { deliverRubbish } from './slack-rubbish.ts';

const users: Readonly<Record<Who, string>> = {
  owner: 'U0OWNER',
  friend: 'U0FRIEND',
  stranger: 'U0STRANGER',
  bot: 'U0OTHER',
};
const otherBot = { botId: 'B0OTHER', userId: users.bot, username: 'other' };
const [direct, channel] = ['D0OWNER', 'C0TEAM'];

/** Slack's seconds last so many of ours. */
const timeScale = 0.05;
/** So often is it looked whether somebody was told something. */
const looks = 35;

/** What is to be set other than it is at first. */
interface SlackWishes {
  readonly reactions?: boolean;
  /** The owner talks in a thread, as in the assistant's pane. */
  readonly inThread?: boolean;
}

const faults = faultsWith(
  { kind: 'error', error: 'is_archived' } as const,
  { kind: 'error', error: 'token_revoked' } as const,
);

/** A Slack of our own. Where the group is, and beside it another thread, people answer beneath messages that stand there. */
export class SlackPlatform implements SociablePlatform {
  readonly channel = 'slack';
  readonly owner: string;
  readonly home: Conversation;
  readonly nowhere: Conversation;
  readonly group: Conversation;
  readonly thread: Conversation;
  readonly gone = '1.000001';
  readonly #server: SlackServer;
  readonly #wishes: SlackWishes;
  /** What was shown to one person alone, and was read. */
  readonly #read = new Set<string>();
  #fallsSilent = false;
  #last: { readonly deliveries: readonly Delivery[]; readonly said?: Said } = { deliveries: [] };

  private constructor(server: SlackServer, wishes: SlackWishes) {
    this.#server = server;
    this.#wishes = wishes;
    const tenant = server.home.installation.teamId;
    const at = { channel: 'slack', tenant } as const;
    server.home.addChannel(channel, { name: 'team', members: Object.values(users) });
    server.home.addDirect(users.owner);
    this.owner = `${tenant}/${users.owner}`;
    this.nowhere = { ...at, chatId: 'D0NOBODY', kind: 'direct' };
    this.group = { ...at, chatId: channel, threadId: '1700000000.000100', kind: 'group' };
    this.thread = { ...this.group, threadId: '1700000000.000200' };
    const home = { ...at, chatId: direct, kind: 'direct' } as const;
    this.home = wishes.inThread === true ? { ...home, threadId: server.people.openAssistant(users.owner).ts } : home;
  }

  static async open(wishes: SlackWishes = {}): Promise<SlackPlatform> {
    return new SlackPlatform(await SlackServer.start({ timeScale, retryScale: 0.005, pingMs: 200 }), wishes);
  }

  get secret(): string {
    return this.#server.botToken;
  }

  get settings() {
    const { apiUrl: api_url, botToken: bot_token, appToken: app_token } = this.#server;
    const { reactions = false } = this.#wishes;
    const groups = { [channel]: { require_mention: true } };
    return { enabled: true, api_url, bot_token, app_token, reactions, allow_from: [this.idOf('friend')], groups };
  }

  connect(): ChannelAdapter {
    return slack.create(this.settings);
  }

  /** An event that finds no socket comes again when Slack says so. */
  async ready(): Promise<void> {
    await this.#server.waitFor(() => this.#server.sockets.count > 0, { what: 'a socket' });
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  say(text: string): void {
    this.#told(this.#server.say(direct, typed(text), { ...this.#inThread, isRaw: true }));
    if (!this.#fallsSilent) return;
    this.#fallsSilent = false;
    this.#server.silence(true);
  }

  share(text: string): void {
    const { teamId: team, botUserId: bot } = this.#server.home.installation;
    const authorizations = [{ team_id: team, enterprise_id: null, user_id: bot, is_bot: true }];
    const at = { channel: direct, channel_type: 'im', user: users.owner, team, ts: '1700000000.000900' };
    const shared = { is_share: true, author_name: 'Mallory', text };
    const event = { type: 'message', ...at, event_ts: at.ts, text: '', attachments: [shared] };
    const about = { type: 'event_callback', team_id: team, event_id: 'EvShare', event_time: 1_700_000_000 };
    this.#server.deliver('events_api', { ...about, authorizations, event });
  }

  press(label: string): void {
    const { delivery } = this.#server.press(direct, this.#withButton(this.home, label).ts, label);
    this.#last = { deliveries: [delivery] };
  }

  seen(): string {
    return this.seenIn(this.home);
  }

  deliverRubbish(): Promise<void> {
    return deliverRubbish(this.#server, { person: users.owner, other: users.friend, channel });
  }

  repeat(): void {
    for (const delivery of this.#last.deliveries) this.#server.redeliver(delivery);
  }

  isConfirmed(): boolean {
    const { deliveries } = this.#last;
    return deliveries.length > 0 && deliveries.every(({ state }) => state === 'acknowledged');
  }

  message(ref: string): StandingMessage | undefined {
    const message = this.#server.chat(direct).find(({ ts }) => ts === ref);
    return message && { text: readable(message.text), buttons: message.buttons.map(({ label }) => label) };
  }

  idOf(who: Who): string {
    return `${this.#server.home.installation.teamId}/${who === 'bot' ? otherBot.botId : users[who]}`;
  }

  sayIn({ chatId, threadId }: Conversation, text: string, who: Who): void {
    const thread = threadId === undefined ? {} : { threadTs: threadId };
    const by = who === 'bot' ? { bot: otherBot } : { from: users[who] };
    const words = `<@${this.#server.home.installation.botUserId}> ${typed(text)}`;
    this.#told(this.#server.say(chatId, words, { ...thread, ...by, isRaw: true }));
  }

  replyInGroup(text: string): void {
    this.sayIn(this.group, text, 'owner');
  }

  async pressIn(place: Conversation, label: string, who: Who): Promise<string> {
    const message = this.#withButton(place, label);
    return this.#isTold(
      place,
      who,
      () => this.#server.press(place.chatId, message.ts, label, { from: users[who] }).delivery,
    );
  }

  actionOf(label: string): string {
    return this.#withButton(this.home, label).buttons.find((button) => button.label === label)?.value ?? '';
  }

  async forge(place: Conversation, actionId: string, who: Who): Promise<string> {
    const ts = this.#messages(place).at(-1)?.ts ?? place.threadId ?? this.gone;
    const forged = { value: actionId };
    return this.#isTold(
      place,
      who,
      () => this.#server.press(place.chatId, ts, 'press:0', { from: users[who], forged }).delivery,
    );
  }

  seenIn(place: Conversation): string {
    const messages = this.#messages(place).filter(({ from }) => from === 'bot');
    return messages.map(({ text }) => readable(text)).join('\n');
  }

  called(): readonly string[] {
    return this.#server.chat(channel).flatMap(({ pings }) => pings);
  }

  fail(fault: NetworkFault): void {
    this.#server.fault({ method: 'chat.postMessage', times: 1, ...faults[fault] });
  }

  outage(isOn: boolean): void {
    this.#server.outage(isOn);
  }

  /** What is on its way still arrives, as everywhere: with sockets, that is what is said next. */
  fallSilent(): void {
    this.#fallsSilent = this.#server.sockets.count > 0;
    this.#server.silence(!this.#fallsSilent);
  }

  /** The sockets that were open have met it: they stay dumb, and somebody has to notice. */
  async speakAgain(): Promise<void> {
    this.#server.silence(false);
  }

  revoke(): void {
    this.#server.revoke();
  }

  restore(): void {
    this.#server.restore();
  }

  attempts(): number {
    return this.#server.calls.length;
  }

  failChange(fault: NetworkFault): void {
    this.#server.fault({ method: 'chat.update', times: 1, ...faults[fault] });
  }

  changes(): number {
    return this.#server.callsOf('chat.update').length;
  }

  attach({ bytes, name, mediaType }: PersonalFile, text: string): void {
    this.#told(this.#server.people.share(direct, [{ bytes, name, mediaType }], text, this.#inThread));
  }

  files(): readonly SeenFile[] {
    return this.#server.chat(direct).flatMap(({ from, files }) => (from === 'bot' ? files : []));
  }

  marks(): readonly string[] {
    const message = this.#server.chat(direct).findLast(({ from }) => from === 'user');
    return message?.reactions ?? [];
  }

  correct(text: string): void {
    const { said } = this.#last;
    if (said === undefined) throw new Error('Nobody has said anything.');
    const mention = said.channel === direct ? '' : `<@${this.#server.home.installation.botUserId}> `;
    this.#told(this.#server.edit(said.channel, said.ts, `${mention}${text}`));
  }

  forget(): void {
    this.#server.forget();
  }

  get #inThread(): { readonly threadTs?: string } {
    const { threadId } = this.home;
    return threadId === undefined ? {} : { threadTs: threadId };
  }

  #told(said: Said): void {
    this.#last = { deliveries: said.deliveries, said };
  }

  /** What stands in the place, the oldest first. */
  #messages({ chatId, threadId }: Conversation): readonly ShownMessage[] {
    return this.#server.chat(chatId).filter(({ ts, threadTs }) => ts === threadId || threadTs === threadId);
  }

  #withButton(place: Conversation, label: string): ShownMessage {
    const found = this.#messages(place).findLast(({ buttons }) => buttons.some((button) => button.label === label));
    if (found === undefined) throw new Error(`There is no button "${label}" in ${place.chatId}.`);
    return found;
  }

  /** What the presser alone reads then; empty if it is nothing for a while. Of several presses, each reads another one. */
  async #isTold({ chatId }: Conversation, who: Who, press: () => Delivery): Promise<string> {
    // A press that finds no socket is lost, as with Slack itself.
    await this.ready();
    const find = () => this.#server.home.ephemerals(chatId, users[who]).find(({ ts }) => !this.#read.has(ts));
    this.#last = { deliveries: [press()] };
    const told = await foundWithin(looks, find);
    if (told === undefined || this.#read.has(told.ts)) return '';
    this.#read.add(told.ts);
    return told.text;
  }
}

/** What a client sends of what somebody types. */
function typed(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What is seen of a text: a word joiner is not. */
function readable(text: string): string {
  return text.replaceAll('\u2060', '');
}
