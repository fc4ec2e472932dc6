/* The points at the gateway and at the local socket: who comes in, and what features answer there. */

import type { Acquaintance, Device } from '../conversation/access/access.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Language, Words } from '../lib/words.ts';

/**
 * Answers all requests at the gateway's address whose path begins with its name: `hook` for `/hook/…`. `Host` and
 * `Origin` have been checked; it checks who asks, and how much they send. `address`: that of the connection.
 */
export type WebRoute = (request: Request, address: string) => Promise<Response>;

/** Takes a frame of a browser whose session is known. Whatever it has to say, now or later, it sends. Throws nothing. */
export type WebFrame = (frame: JsonObject, client: WebClient) => void;

/** A browser at the gateway, while it is connected. */
export interface WebClient {
  readonly visitor: Visitor;
  /** Sends a frame, if the client is still there. Its type must not be one of the gateway's own. */
  send(frame: JsonObject): void;
  /** Aborts when the connection has ended. */
  readonly gone: AbortSignal;
}

/** Somebody who was let in at the gateway with their browser. */
export interface Visitor {
  /** The browser. */
  readonly device: Device;
  /** The account of the device, which has the rights of its person: `device:k3f9abcd2m`. */
  readonly principal: string;
}

/** The way in for browsers. */
export interface WebDoor {
  /** Opens the port, if it is closed. It stays open until `close`, across edits of the config. Call it once the channels listen. */
  open(): Promise<DoorPlaces | Refused>;
  /** Lets no browser in any longer, and closes the port unless the gateway itself is switched on. */
  close(): Promise<void>;
  /** Whether people have signed in with browsers, for which it has to be open. */
  hasBrowsers(): boolean;
  /** Lets in a browser of this person, as if it was paired. Undefined: the person may not talk, or has too many. */
  admit(person: Acquaintance, browserName: string): Promise<AdmittedBrowser | undefined>;
  /** Who asks. Undefined: no browser that the gateway would let in. A program that was paired is none. */
  visitorOf(request: Request): Visitor | undefined;
  /** The sessions that belong to the person, by their ids: those of all their devices, of now and before. */
  sessionsOf(visitor: Visitor): Promise<readonly string[]>;
  /** Begins a session of this name for the person. False: it is somebody else's, or they have as many as they may have. */
  beginSession(visitor: Visitor, sessionId: string): Promise<boolean>;
  /** The person signs out: the browser is let in no longer, and its connections end. */
  dismiss(visitor: Visitor): Promise<void>;
}

/** Where browsers find the gateway: origins, without a slash at the end. */
export interface DoorPlaces {
  /** On this machine: `http://127.0.0.1:42617`. */
  readonly here: string;
  /** From other machines; undefined if they cannot reach it. */
  readonly elsewhere: string | undefined;
  /** The port of the config, if it could not be had: another one is open instead. */
  readonly instead: number | undefined;
}

/** A browser proves itself by both halves: 64 hexadecimal digits each, shown once. */
export interface AdmittedBrowser {
  readonly device: Device;
  /** For a cookie that no script can read. Other programs of the same host, at other ports, are sent it too. */
  readonly cookie: string;
  /** For the storage of the origin, which no other port can read. */
  readonly key: string;
}

/** Why something that was asked for is not done, for a person. */
export interface Refused {
  readonly refusal: Words;
}

/** Answers a program at the local socket, which has the rights of an owner. */
export type LocalRequested = (asked: LocalAsked) => Promise<JsonObject | Refused>;

export interface LocalAsked {
  /** The person at this machine: see `Owners`. */
  readonly person: Acquaintance;
  /** In which people read the answer. */
  readonly language: Language;
  readonly params: JsonObject;
}
