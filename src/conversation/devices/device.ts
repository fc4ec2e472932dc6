import { partsOf, principalOf } from '../../contract.ts';

export const deviceChannel = 'device';

/** A phone, a browser or a script that a person has paired with their account. */
export interface Device {
  readonly id: string;
  /** The owner's name for it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** The name of its owner. */
  readonly personName: string;
  readonly createdAt: number;
  /** Undefined if it has never connected. */
  readonly lastSeenAt?: number | undefined;
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
}

/** The accounts without devices: a device follows the person who paired it, and is never linked by itself. */
export function withoutDevices(accounts: readonly string[]): readonly string[] {
  return accounts.filter((account) => partsOf(account).channel !== deviceChannel);
}

/** A pairing code for a device, as shown to a person. */
export interface DeviceCode {
  readonly code: string;
  /** The name that the device gets; if undefined, the device chooses. */
  readonly name?: string | undefined;
  readonly expiresAt: number;
}
