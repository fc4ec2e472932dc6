import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import type { SessionStore } from '../conversation/devices/session-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { ServerFrame } from './server-frames.ts';

export interface SessionOwnersDependencies {
  readonly store: Pick<SessionStore, 'ownerOf' | 'claim'>;
  readonly accountsOf: (account: string) => readonly string[];
  /** How many sessions one person may have. */
  readonly most: number;
  readonly clock: Clock;
}

/** Says what is wrong with what a client has asked for. */
export type ErrorFrame = Extract<ServerFrame, { readonly type: 'error' }>;

/** Whose sessions are: whoever is the first to choose a name has it, as long as he has not too many. */
export class SessionOwners {
  readonly #dependencies: SessionOwnersDependencies;

  constructor(dependencies: SessionOwnersDependencies) {
    this.#dependencies = dependencies;
  }

  /** The account that owns the session: the device's, if nobody did. Undefined if it would be one too many for its person. */
  async ownerFor(device: Device, sessionId: string): Promise<string | undefined> {
    const { store, accountsOf, most, clock } = this.#dependencies;
    const owner = await store.ownerOf(sessionId);
    if (owner !== undefined) return owner;
    const principals = accountsOf(accountOf(device));
    return store.claim({ id: sessionId, principal: device.principal, at: clock.now() }, { principals, most });
  }

  /** Why the device may not talk in a session of this owner; undefined if it may. */
  objectionTo(device: Device, owner: string | undefined): ErrorFrame | undefined {
    if (owner === undefined) return tooMany;
    return this.isOwn(device, owner) ? undefined : mismatch;
  }

  /** Whether the owner is the device's person. */
  isOwn(device: Device, owner: string): boolean {
    return this.#dependencies.accountsOf(accountOf(device)).includes(owner);
  }
}

const tooMany: ErrorFrame = {
  type: 'error',
  code: 'TOO_MANY_SESSIONS',
  message: 'You have as many sessions as one person may have: gateway.max_sessions_per_person. Go on with one of them.',
};

const mismatch: ErrorFrame = {
  type: 'error',
  code: 'SESSION_OWNER_MISMATCH',
  message: 'This session belongs to somebody else. Choose another id.',
};
