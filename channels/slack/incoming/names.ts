import { ChannelError } from '../../../src/contract.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { endsWithin } from '../../../src/lib/ends-within.ts';
import { isJsonObject } from '../../../src/lib/json.ts';
import type { Log } from '../../../src/lib/log.ts';
import { Perishable } from '../../../src/lib/perishable.ts';
import type { SlackAnswer } from '../web-api/api.ts';
import type { Workspace } from '../workspaces.ts';
import type { Naming } from './mrkdwn.ts';
import { isDirect, type Place } from './place.ts';

/** So many names are known at a time, so long, in milliseconds; one that could not be had is not asked for so soon. */
const mostNames = 1_000;
const lifetime = 3_600_000;
const pauseAfterFailure = 60_000;
/** So long is a name waited for. */
const patience = 1_000;
/** Somebody may have named everyone in one message: no more are asked for. */
const mostAsked = 20;

export interface Wanted {
  readonly users: readonly string[];
  readonly chats: readonly string[];
}

/** How people and channels are called. Asks Slack for what it doesn't know; an id stands for what can't be had soon. */
export class Names {
  readonly #clock: Clock;
  readonly #log: Log;
  /** An empty one: it could not be had. */
  readonly #known: Perishable<string, string>;
  readonly #asked = new Map<string, Promise<void>>();

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
    this.#known = new Perishable({ clock, most: mostNames });
  }

  /** Resolves when they are known, or after a second. Never throws. */
  async learn(workspace: Workspace, { users, chats }: Wanted): Promise<void> {
    const others = users.filter((id) => id !== workspace.botUserId);
    const asked = [
      ...others.slice(0, mostAsked).map((id) => this.#ask(workspace, id, 'users.info')),
      ...chats.slice(0, mostAsked).map((id) => this.#ask(workspace, id, 'conversations.info')),
    ].filter((request) => request !== undefined);
    if (asked.length === 0) return;
    const answered = Promise.all(asked).then(() => {});
    await endsWithin(answered, { clock: this.#clock, milliseconds: patience });
  }

  /** What is known of a name by now. */
  find({ teamId }: Workspace, id: string): string | undefined {
    return this.#known.get(`${teamId}/${id}`) || undefined;
  }

  /** As they are called in a workspace; by their ids, what isn't known. */
  in(workspace: Workspace): Naming {
    const name = (id: string): string => this.find(workspace, id) ?? id;
    return { person: (id) => (id === workspace.botUserId ? workspace.botName : name(id)), chat: name };
  }

  /** What people call the place: a channel by its name, a direct chat by the person in it. Undefined if that isn't known. */
  titleOf({ workspace, chatId }: Place, person: string): string | undefined {
    if (isDirect(chatId)) return person;
    const name = this.find(workspace, chatId);
    return name === undefined ? undefined : `#${name}`;
  }

  #ask(workspace: Workspace, id: string, method: 'users.info' | 'conversations.info'): Promise<void> | undefined {
    const key = `${workspace.teamId}/${id}`;
    if (this.#known.get(key) !== undefined) return undefined;
    const running = this.#asked.get(key);
    if (running !== undefined) return running;
    const request = this.#fetch(workspace, id, method).finally(() => this.#asked.delete(key));
    this.#asked.set(key, request);
    return request;
  }

  async #fetch({ api, teamId }: Workspace, id: string, method: 'users.info' | 'conversations.info'): Promise<void> {
    const remember = (name: string): void => {
      this.#known.set(`${teamId}/${id}`, name, name === '' ? pauseAfterFailure : lifetime);
    };
    try {
      const parameters = method === 'users.info' ? { user: id } : { channel: id };
      remember(nameIn(await api.call(method, parameters, { repeatable: true })));
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      this.#log.debug({ id, reason: error.message }, 'a name could not be found out');
      remember('');
    }
  }
}

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
