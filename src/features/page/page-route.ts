/* What the page asks the daemon over HTTP, below `/page/`: JSON, for one person at a time, as a table of routes. */

import type { FeatureCore, Refused, Visitor } from '../../feature-points.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { Language, Words } from '../../lib/words.ts';
import type { SignInLinks } from './links.ts';
import type { Invited } from './tickets.ts';

/** The parts that routes answer with. */
export interface PageCore extends FeatureCore {
  /** A link that signs in this person: opens the door, if it is closed. */
  readonly linksFor: (person: Invited) => Promise<SignInLinks | Refused>;
}

/** One thing that the page may ask. */
export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** Below `/page/`, with names for the segments that differ: `runs/:id`. */
  readonly path: string;
  /** Others are answered as if it did not exist. Omitted: for everybody, who then sees what is theirs. */
  readonly forOwners?: true;
  /** Of what the page sends, in bytes. Default: 256 KiB. */
  readonly longestBody?: number;
  answer(asked: PageAsked, core: PageCore): Promise<PageAnswer>;
}

/** A request whose person is known. */
export interface PageAsked {
  readonly visitor: Visitor;
  readonly isOwner: boolean;
  /** All accounts of the person, of all channels. */
  readonly accounts: readonly string[];
  /** In which the page speaks. */
  readonly language: Language;
  /** The named segments of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Of a POST: any JSON. Check it. */
  readonly body: JsonValue;
  /** Aborts when the browser has gone. */
  readonly gone: AbortSignal;
}

/**
 * What it is answered: an object of the folder `wire` · words for the person, if it is not done · a file to download · a picture. All of
 * it is redacted before it is sent, but pictures and what `isClean`: it was made without secrets, and must come as it is.
 */
export type PageAnswer =
  | { readonly status: 200; readonly body: object; readonly isClean?: true }
  | { readonly status: 400 | 403 | 404 | 409; readonly refusal: Words }
  | { readonly status: 200; readonly file: PageFile }
  | { readonly status: 200; readonly picture: PagePicture };

/** Of a kind that cannot do anything but be seen. */
export interface PagePicture {
  readonly mediaType: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface PageFile {
  readonly name: string;
  readonly mediaType: string;
  readonly lines: AsyncIterable<string>;
}

/** Answers with an object of the folder `wire`. */
export function shown(body: object): PageAnswer {
  return { status: 200, body };
}
