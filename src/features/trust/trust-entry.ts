import type { TrustKind, TrustSubject } from '../../feature-points.ts';
import type { Words } from '../../lib/words.ts';

export const trustKinds = [
  'plugin',
  'channel_plugin',
  'tool_module',
  'mcp_tool',
] as const satisfies readonly TrustKind[];

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
