import type { Changes, Found, WaitOptions } from '../wait-for.ts';
import type { ShownThread } from './assistant-threads.ts';
import type { Delivery } from './deliveries.ts';
import { describeMessage } from './describe.ts';
import type { Person } from './directory.ts';
import type { Interaction, PressOptions } from './interactions.ts';
import type { Modal } from './modals.ts';
import type { People, Said, SayOptions } from './people.ts';
import type { RoomOptions } from './rooms.ts';
import { directRoom } from './self.ts';
import {
  isWanted,
  type ShownEphemeral,
  type ShownMessage,
  show,
  showEphemeral,
  type WantedMessage,
} from './shown-message.ts';
import type { Workspace } from './workspace.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly workspace: Workspace;
  readonly changes: Changes;
  /** What to tell beside the messages when a wait was in vain. */
  readonly describe: () => string;
}

/** One workspace as tests see it: what people do there, and what they see. */
export class WorkspaceView {
  readonly #workspace: Workspace;
  readonly #changes: Changes;
  readonly #describe: () => string;

  constructor({ workspace, changes, describe }: Dependencies) {
    this.#workspace = workspace;
    this.#changes = changes;
    this.#describe = describe;
  }

  /** Who the app is here, with its tokens. */
  get installation(): Installation {
    return this.#workspace.installation;
  }

  /** What people do beside saying, editing and pressing. */
  get people(): People {
    return this.#workspace.people;
  }

  /** Makes a conversation, with the app in it if nothing else is said. A channel begins with C, a group with G. */
  addChannel(channel: string, options: RoomOptions = {}): void {
    for (const id of options.members ?? []) this.#workspace.directory.add({ id });
    this.#workspace.rooms.open(channel, options);
  }

  addPerson(person: Person): void {
    this.#workspace.directory.add(person);
  }

  /** Opens the direct conversation of somebody with the app; gives its id. */
  addDirect(userId: string): string {
    this.#workspace.directory.add({ id: userId });
    return directRoom(this.#workspace.rooms, userId).id;
  }

  /** Changes what a conversation is: whether the app is in it, whether it is archived. */
  changeChannel(channel: string, change: { readonly hasBot?: boolean; readonly isArchived?: boolean }): void {
    Object.assign(this.#workspace.rooms.find(channel), change);
  }

  /** What the conversation shows now, answers in threads included, the oldest first. Nothing, if there is none. */
  chat(channel: string): readonly ShownMessage[] {
    return [...(this.#workspace.rooms.get(channel)?.messages.values() ?? [])].map(show);
  }

  /** What a thread shows now, with the message that begins it. */
  thread(channel: string, threadTs: string): readonly ShownMessage[] {
    return this.chat(channel).filter((message) => message.ts === threadTs || message.threadTs === threadTs);
  }

  /** What the app has shown to one person alone, or to each alone. */
  ephemerals(channel: string, userId?: string): readonly ShownEphemeral[] {
    const all = (this.#workspace.rooms.get(channel)?.ephemerals ?? []).map(showEphemeral);
    return userId === undefined ? all : all.filter((message) => message.userId === userId);
  }

  /** The status and the prompts of a thread with the app. */
  assistant(channel: string, threadTs: string): ShownThread {
    return this.#workspace.threads.shown(channel, threadTs);
  }

  /** Every status that the app has shown, the oldest first. */
  get statuses() {
    return this.#workspace.threads.statuses;
  }

  /** The modal that somebody sees. */
  modal(userId: string): Modal | undefined {
    return this.#workspace.modals.shownTo(userId);
  }

  say(channel: string, text: string, options: SayOptions = {}): Said {
    return this.people.say(channel, text, options);
  }

  /** Changes what a person said. */
  edit(channel: string, ts: string, text: string): Said {
    return this.people.edit(channel, ts, text);
  }

  /** Presses a button by what stands on it, its action id or its value. Throws if it is not there, unless it is forged. */
  press(channel: string, ts: string, wanted: string, options: PressOptions = {}): Interaction {
    return this.#workspace.interactions.press(channel, ts, wanted, options);
  }

  command(channel: string, command: string, text = '', options: Omit<PressOptions, 'forged'> = {}): Interaction {
    return this.#workspace.interactions.command(channel, command, text, options);
  }

  /** Fills in the modal that somebody sees, by action or block ids, and sends it. */
  submit(userId: string, values: Readonly<Record<string, string>> = {}): Delivery {
    return this.#workspace.interactions.submit(userId, values);
  }

  /** What the bot is granted from now on, as after the app was installed again. */
  grant(scopes: readonly string[]): void {
    this.#workspace.scopes = scopes;
  }

  get scopes(): readonly string[] {
    return this.#workspace.scopes;
  }

  /** Whether people can write to the app directly, and it to them. */
  setMessagesTab(on: boolean): void {
    this.#workspace.hasMessagesTab = on;
  }

  /** The events that the app has asked for: `message.im`, `app_mention`. Everything until then. */
  subscribe(events: readonly string[]): void {
    this.#workspace.events.subscriptions = events;
  }

  /** Refuses the bot's token from now on, with `token_revoked` if nothing else is given. */
  revoke(code = 'token_revoked'): void {
    this.#workspace.revocation = code;
  }

  /** Takes it again. */
  restore(): void {
    this.#workspace.revocation = undefined;
  }

  /** Waits until the app shows such a message there: a text that it contains, a pattern, or a condition. */
  waitForMessage(channel: string, wanted: WantedMessage, timeoutMs?: number): Promise<ShownMessage> {
    const what = typeof wanted === 'function' ? 'a message of the app' : `a message of the app with ${wanted}`;
    return this.waitFor(
      () => this.chat(channel).findLast((message) => message.from === 'bot' && isWanted(message, wanted)),
      { what: `${what} in ${channel}`, ...(timeoutMs !== undefined && { timeoutMs }) },
    );
  }

  /** Looks again after every request and everything that a person does. */
  waitFor<T>(look: () => T, options: WaitOptions = {}): Promise<Found<T>> {
    return this.#changes.waitFor(look, { describe: () => [this.describe(), this.#describe()].join('\n'), ...options });
  }

  /** What stands in every conversation. */
  describe(): string {
    const ids = this.#workspace.rooms.ids();
    return ids.flatMap((id) => [`${id}:`, ...this.chat(id).map(describeMessage)]).join('\n');
  }
}
