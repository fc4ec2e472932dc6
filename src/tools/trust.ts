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

/**
 * Whether the owners of this Keyturn trust what others have written. What they trust is stored, and ends with a change or
 * when an owner says so: then `whenDistrusted` is called, and `whenTrusted` if one trusts it again. A later review of the
 * same kind and name takes the place of an earlier one, whose functions are called no more. Rejects if the store does.
 */
export interface Trust {
  /**
   * `trusted`: an owner trusts exactly this. `asked`: not yet, or something else of that name was trusted: the owners are
   * told once, and `whenTrusted` is called when one of them trusts it.
   */
  review(subject: TrustSubject, whenTrusted: () => void, whenDistrusted?: () => void): Promise<'trusted' | 'asked'>;
  /** The same, but what is seen first under its name is trusted without a question: the operator's config names it. */
  adopt(subject: TrustSubject, whenTrusted: () => void, whenDistrusted?: () => void): Promise<'trusted' | 'asked'>;
}
