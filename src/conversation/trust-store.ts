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

/** Something exactly as it was once. The id is this state's alone. */
interface TrustState {
  readonly id: string;
  readonly fingerprint: string;
  readonly what: string;
  readonly at: number;
}

/** As an owner trusts it. `by`: missing where the config's word was enough. */
interface TrustedState extends TrustState {
  readonly by?: string;
}

/** As no owner trusts it yet. */
export interface AskedState extends TrustState {
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
