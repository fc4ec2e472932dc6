import type { JsonObject } from '../../../src/lib/json.ts';
import type { Changes } from '../wait-for.ts';
import { AssistantThreads } from './assistant-threads.ts';
import { BotMethods } from './bot-methods.ts';
import { ConversationMethods } from './conversation-methods.ts';
import { Directory } from './directory.ts';
import { Events } from './events.ts';
import { FileMethods } from './file-methods.ts';
import { Files } from './files.ts';
import type { Identifiers } from './identifiers.ts';
import { Interactions } from './interactions.ts';
import { MessageMethods } from './message-methods.ts';
import { MessageWire } from './message-wire.ts';
import { Modals, Triggers } from './modals.ts';
import { People } from './people.ts';
import { ResponseUrls } from './response-urls.ts';
import { Rooms } from './rooms.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { SlackApp } from './slack-app.ts';
import { StreamMethods } from './stream-methods.ts';
import type { Installation } from './workspace-options.ts';

interface Dependencies {
  readonly installation: Installation;
  readonly app: SlackApp;
  readonly identifiers: Identifiers;
  readonly time: ScaledTime;
  readonly changes: Changes;
  readonly root: () => string;
  readonly scopes: readonly string[];
  readonly hasMessagesTab: boolean;
}

/** One workspace: what stands in it, who is there, what the app may ask for. */
export class Workspace {
  readonly installation: Installation;
  readonly app: SlackApp;
  readonly rooms: Rooms;
  readonly files: Files;
  readonly directory: Directory;
  readonly events: Events;
  readonly threads: AssistantThreads;
  readonly modals: Modals;
  readonly triggers: Triggers;
  readonly responseUrls: ResponseUrls;
  readonly people: People;
  readonly interactions: Interactions;
  readonly bot: BotMethods;
  readonly messages: MessageMethods;
  readonly streams: StreamMethods;
  readonly conversations: ConversationMethods;
  readonly fileMethods: FileMethods;
  /** What the bot was granted. */
  scopes: readonly string[];
  /** Whether people can write to the app directly. */
  hasMessagesTab: boolean;
  /** What the tokens of the bot are refused with. */
  revocation: string | undefined;

  constructor({ installation, app, identifiers, time, changes, root, scopes, hasMessagesTab }: Dependencies) {
    this.installation = installation;
    this.app = app;
    this.scopes = scopes;
    this.hasMessagesTab = hasMessagesTab;
    const rooms = new Rooms(identifiers);
    const directory = new Directory(installation);
    const files = new Files({ identifiers, teamId: installation.teamId, root });
    const wire = new MessageWire({ installation, files });
    const { deliveries } = app;
    const events = new Events({ installation, deliveries, identifiers, wire, time });
    const threads = new AssistantThreads(rooms);
    const mayWrite = (): boolean => this.hasMessagesTab;
    const messages = new MessageMethods({
      installation,
      rooms,
      directory,
      wire,
      events,
      threads,
      hasMessagesTab: mayWrite,
    });
    const triggers = new Triggers(time);
    const responseUrls = new ResponseUrls({ installation, rooms, messages, events, time, root });
    const modals = new Modals({ installation, identifiers, triggers });
    const bot = new BotMethods({ installation, rooms, directory, events });
    this.rooms = rooms;
    this.directory = directory;
    this.files = files;
    this.events = events;
    this.threads = threads;
    this.modals = modals;
    this.triggers = triggers;
    this.responseUrls = responseUrls;
    this.bot = bot;
    this.messages = messages;
    this.streams = new StreamMethods({ installation, rooms, messages, wire, events, time });
    this.conversations = new ConversationMethods({ installation, rooms, wire });
    this.fileMethods = new FileMethods({ installation, rooms, files, messages });
    const acting = { installation, rooms, directory, identifiers, changes };
    this.people = new People({ ...acting, files, events, bot, hasMessagesTab: mayWrite });
    this.interactions = new Interactions({ ...acting, deliveries, wire, triggers, responseUrls, modals });
  }

  /** Nothing stands anywhere any more, and nothing was uploaded or asked for. */
  forget(): void {
    const { rooms, files, threads, modals, triggers, responseUrls } = this;
    for (const part of [rooms, files, threads, modals, triggers, responseUrls]) part.forget();
  }

  /** A file as the door hands it out. Undefined if there is none. */
  bytesOf(fileId: string): { readonly bytes: Buffer; readonly mediaType: string } | undefined {
    return this.files.has(fileId) ? this.files.get(fileId) : undefined;
  }

  /** What the headers of an answer say of the scopes. */
  get scopeHeader(): string {
    return this.scopes.join(',');
  }

  /** Beside `missing_scope`. */
  provided(needed: string): JsonObject {
    return { needed, provided: this.scopeHeader };
  }
}
