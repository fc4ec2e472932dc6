import { accountOf } from '../conversation/devices/device-accounts.ts';
import type { DeviceBook } from '../conversation/devices/device-book.ts';
import type { Device } from '../conversation/devices/device-store.ts';
import { type CredentialPlaces, credentialOf } from './credentials.ts';
import type { Tickets } from './tickets.ts';

export interface PeopleGateDependencies {
  readonly devices: DeviceBook;
  readonly tickets: Tickets;
  /** Whether the person behind an account may talk with us. */
  readonly mayTalk: (account: string) => boolean;
  readonly isOwner: (account: string) => boolean;
}

/** Who somebody is, or why he is not let in. */
export type Admission =
  | { readonly type: 'device'; readonly device: Device }
  | { readonly type: 'refused'; readonly status: 400 | 401 | 403; readonly reason: string };

/** Finds out who somebody is, and whether he may come in. */
export class PeopleGate {
  readonly #dependencies: PeopleGateDependencies;

  constructor(dependencies: PeopleGateDependencies) {
    this.#dependencies = dependencies;
  }

  /** `ticketsToo`: where browsers connect, which can set no headers. */
  admit(places: CredentialPlaces, options: { readonly ticketsToo: boolean }): Admission {
    const { devices, tickets, mayTalk } = this.#dependencies;
    const credential = credentialOf(places);
    const find = (): Device | undefined => {
      switch (credential.type) {
        case 'token':
          return devices.authenticate(credential.token);
        case 'ticket': {
          const id = options.ticketsToo ? tickets.redeem(credential.ticket) : undefined;
          return id === undefined ? undefined : devices.find(id);
        }
        case 'none':
        case 'token-in-url':
          return undefined;
      }
    };
    if (credential.type === 'token-in-url') return { type: 'refused', status: 400, reason: inUrl };
    const device = find();
    if (device === undefined) return { type: 'refused', status: 401, reason: unauthorized };
    if (!mayTalk(accountOf(device))) return { type: 'refused', status: 403, reason: 'Its person may not talk here.' };
    return { type: 'device', device };
  }

  isOwner(device: Device): boolean {
    return this.#dependencies.isOwner(accountOf(device));
  }
}

const inUrl =
  'A token does not belong into an address, which is written down in many places. Send it as a header, or fetch a ticket with POST /api/ticket.';
const unauthorized =
  'Unauthorized: send the token of a paired device as "Authorization: Bearer TOKEN", as the subprotocol "bearer.TOKEN", or a ticket as ?ticket=.';
