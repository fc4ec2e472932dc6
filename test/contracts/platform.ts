import type { ChannelAdapter, ChannelFault, Conversation } from '../../src/contract.ts';
import type { JsonObject } from '../../src/lib/json.ts';

/** A fake platform with its owner at the other end. Each test has one of its own. */
export interface Platform {
  /** The channel's name in the catalogue. */
  readonly channel: string;
  /** What stands under `channels.<name>` in the config. */
  readonly settings: JsonObject;
  /** The platform's id of the owner. */
  readonly owner: string;
  /** Where the owner and the bot are alone. */
  readonly home: Conversation;
  /** A conversation of the channel that does not exist. */
  readonly nowhere: Conversation;
  /** Makes an adapter that is not started, as every process makes one. */
  connect(): ChannelAdapter;
  /** Resolves when an adapter that was started receives, and would hear what is said now. Left out where what is said before that comes at once, too. */
  ready?(): Promise<void>;
  /** The owner says something at home. */
  say(text: string): void;
  /** The owner presses the button with this label on the newest message at home that has one. Throws if none has. */
  press(label: string): void;
  /** All that the owner can read at home of what the bot has shown, from top to bottom. */
  seen(): string;
  /** Delivers what no sound client sends, and resolves when that is out. Messages of the owner may be among it. */
  deliverRubbish(): Promise<void>;
  close(): Promise<void>;
}

/** The platform may deliver an event more than once. */
export interface RepeatingPlatform extends Platform {
  /** Delivers what the owner did last once more, whether or not it was acknowledged. */
  repeat(): void;
}

/** The platform waits to be told that an event arrived, and keeps it until then. */
export interface ConfirmingPlatform extends Platform {
  /** Whether it was told that all that people did has arrived. */
  isConfirmed(): boolean;
}

/** A message as people see it now. */
export interface StandingMessage {
  readonly text: string;
  /** The labels. */
  readonly buttons: readonly string[];
}

/** Messages stand where they are, and an edit changes them there. */
export interface EditingPlatform extends Platform {
  message(ref: string): StandingMessage | undefined;
}

/** `friend` may talk, and decides nothing. `stranger` may do neither. `bot` is another program. */
export type Who = 'owner' | 'friend' | 'stranger' | 'bot';

/** There are other people, and groups. The settings let the friend talk, and the bot answer in the group when addressed. */
export interface CrowdedPlatform extends Platform {
  readonly group: Conversation;
  /** The platform's id of somebody. */
  idOf(who: Who): string;
  /** Somebody says something to the bot in the group, or in a thread of it. */
  sayIn(conversation: Conversation, text: string, who: Who): void;
  /** Presses as `press` does. Resolves with what the presser alone is told: empty if nothing. */
  pressIn(conversation: Conversation, label: string, who: Who): Promise<string>;
  /** What the newest button with this label at home sends. */
  actionOf(label: string): string;
  /** Somebody sends an action with a client of their own. Resolves with what they alone are told. */
  forge(conversation: Conversation, actionId: string, who: Who): Promise<string>;
  seenIn(conversation: Conversation): string;
  /** Whom the messages of the bot have called. */
  called(): readonly string[];
}

/** Groups have threads. */
export interface ThreadedPlatform extends CrowdedPlatform {
  /** A thread of the group. */
  readonly thread: Conversation;
  /** The owner answers a message in the group, which makes no thread. */
  replyInGroup(text: string): void;
}

/** What any network can do to a message. */
export type NetworkFault = Exclude<ChannelFault['type'], 'moved'>;

/** There is a network in between, and credentials. */
export interface NetworkedPlatform extends Platform {
  /** What must stand in no log and no error. */
  readonly secret: string;
  /** A message that is sent once more is not shown once more: then a lost answer is a fault that passes. */
  readonly mergesRepeats?: boolean;
  /** The next message that the bot sends meets this. A limit is for `platformLimit` milliseconds. */
  fail(fault: NetworkFault): void;
  /** Nobody can be reached, and open connections break. */
  outage(isOn: boolean): void;
  /** Connections are accepted, and no request on them is ever answered. */
  fallSilent(): void;
  /** Ends the silence once the bot has met it. What was asked in it is never answered. Resolves then. */
  speakAgain(): Promise<void>;
  /** The credentials hold no more. */
  revoke(): void;
  /** They hold again: the platform was wrong. */
  restore(): void;
  /** How many requests or connections the platform has seen. */
  attempts(): number;
}

/** A reply is shown as messages that change while it is written. */
export interface GrowingPlatform extends NetworkedPlatform {
  /** The next change of a message meets this. */
  failChange(fault: NetworkFault): void;
  /** How often the bot has changed a message, or tried to. */
  changes(): number;
}

/** A file that people send. */
export interface PersonalFile {
  readonly kind: 'image' | 'file';
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** People can send files. */
export interface AttachingPlatform extends Platform {
  /** The owner sends a file at home, with a text, which may be empty. */
  attach(file: PersonalFile, text: string): void;
}

/** A file that people can open. */
export interface SeenFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The bot can send files. */
export interface FilingPlatform extends Platform {
  /** Those that the bot has shown at home, from top to bottom. */
  files(): readonly SeenFile[];
}

/** Messages can answer others. */
export interface AnsweringPlatform extends Platform {
  /** The name of a message at home that is not there. */
  readonly gone: string;
  /** The owner answers the newest message at home that holds these words. */
  answer(words: string, text: string): void;
  /** The text of what the message answers, as people see it; undefined if it answers none. */
  answered(ref: string): string | undefined;
}

/** Messages can be marked. */
export interface MarkingPlatform extends Platform {
  /** The name of a message at home that is not there. */
  readonly gone: string;
  /** What the owner's newest message at home is marked with. */
  marks(): readonly string[];
}

/** What was said can be changed. */
export interface CorrectingPlatform extends Platform {
  /** The person who spoke last, at home or elsewhere, changes what they said. */
  correct(text: string): void;
}

/** Messages can be passed on. */
export interface SharingPlatform extends Platform {
  /** The owner passes on at home what Mallory has written elsewhere, without a word of their own. */
  share(text: string): void;
}

/** A group can get another id, under which it goes on. */
export interface MovingPlatform extends CrowdedPlatform {
  /** A group to which that can happen. The settings let the bot answer in it when addressed. */
  readonly movable: Conversation;
  /** Gives it another id. Gives the conversation that it is now. */
  move(): Conversation;
}

/** The platform can forget. */
export interface ForgettingPlatform extends EditingPlatform {
  /** Forgets all that was said, shown, and asked for: what the fake holds is not the adapter's. */
  forget(): void;
}

/** What most platforms of people can do. */
export type SociablePlatform = RepeatingPlatform &
  ConfirmingPlatform &
  ThreadedPlatform &
  GrowingPlatform &
  EditingPlatform &
  ForgettingPlatform &
  AttachingPlatform &
  FilingPlatform &
  MarkingPlatform &
  CorrectingPlatform &
  SharingPlatform;

/** How long the bot must wait when a platform that it asked too much says so, in milliseconds. */
export const platformLimit = 10_000;

/** What a fake does when a message meets each kind of fault, but for what it says itself of the third and the fourth. */
export function faultsWith<Fault>(permanent: Fault, auth: Fault) {
  return {
    'rate-limited': { kind: '429', retryAfter: platformLimit / 1_000 },
    transient: { kind: 'status', status: 500 },
    permanent,
    auth,
    ambiguous: { kind: 'drop-after' },
  } as const satisfies Readonly<Record<NetworkFault, unknown>>;
}

/** The newest message with this button. Throws if none has it. */
export function withButton<Message extends { readonly buttons: readonly { readonly label?: string }[] }>(
  messages: readonly Message[],
  label: string,
): Message {
  const found = messages.findLast(({ buttons }) => buttons.some((button) => button.label === label));
  if (found === undefined) throw new Error(`There is no button "${label}".`);
  return found;
}
