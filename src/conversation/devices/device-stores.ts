import { type OutboundMessage, partsOf, principalOf } from '../../contract.ts';

/** The channel that devices talk on. */
export const deviceChannel = 'device';

/** A phone, a browser or a script that a person has paired with their account. */
export interface Device {
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** The name of its owner. */
  readonly personName: string;
  readonly createdAt: number;
  /** When it was last connected; missing where it never was. */
  readonly lastSeenAt?: number | undefined;
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
}

/** Those of them that are no devices': a device follows the person who paired it, and is linked with nobody by itself. */
export function withoutDevices(accounts: readonly string[]): readonly string[] {
  return accounts.filter((account) => partsOf(account).channel !== deviceChannel);
}

/** With the hash by which its token is recognised: nobody can make the token of it. */
export interface StoredDevice extends Device {
  readonly tokenHash: string;
}

/** A code that a device is paired with, as a person was shown it. */
export interface DeviceCode {
  readonly code: string;
  /** The name that the device gets; missing where it says so itself. */
  readonly name?: string | undefined;
  readonly expiresAt: number;
}

/** A device that shows a code. */
export interface DevicePairing {
  readonly code: string;
  readonly id: string;
  readonly tokenHash: string;
  /** Its own name for itself, where the code gives it none. */
  readonly name: string;
  /** The message to the person in the chat where they got the code. Called inside the transaction. */
  readonly words: (device: Device) => OutboundMessage;
  readonly at: number;
}

/** Remembers which devices belong to whom. Each method is one transaction. */
export interface DeviceStore {
  /** Those that are not revoked, the oldest first. */
  all(): Promise<readonly StoredDevice[]>;
  /** Uses the code up, if it is good. Resolves with the device, and with the conversations that have something to show. */
  pair(pairing: DevicePairing): Promise<{ readonly device: Device; readonly places: readonly string[] } | undefined>;
  rename(id: string, name: string): Promise<void>;
  /** The device was connected. */
  seen(id: string, at: number): Promise<void>;
}

/** A chat of a device. It belongs to the person who has first chosen its name. */
export interface SessionSummary {
  readonly id: string;
  readonly createdAt: number;
  /** When the last message came or went. */
  readonly lastActivity: number;
  readonly messageCount: number;
}

interface SessionMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly at: number;
}

/** A wish for another answer to the last message. `key`: of the same wish always the same. `text`: for the model. */
interface AnotherAnswer {
  readonly conversationId: string;
  readonly key: string;
  readonly principal: string;
  readonly name: string;
  readonly text: string;
  readonly at: number;
}

/** Remembers which chats of devices there are, and whose. Each method is one transaction. */
export interface SessionStore {
  /** The account that owns the session; undefined where nobody has talked in it. */
  ownerOf(id: string): Promise<string | undefined>;
  /**
   * Gives the session to the account unless it, or one whose name differs in capitals only, belongs to another person.
   * Resolves with the owner's; undefined if it is nobody's, and the person has as many as they may have. `principals`: all
   * accounts of the person.
   */
  claim(
    id: string,
    principal: string,
    limit: { readonly principals: readonly string[]; readonly most: number; readonly at: number },
  ): Promise<string | undefined>;
  /** The sessions that belong to one of these accounts, the latest first, that many at most. */
  list(principals: readonly string[], most: number): Promise<readonly SessionSummary[]>;
  /** The newest messages in it that are not taken back, the oldest of them first. */
  messages(id: string, most: number): Promise<readonly SessionMessage[]>;
  /** How many there are. */
  count(id: string): Promise<number>;
  /** Has the model answer once more. False if nobody has said anything since the conversation began. */
  answerAgain(wish: AnotherAnswer): Promise<boolean>;
}

/** A file that was shown in a session. */
export interface ShownFile {
  /** One segment of paths, of `[a-z0-9]`. */
  readonly id: string;
  readonly sessionId: string;
  /** As people see it: one path segment. */
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly at: number;
}

/** Keeps the files that devices have sent until they are in a workspace, and copies of those that they are shown. */
export interface DeviceFiles {
  /**
   * Keeps the files of a message. Resolves with their handles, in their order, when all is on disk. Files that the same
   * message has brought before stay as they are. They are there until the message has no more use for them.
   */
  receive(messageKey: string, files: readonly Uint8Array[]): Promise<readonly string[]>;
  /** The message is stored, or will not be. */
  settled(messageKey: string): void;
  /** A file that was received; undefined if it is there no more. */
  received(handle: string): Promise<Uint8Array | undefined>;
  /** Keeps a copy for devices to fetch, for a week, and as long as there are not too many. Doing it twice changes nothing. */
  show(draft: Omit<ShownFile, 'size'> & { readonly path: string }): Promise<ShownFile>;
  /** The files that were shown in a session and are still there, the oldest first. */
  shownIn(sessionId: string): Promise<readonly ShownFile[]>;
  /** One of them, and where it can be read; undefined if it is not there. */
  shown(sessionId: string, id: string): Promise<{ readonly file: ShownFile; readonly path: string } | undefined>;
  /** Removes files that nobody needs any more. Call it before the first message comes in. */
  tidy(now: number): Promise<void>;
}
