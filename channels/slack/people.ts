import type { ChannelHost, Sender } from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackAnswer } from './api.ts';
import type { Naming } from './markup.ts';
import { conversationAt, isDirect, type Place, type Workspace } from './workspaces.ts';

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

/** Who wrote a post. */
export interface Author extends Writer {
  readonly isPerson: boolean;
  /** Left out if it has to be looked up. */
  readonly name?: string | undefined;
}

interface Known {
  name: string;
  timeZone?: string | undefined;
  readonly asking: Promise<void>;
}

/** Names of people and channels. Looks up unknown ones; until then, and after failures, the id is used. */
export function createNames({ clock, log }: Pick<ChannelHost, 'clock' | 'log'>) {
  /** Name is empty until it is known, and if the lookup failed. */
  const known = new Perishable<string, Known>({ clock, most: mostNames });

  function ask({ api, teamId }: Workspace, id: string): Promise<void> {
    const key = `${teamId}/${id}`;
    const before = known.get(key);
    if (before !== undefined) return before.asking;
    const call = () =>
      /^[CG]/.test(id)
        ? api.call('conversations.info', { channel: id }, { repeatable: true })
        : api.call('users.info', { user: id }, { repeatable: true });
    const fetch = async (): Promise<void> => {
      const answer = await bestEffort(call, { log, failure: 'a name could not be found out', fields: { id } });
      entry.name = answer === undefined ? '' : nameIn(answer);
      entry.timeZone = answer === undefined ? undefined : timeZoneIn(answer);
      known.set(key, entry, entry.name === '' ? pauseAfterFailure : lifetime);
    };
    const entry: Known = { name: '', asking: Promise.resolve().then(fetch) };
    known.set(key, entry, lifetime);
    return entry.asking;
  }

  /** Resolves when the names of these people and chats are known, or after a second. Never rejects. */
  async function learn(workspace: Workspace, ids: readonly string[]): Promise<void> {
    const named = (id: string): boolean => id === workspace.botUserId || isDirect(id);
    const asked = [...new Set(ids)].filter((id) => !named(id)).slice(0, mostAsked);
    const learnt = asked.map((id) => ask(workspace, id));
    await endsWithin(Promise.all(learnt), { clock, milliseconds: patience });
  }

  function find({ teamId }: Workspace, id: string): string | undefined {
    return known.get(`${teamId}/${id}`)?.name || undefined;
  }

  /** A channel's name, or the person in a direct chat. Undefined if unknown. */
  function titleOf({ workspace, chatId }: Place, person: string): string | undefined {
    if (isDirect(chatId)) return person;
    const name = find(workspace, chatId);
    return name === undefined ? undefined : `#${name}`;
  }

  /** The sender and the conversation, with the names known now. `otherName`: shown while theirs is unknown. */
  function speaker(place: Place, { teamId, id, isPerson, name: given }: Author, otherName = id) {
    const name = given ?? find(place.workspace, id) ?? otherName;
    const { timeZone } = known.get(`${place.workspace.teamId}/${id}`) ?? {};
    const sender: Sender = { id: `${teamId}/${id}`, name, isPerson, timeZone };
    return { sender, conversation: conversationAt(place, titleOf(place, name)) };
  }

  return {
    learn,
    speaker,

    /** The same for a person. Waits up to a second for the names. */
    async speakerAt(place: Place, writer: Writer, otherName?: string) {
      await learn(place.workspace, [writer.id, place.chatId]);
      return speaker(place, { ...writer, isPerson: writer.id !== slackbot }, otherName);
    },

    /** Names for a workspace; ids where unknown. */
    in:
      (workspace: Workspace): Naming =>
      (id) =>
        id === workspace.botUserId ? workspace.botName : (find(workspace, id) ?? id),
  };
}

export type Names = ReturnType<typeof createNames>;

/** The display name if set, then the real name. Group direct messages have no name. */
function nameIn({ user, channel }: SlackAnswer): string {
  if (isJsonObject(channel)) return channel.is_mpim === true || channel.is_im === true ? '' : wordsIn(channel.name);
  if (!isJsonObject(user)) return '';
  const profile = isJsonObject(user.profile) ? user.profile : {};
  const candidates = [profile.display_name, user.real_name, profile.real_name, user.name];
  return candidates.map(wordsIn).find((name) => name !== '') ?? '';
}

/** Slack knows where each person is: `tz` of `users.info`. */
function timeZoneIn({ user }: SlackAnswer): string | undefined {
  return isJsonObject(user) ? wordsIn(user.tz) || undefined : undefined;
}

function wordsIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
