import type { OutboxDraft } from '../engine/message.ts';

/** Code or words from elsewhere, exactly as they are now. */
export interface TrustSubject {
  readonly kind: TrustKind;
  /** One of its kind: a plugin's name, a module's path, `server/tool`. At most 200 characters. */
  readonly name: string;
  /** SHA-256 of all that could make it another thing, as 64 hexadecimal digits. */
  readonly fingerprint: string;
  /** What it is and what it brings, for the owner who decides: a few lines of markdown. */
  readonly what: string;
}

export const trustKinds = ['plugin', 'channel_plugin', 'tool_module', 'mcp_tool'] as const;

export type TrustKind = (typeof trustKinds)[number];

/** What owners trust, and what they are asked for, under one name. */
export interface TrustEntry {
  readonly kind: TrustKind;
  readonly name: string;
  readonly trusted?: TrustedState;
  readonly asked?: AskedState;
}

/** Something exactly as an owner trusts it. The id is this state's alone. */
export interface TrustedState {
  readonly id: string;
  readonly fingerprint: string;
  readonly what: string;
  /** Missing where the config's word was enough. */
  readonly by?: string;
  readonly at: number;
}

/** Something exactly as no owner trusts it yet. The id is this state's alone. */
export interface AskedState {
  readonly id: string;
  readonly fingerprint: string;
  readonly what: string;
  readonly at: number;
  /** The owners were told of it. */
  readonly isTold: boolean;
  /** An owner has refused it. It is not asked for again, and can still be trusted. */
  readonly isRefused: boolean;
}

/** What an owner has decided about one state of something. */
export interface TrustChange {
  readonly subject: TrustSubject;
  /** The id of the state: an owner who trusts it again names it. */
  readonly id: string;
  /** `refused`: it was not trusted before either. */
  readonly became: 'trusted' | 'distrusted' | 'refused';
}

/** Something that is looked at, as it is now. */
export interface TrustReview {
  readonly subject: TrustSubject;
  /** What its state is called from now on, if that is a new one. */
  readonly id: string;
  /** What is seen first under its name is trusted without a question. */
  readonly isAdopted: boolean;
  readonly at: number;
}

/** Where is kept what owners trust. Each method is one transaction. */
export interface TrustStore {
  /** What is not trusted is asked for from now on, in place of what was asked for under its name before. */
  review(review: TrustReview): Promise<'trusted' | 'asked'>;
  /** All, sorted by kind and name. */
  all(): Promise<readonly TrustEntry[]>;
  /** The owners were told of these states, in these messages. */
  told(ids: readonly string[], notices: readonly OutboxDraft[], at: number): Promise<void>;
}
