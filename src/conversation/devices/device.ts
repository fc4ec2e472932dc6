import { partsOf, principalOf } from '../../contract.ts';

/** The channel that devices talk on. */
export const deviceChannel = 'device';

/** A phone, a browser or a script that a person has paired with their account. */
export interface Device {
  readonly id: string;
  /** As its owner calls it. */
  readonly name: string;
  /** The account that it was paired under: `telegram:123456`. */
  readonly principal: string;
  /** The name of its owner. */
  readonly personName: string;
  readonly createdAt: number;
  /** When it was last connected; missing where it never was. */
  readonly lastSeenAt?: number | undefined;
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
}

/** Those of them that are no devices': a device follows the person who paired it, and is linked with nobody by itself. */
export function withoutDevices(accounts: readonly string[]): readonly string[] {
  return accounts.filter((account) => partsOf(account).channel !== deviceChannel);
}

/** A code that a device is paired with, as a person was shown it. */
export interface DeviceCode {
  readonly code: string;
  /** The name that the device gets; missing where it says so itself. */
  readonly name?: string | undefined;
  readonly expiresAt: number;
}
