import type { Changes } from '../changes.ts';
import type { JsonObject } from '../json.ts';
import { type Author, type Identifiers, type Room, Rooms, type StoredFile } from './rooms.ts';
import type { ScaledTime } from './scaled-time.ts';
import type { SlackApp } from './slack-app.ts';
import type { Installation } from './workspace-options.ts';

/** Somebody who can be asked about. */
export interface Person {
  readonly id: string;
  readonly name?: string;
  readonly realName?: string;
  /** Of a guest from another workspace. */
  readonly teamId?: string;
  readonly isBot?: boolean;
  /** As Slack tells it: a name, null where nobody has set one. */
  readonly tz?: string | null;
  /** The language of their client. `en-US`, if not set. */
  readonly locale?: string;
}

/** What people see beside the messages of a thread with the app. */
export interface ShownThread {
  /** Empty while the app does nothing. */
  readonly status: string;
  readonly prompts: readonly { readonly title: string; readonly message: string }[];
}

/** A modal as a person sees it. */
export interface Modal {
  readonly id: string;
  readonly userId: string;
  readonly title: string;
  readonly blocks: readonly JsonObject[];
  /** What the app gave. */
  readonly view: JsonObject;
  isOpen: boolean;
}

/** The app's page for one person. */
export interface HomeView {
  readonly id: string;
  readonly blocks: readonly JsonObject[];
  /** What the app gave. */
  readonly view: JsonObject;
}

/** What a person did, which allows an answer at the response URL. */
export interface Occasion {
  readonly room: Room;
  readonly userId: string;
  readonly threadTs?: string | undefined;
  readonly at: number;
  uses: number;
}

/** A place that bytes of that length are awaited at. */
interface Upload {
  readonly name: string;
  readonly length: number;
  bytes?: Buffer;
}

export interface SharedParts {
  readonly installation: Installation;
  readonly app: SlackApp;
  readonly identifiers: Identifiers;
  readonly time: ScaledTime;
  readonly changes: Changes;
  /** Where the server is, without a slash at the end. */
  readonly root: () => string;
}

/** All that there is in one workspace. */
export class SlackState {
  readonly parts: SharedParts;
  readonly rooms: Rooms;
  readonly people = new Map<string, Person>();
  readonly files = new Map<string, StoredFile>();
  readonly uploads = new Map<string, Upload>();
  readonly threads = new Map<string, ShownThread>();
  /** Every status that was shown, the oldest first. */
  readonly statuses: string[] = [];
  readonly modals: Modal[] = [];
  /** By person. */
  readonly homes = new Map<string, HomeView>();
  /** Whether the app has a Home tab. */
  hasHome = true;
  readonly triggers = new Map<string, { readonly userId: string; readonly at: number; isUsed: boolean }>();
  readonly occasions = new Map<string, Occasion>();
  /** What the bot was granted. */
  scopes: readonly string[];
  /** What the token of the bot is refused with. */
  revocation: string | undefined;

  constructor(parts: SharedParts, scopes: readonly string[]) {
    const { botUserId, botName } = parts.installation;
    this.parts = parts;
    this.scopes = scopes;
    this.rooms = new Rooms(parts.identifiers);
    this.addPerson({ id: botUserId, name: botName, isBot: true });
  }

  /** Everybody who does something is known. */
  addPerson(person: Person): void {
    this.people.set(person.id, { ...this.people.get(person.id), ...person });
  }

  nameOf(id: string): string {
    return this.people.get(id)?.name ?? `person_${id.toLowerCase()}`;
  }

  teamOf(id: string): string {
    return this.people.get(id)?.teamId ?? this.parts.installation.teamId;
  }

  /** The app itself as the author of a message. */
  get self(): Author {
    const { botUserId: userId, botId } = this.parts.installation;
    return { kind: 'self', userId, botId };
  }

  /** Nothing stands anywhere any more, and nothing was uploaded or asked for. */
  forget(): void {
    const { rooms, files, uploads, threads, triggers, occasions, homes, modals, statuses } = this;
    rooms.forget();
    for (const map of [files, uploads, threads, triggers, occasions, homes]) map.clear();
    modals.length = 0;
    statuses.length = 0;
  }
}
