import { accountOf, type Device } from '../../conversation/access/access.ts';
import type { FeatureCore, Listed, ListedRow, ListingAsked } from '../../feature-points.ts';
import { oneLine } from '../../lib/plain-text.ts';
import type { DeviceBook } from './device-book.ts';
import type { Gateway } from './gateway/gateway.ts';
import { deviceWords } from './words.ts';

interface ListingParts extends Pick<FeatureCore, 'clock'> {
  readonly devices: DeviceBook;
  readonly gatewayNow: () => Gateway | undefined;
}

const rowsAtOnce = 100;

/** The devices and browsers of a person; for an owner, those of all, their own first. The newest come first. */
export async function listDevices(asked: ListingAsked, parts: ListingParts): Promise<Listed> {
  const { accounts, isOwner, search, after } = asked;
  const sought = search.trim().toLowerCase();
  const theirs = parts.devices.all(isOwner ? undefined : accounts).toReversed();
  const found = theirs.filter(({ name, personName }) => `${name}\n${personName}`.toLowerCase().includes(sought));
  const { own = [], others = [] } = Object.groupBy(found, (device) => (isTheirs(device, asked) ? 'own' : 'others'));
  const all = [...own, ...others];
  const begin = Math.max(0, Math.trunc(Number(after ?? 0)) || 0);
  const end = begin + rowsAtOnce;
  const rows = all.slice(begin, end).map((device) => rowOf(device, asked, parts));
  return { rows, next: end < all.length ? String(end) : undefined };
}

function isTheirs(device: Device, { accounts }: ListingAsked): boolean {
  return accounts.includes(device.principal) || accounts.includes(accountOf(device));
}

function rowOf(device: Device, asked: ListingAsked, { gatewayNow }: ListingParts): ListedRow {
  const { id, name, personName, isBrowser, createdAt, lastSeenAt } = device;
  const words = deviceWords[asked.language];
  const { listed } = words;
  const isCurrent = accountOf(device) === asked.principal;
  const kind = isCurrent ? listed.current : isBrowser ? listed.browser : listed.device;
  return {
    id,
    title: oneLine(name, 100),
    notes: [
      kind,
      ...(isTheirs(device, asked) ? [] : [listed.of({ person: oneLine(personName, 60) })]),
      ...(gatewayNow()?.isOnline(id) === true ? [words.connectedNow] : []),
    ],
    instants: [
      { label: isBrowser ? listed.signedIn : listed.pairedAt, at: createdAt },
      ...(lastSeenAt === undefined ? [] : [{ label: listed.seen, at: lastSeenAt }]),
    ],
    isCurrent,
    acts: [
      {
        label: listed.disconnect,
        style: 'danger',
        line: `devices revoke ${id}`,
        question: listed.askDisconnect({ name: oneLine(name, 60), isBrowser }),
      },
    ],
  };
}
