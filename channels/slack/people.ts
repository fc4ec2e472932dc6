import type { ChannelHost, Sender } from '../../src/contract.ts';
import { endsWithin } from '../../src/lib/clock.ts';
import { isJsonObject } from '../../src/lib/json.ts';
import { Perishable } from '../../src/lib/remembered.ts';
import { bestEffort } from '../kit/retries.ts';
import type { SlackAnswer } from './api.ts';
import type { Naming } from './markup.ts';
import { conversationAt, isDirect, type Place, type Workspace } from './workspaces.ts';

/** So many names are known at a time, so long, in milliseconds; one that could not be had is not asked for so soon. */
const mostNames = 1_000;
const lifetime = 3_600_000;
const pauseAfterFailure = 60_000;
/** So long is a name waited for. */
const patience = 1_000;
/** Somebody may have named everyone in one message: no more are asked for. */
const mostAsked = 20;

/** Slack's own program writes as a person does. */
export const slackbot = 'USLACKBOT';

/** A person as Slack addresses them: by their id, and the workspace that they are a member of. */
export interface Writer {
  readonly userId: string;
  readonly teamId: string;
}

export interface Wanted {
  readonly users: readonly string[];
  readonly chats: readonly string[];
}

/** How people and channels are called. Asks Slack for what it doesn't know; an id stands for what can't be had soon. */
export function createNames({ clock, log }: Pick<ChannelHost, 'clock' | 'log'>) {
  /** Empty until it is known, and where it could not be had. */
  const known = new Perishable<string, { name: string; readonly asking: Promise<void> }>({ clock, most: mostNames });

  function ask({ api, teamId }: Workspace, id: string, method: string, parameters: object): Promise<void> {
    const key = `${teamId}/${id}`;
    const before = known.get(key);
    if (before !== undefined) return before.asking;
    const call = () => api.call(method, { ...parameters }, { repeatable: true });
    const fetch = async (): Promise<void> => {
      const answer = await bestEffort(call, { log, failure: 'a name could not be found out', fields: { id } });
      entry.name = answer === undefined ? '' : nameIn(answer);
      known.set(key, entry, entry.name === '' ? pauseAfterFailure : lifetime);
    };
    const entry = { name: '', asking: Promise.resolve().then(fetch) };
    known.set(key, entry, lifetime);
    return entry.asking;
  }

  /** Resolves when they are known, or after a second. Never throws. */
  async function learn(workspace: Workspace, { users, chats }: Wanted): Promise<void> {
    const others = users.filter((id) => id !== workspace.botUserId);
    const asking = [
      ...others.slice(0, mostAsked).map((user) => ask(workspace, user, 'users.info', { user })),
      ...chats.slice(0, mostAsked).map((channel) => ask(workspace, channel, 'conversations.info', { channel })),
    ];
    await endsWithin(
      Promise.all(asking).then(() => {}),
      { clock, milliseconds: patience },
    );
  }

  function find({ teamId }: Workspace, id: string): string | undefined {
    return known.get(`${teamId}/${id}`)?.name || undefined;
  }

  /** What people call the place: a channel by its name, a direct chat by the person in it. Undefined if that isn't known. */
  function titleOf({ workspace, chatId }: Place, person: string): string | undefined {
    if (isDirect(chatId)) return person;
    const name = find(workspace, chatId);
    return name === undefined ? undefined : `#${name}`;
  }

  return {
    learn,
    find,
    titleOf,

    /** Where and by whom something is said, when it is known how they are called, or a second later. */
    async speakerAt(place: Place, { teamId, userId }: Writer, otherName?: string) {
      const { workspace, chatId } = place;
      await learn(workspace, { users: [userId], chats: isDirect(chatId) ? [] : [chatId] });
      const name = find(workspace, userId) ?? otherName ?? userId;
      const sender: Sender = { id: `${teamId}/${userId}`, name, isPerson: userId !== slackbot };
      return { sender, conversation: conversationAt(place, titleOf(place, name)) };
    },

    /** As they are called in a workspace; by their ids, what isn't known. */
    in(workspace: Workspace): Naming {
      const name = (id: string): string => find(workspace, id) ?? id;
      return { person: (id) => (id === workspace.botUserId ? workspace.botName : name(id)), chat: name };
    },
  };
}

export type Names = ReturnType<typeof createNames>;

/** What people have chosen to be called, before what they were entered as. A group without a name of its own has none. */
function nameIn({ user, channel }: SlackAnswer): string {
  if (isJsonObject(channel)) return channel.is_mpim === true || channel.is_im === true ? '' : wordsIn(channel.name);
  if (!isJsonObject(user)) return '';
  const profile = isJsonObject(user.profile) ? user.profile : {};
  const candidates = [profile.display_name, user.real_name, profile.real_name, user.name];
  return candidates.map(wordsIn).find((name) => name !== '') ?? '';
}

function wordsIn(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
