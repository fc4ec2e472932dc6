import type { ChannelHost, Conversation, Sender } from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackAnswer } from './api.ts';
import type { Naming } from './markup.ts';
import { conversationAt, isDirect, type SlackConversation, type Workspace } from './workspaces.ts';

/** Limits of the cache. Times in ms; failed lookups expire sooner. */
const mostNames = 1_000;
const lifetime = 3_600_000;
const pauseAfterFailure = 60_000;
/** How long to wait for names, in ms. */
const patience = 1_000;
/** Lookups per message: one message may mention everyone. */
const mostAsked = 40;

/** Slack's own bot, which looks like a person. */
export const slackbot = 'USLACKBOT';

/** A person in Slack: their workspace and their id there. */
export interface Writer {
  readonly teamId: string;
  readonly id: string;
}

/** The core's id of a person: unique among all workspaces. */
export function senderId({ teamId, id }: Writer): string {
  return `${teamId}/${id}`;
}

/** Who wrote a post. */
export interface Author extends Writer {
  readonly isPerson: boolean;
  /** Left out if it has to be looked up. */
  readonly name?: string | undefined;
}

interface Known {
  name: string;
  timeZone?: string | undefined;
  language?: string | undefined;
  readonly asking: Promise<void>;
}

type NamesHost = Pick<ChannelHost, 'clock' | 'log'>;

/** Who says something, and where. */
interface Speaker {
  readonly sender: Sender;
  readonly conversation: Conversation;
}

/** Names of people and channels. Looks up unknown ones; until then, and after failures, the id is used. */
export class Names {
  readonly #host: NamesHost;
  /** Name is empty until it is known, and if the lookup failed. */
  readonly #known: Perishable<string, Known>;

  constructor(host: NamesHost) {
    this.#host = host;
    this.#known = new Perishable({ clock: host.clock, most: mostNames });
  }

  /** Resolves when the names of these people and chats are known, or after a second. Never rejects. */
  async learn(workspace: Workspace, ids: readonly string[]): Promise<void> {
    const isNamed = (id: string): boolean => id === workspace.botUserId || isDirect(id);
    const asked = [...new Set(ids)].filter((id) => !isNamed(id)).slice(0, mostAsked);
    const learnt = asked.map((id) => this.#ask(workspace, id));
    await endsWithin(Promise.all(learnt), { clock: this.#host.clock, milliseconds: patience });
  }

  /** The sender and the conversation, with the names known now. `otherName`: shown while theirs is unknown. */
  speaker(conversation: SlackConversation, { teamId, id, isPerson, name: given }: Author, otherName = id): Speaker {
    const name = given ?? this.#find(conversation.workspace, id) ?? otherName;
    const { timeZone, language } = this.#known.get(keyOf(conversation.workspace, id)) ?? {};
    const sender: Sender = { id: senderId({ teamId, id }), name, isPerson, timeZone, language };
    return { sender, conversation: conversationAt(conversation, this.#titleOf(conversation, name)) };
  }

  /** The same for a person. Waits up to a second for the names. */
  async speakerAt(conversation: SlackConversation, writer: Writer, otherName?: string): Promise<Speaker> {
    await this.learn(conversation.workspace, [writer.id, conversation.chatId]);
    return this.speaker(conversation, { ...writer, isPerson: writer.id !== slackbot }, otherName);
  }

  /** Names for a workspace; ids where unknown. */
  in(workspace: Workspace): Naming {
    return (id) => (id === workspace.botUserId ? workspace.botName : (this.#find(workspace, id) ?? id));
  }

  #ask(workspace: Workspace, id: string): Promise<void> {
    const key = keyOf(workspace, id);
    const before = this.#known.get(key);
    if (before !== undefined) return before.asking;
    const entry: Known = { name: '', asking: Promise.resolve().then(() => this.#fetch(workspace, id, entry)) };
    this.#known.set(key, entry, lifetime);
    return entry.asking;
  }

  async #fetch(workspace: Workspace, id: string, entry: Known): Promise<void> {
    const { api } = workspace;
    const call = () =>
      /^[CG]/.test(id)
        ? api.call('conversations.info', { channel: id }, { repeatable: true })
        : api.call('users.info', { user: id, include_locale: true }, { repeatable: true });
    const { log } = this.#host;
    const answer = await bestEffort(call, { log, failure: 'a name could not be found out', fields: { id } });
    entry.name = answer === undefined ? '' : nameIn(answer);
    entry.timeZone = ofUser(answer, 'tz');
    entry.language = ofUser(answer, 'locale');
    this.#known.set(keyOf(workspace, id), entry, entry.name === '' ? pauseAfterFailure : lifetime);
  }

  #find(workspace: Workspace, id: string): string | undefined {
    return this.#known.get(keyOf(workspace, id))?.name || undefined;
  }

  /** A channel's name, or the person in a direct chat. Undefined if unknown. */
  #titleOf({ workspace, chatId }: SlackConversation, person: string): string | undefined {
    if (isDirect(chatId)) return person;
    const name = this.#find(workspace, chatId);
    return name === undefined ? undefined : `#${name}`;
  }
}

function keyOf({ teamId }: Workspace, id: string): string {
  return `${teamId}/${id}`;
}

/** The display name if set, then the real name. Group direct messages have no name. */
function nameIn({ user, channel }: SlackAnswer): string {
  if (isJsonObject(channel)) return channel.is_mpim === true || channel.is_im === true ? '' : wordsIn(channel.name);
  if (!isJsonObject(user)) return '';
  const profile = isJsonObject(user.profile) ? user.profile : {};
  const candidates = [profile.display_name, user.real_name, profile.real_name, user.name];
  return candidates.map(wordsIn).find((name) => name !== '') ?? '';
}

/** What Slack tells about a person: their zone, `tz`, and the language of their client, `locale`. */
function ofUser(answer: SlackAnswer | undefined, field: 'tz' | 'locale'): string | undefined {
  return isJsonObject(answer?.user) ? wordsIn(answer.user[field]) || undefined : undefined;
}

function wordsIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
