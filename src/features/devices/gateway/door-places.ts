import { isIP } from 'node:net';
import type { DoorPlaces } from '../../../feature-points.ts';
import type { DeviceSettings } from '../settings.ts';

/** Addresses that stand for all of the machine. */
const everywhere: readonly string[] = ['0.0.0.0', '[::]'];

/**
 * Where browsers find a gateway that listens at this address. `instead`: of the port that the config names. From other
 * machines it is found by the names that the config allows: of others it refuses them.
 */
export function placesOf(
  address: string,
  instead: number | undefined,
  settings: Pick<DeviceSettings['gateway'], 'allowed_hosts'>,
): DoorPlaces {
  const { hostname, port } = new URL(address);
  const isEverywhere = everywhere.includes(hostname);
  const here = isEverywhere ? `http://127.0.0.1:${port}` : address;
  return { here, elsewhere: instead === undefined ? elsewhereOf(address, settings) : undefined, instead };
}

function elsewhereOf(address: string, { allowed_hosts }: Pick<DeviceSettings['gateway'], 'allowed_hosts'>) {
  const { hostname, port } = new URL(address);
  const isHere = /^(127\.|\[::1\]$)/.test(hostname);
  const name = allowed_hosts.find((host) => isIP(plain(host)) === 0);
  if (name !== undefined) return `https://${name}`;
  if (isHere) return undefined;
  if (!everywhere.includes(hostname)) return address;
  const listed = allowed_hosts.find((host) => isIP(plain(host)) !== 0);
  return listed === undefined ? undefined : `http://${isIP(listed) === 6 ? `[${listed}]` : listed}:${port}`;
}

function plain(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
