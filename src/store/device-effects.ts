import type { Origin } from '../approval/approval.ts';
import type { Device, DeviceCode } from '../conversation/devices/device-store.ts';
import type { Tables } from './tables/tables.ts';

/** A person is shown a code for a device, in place of one that he was shown before. Belongs inside a write. */
export function offerDevice(
  { devices }: Tables,
  { principal, name: personName, conversationId }: Origin,
  code: DeviceCode,
): void {
  const { name } = code;
  devices.addCode(code, { principal, personName, conversationId, ...(name === undefined ? {} : { name }) });
}

/** A device is paired no longer; none, if it was not. Belongs inside a write. */
export function revokeDevice(
  { devices, audit }: Tables,
  id: string,
  { conversationId, principal }: Origin,
  at: number,
): { readonly device?: Device } {
  const device = devices.revoke(id, at);
  if (device === undefined) return {};
  const detail = { device: id, name: device.name };
  audit.add({ at, kind: 'device-revoked', conversationId, actor: principal, detail });
  return { device };
}
