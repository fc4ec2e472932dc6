/** A standing permission that a person gave. Holds for one requester in one conversation, never for destructive calls. */
export type Grant = WindowGrant | AlwaysGrant;

/** Any call of this tool, until it ends. */
export interface WindowGrant extends GrantFields {
  readonly kind: 'window';
  readonly expiresAt: number;
}

/** Exactly this call, whenever. */
export interface AlwaysGrant extends GrantFields {
  readonly kind: 'always';
  readonly hash: string;
}

interface GrantFields {
  readonly id: string;
  readonly conversationId: string;
  /** Whose runs it serves: `telegram:123456`. */
  readonly requester: string;
  readonly toolName: string;
  /** What people read in `/grants`. */
  readonly description: string;
  readonly grantedBy: string;
  readonly createdAt: number;
}

/** Which of the grants, if any, opens this call. The grants are those of the requester in the conversation. */
export function matchingGrant(
  grants: readonly Grant[],
  call: { readonly toolName: string; readonly hash: string },
  now: number,
): Grant | undefined {
  return grants.find((grant) => opens(grant, call, now));
}

function opens(grant: Grant, call: { readonly toolName: string; readonly hash: string }, now: number): boolean {
  switch (grant.kind) {
    case 'window':
      return grant.toolName === call.toolName && now < grant.expiresAt;
    case 'always':
      return grant.hash === call.hash;
  }
}
