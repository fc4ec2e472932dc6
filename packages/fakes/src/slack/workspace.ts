import { contains, type Found, type WaitOptions } from '../changes.ts';
import { buttonsOf, textOfBlocks } from './blocks.ts';
import { createInteractions } from './interactions.ts';
import { createPeople } from './people.ts';
import type { RoomOptions } from './rooms.ts';
import { describeMessage, type ShownEphemeral, type ShownMessage, show, showEphemeral } from './shown-message.ts';
import type { Modal, Person, ShownThread, SlackState } from './state.ts';

/** One workspace as tests see it: what people do there, and what they see. `describe` tells more where a wait was in vain. */
export function createWorkspace(state: SlackState, describe: () => string) {
  const { rooms, parts } = state;
  const people = createPeople(state);
  const chat = (channel: string) => shownIn(channel, state);
  const waitFor = <T>(look: () => T, options: WaitOptions = {}) => waitIn(state, describe, look, options);

  return {
    /** Who the app is here, with its tokens. */
    installation: parts.installation,
    ...createInteractions(state),
    /** What people do beside what stands here. */
    people,
    say: people.say,
    edit: people.edit,
    chat,
    waitFor,

    /** Makes a conversation, with the app in it if nothing else is said. A channel begins with C, a group with G. */
    addChannel(channel: string, options: RoomOptions = {}): void {
      for (const id of options.members ?? []) state.addPerson({ id });
      rooms.open(channel, options);
    },

    addPerson: (person: Person): void => state.addPerson(person),

    /** Opens the direct conversation of somebody with the app; gives its id. */
    addDirect(userId: string): string {
      state.addPerson({ id: userId });
      return rooms.direct(userId).id;
    },

    /** Takes the app out of the conversation. */
    leave(channel: string): void {
      rooms.visible(channel).hasBot = false;
    },

    /** What a thread shows now, with the message that begins it. */
    thread(channel: string, threadTs: string): readonly ShownMessage[] {
      return chat(channel).filter((message) => message.ts === threadTs || message.threadTs === threadTs);
    },

    /** What the app has shown to one person alone, or to each alone. */
    ephemerals: (channel: string, userId?: string): readonly ShownEphemeral[] => ephemeralsIn(channel, userId, state),

    /** The status and the prompts of a thread with the app. */
    assistant(channel: string, threadTs: string): ShownThread {
      return state.threads.get(`${channel} ${threadTs}`) ?? { status: '', prompts: [] };
    },

    /** Every status that the app has shown, the oldest first. */
    statuses: state.statuses,

    /** The modal that somebody sees. */
    modal(userId: string): Modal | undefined {
      return state.modals.findLast((modal) => modal.userId === userId && modal.isOpen);
    },

    /** The app's page as a person sees it. */
    homeOf: (userId: string) => homeOf(userId, state),

    /** Switches the Home tab off. */
    disableHome(): void {
      state.hasHome = false;
    },

    /** What the bot is granted from now on, as after the app was installed again. */
    grant(scopes: readonly string[]): void {
      state.scopes = scopes;
    },

    get scopes(): readonly string[] {
      return state.scopes;
    },

    /** Refuses the bot's token from now on, with `token_revoked` if nothing else is given. */
    revoke(code = 'token_revoked'): void {
      state.revocation = code;
    },

    /** Takes it again. */
    restore(): void {
      state.revocation = undefined;
    },

    /** Waits until the app shows such a message there. */
    waitForMessage(channel: string, wanted: string | RegExp, timeoutMs?: number): Promise<ShownMessage> {
      const what = `a message of the app with ${wanted} in ${channel}`;
      return waitFor(() => latestWith(wanted, chat(channel)), { what, ...(timeoutMs !== undefined && { timeoutMs }) });
    },
  };
}

/** What the conversation shows now, answers in threads included, the oldest first. Nothing, if there is none. */
function shownIn(channel: string, { rooms }: SlackState): readonly ShownMessage[] {
  return [...(rooms.get(channel)?.messages.values() ?? [])].map(show);
}

/** Looks again after every request and everything that a person does. */
function waitIn<T>(state: SlackState, describe: () => string, look: () => T, options: WaitOptions): Promise<Found<T>> {
  const shown = () => state.rooms.all.flatMap(({ id }) => [`${id}:`, ...shownIn(id, state).map(describeMessage)]);
  return state.parts.changes.waitFor(look, { describe: () => [...shown(), describe()].join('\n'), ...options });
}

/** The newest message of the app with these words. */
function latestWith(wanted: string | RegExp, shown: readonly ShownMessage[]): ShownMessage | undefined {
  return shown.findLast((message) => message.from === 'bot' && contains(message.text, wanted));
}

function ephemeralsIn(channel: string, userId: string | undefined, { rooms }: SlackState): readonly ShownEphemeral[] {
  const all = (rooms.get(channel)?.ephemerals ?? []).map(showEphemeral);
  return userId === undefined ? all : all.filter((message) => message.userId === userId);
}

function homeOf(userId: string, { homes }: SlackState) {
  const home = homes.get(userId);
  return home && { text: textOfBlocks(home.blocks), buttons: buttonsOf(home.blocks), blocks: home.blocks };
}
