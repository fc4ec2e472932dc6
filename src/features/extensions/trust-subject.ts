import type { Words } from '../../lib/words.ts';

/** Code or text from elsewhere, in its exact current state. */
export interface TrustSubject {
  readonly kind: TrustKind;
  /** Unique within its kind: a plugin's name, a module's path, `server/tool`. At most 200 characters. */
  readonly name: string;
  /** SHA-256 of everything that identifies it, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** What it is and what it adds, for the owner who decides: a few lines of markdown. */
  readonly what: Words;
}

export const trustKinds = ['plugin', 'channel_plugin', 'tool_module', 'mcp_tool'] as const;

export type TrustKind = (typeof trustKinds)[number];

/** The state that owners trust, and the one that they are asked about, under one name. */
export interface TrustEntry {
  readonly kind: TrustKind;
  readonly name: string;
  readonly trusted?: TrustedState;
  readonly asked?: AskedState;
}

/** One exact state of a subject, with an id of its own. */
export interface TrustState {
  readonly id: string;
  readonly fingerprint: string;
  readonly what: Words;
  readonly at: number;
}

/** `by` is missing if the config alone was enough. */
export interface TrustedState extends TrustState {
  readonly by?: string;
}

/** A state that no owner trusts yet. */
interface AskedState extends TrustState {
  /** The owners were told about it. */
  readonly isTold: boolean;
  /** An owner refused it. It is not asked about again, but can still be trusted. */
  readonly isRefused: boolean;
}

/** An owner's decision about one state. */
export interface TrustChange {
  readonly subject: TrustSubject;
  /** The id of the state, with which an owner can trust it again. */
  readonly id: string;
  /** `refused`: it was not trusted before. */
  readonly became: 'trusted' | 'distrusted' | 'refused';
}
