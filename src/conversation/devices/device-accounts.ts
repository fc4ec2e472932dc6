import { partsOf, principalOf } from '../../contract.ts';
import type { Device } from './device-store.ts';

/** The channel that devices talk on. */
export const deviceChannel = 'device';

/** Which devices there are: a `DeviceBook`. */
export interface KnownDevices {
  find(id: string): Device | undefined;
  all(): readonly Device[];
}

/** The account of a device: `device:k3f9abcd2m`. */
export function accountOf({ id }: Pick<Device, 'id'>): string {
  return principalOf(deviceChannel, id);
}

/** Those of them that are no devices': a device follows whoever has paired it, and is linked with nobody by itself. */
export function withoutDevices(accounts: readonly string[]): readonly string[] {
  return accounts.filter((account) => partsOf(account).channel !== deviceChannel);
}

/** The account under which the device was paired whose account this is; the account itself if it is no device's. */
function pairedUnder(devices: KnownDevices, principal: string): string {
  const { channel, senderId: id } = partsOf(principal);
  return channel === deviceChannel ? (devices.find(id)?.principal ?? principal) : principal;
}

/** The same accounts of a person, with those of his devices: each counts as his as long as it is paired. */
export function withDevices(
  accountsOf: (principal: string) => readonly string[],
  devices: KnownDevices,
): (principal: string) => readonly string[] {
  return (principal) => {
    const accounts = accountsOf(pairedUnder(devices, principal));
    const own = devices.all().filter((device) => accounts.includes(device.principal));
    return own.length === 0 ? accounts : [...accounts, ...own.map(accountOf)];
  };
}
