import { randomBytes } from 'node:crypto';
import type { Config } from '../../../config/schema.ts';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Perishable, Remembered } from '../../../lib/remembered.ts';
import type { DeviceBook } from '../device-book.ts';

type Admission = { readonly device: Device } | { readonly status: 400 | 401 | 403; readonly reason: string };

export type Gate = ReturnType<typeof createGate>;

/** Authenticates requests by token or ticket, and checks that the device's person may talk. */
export function createGate({ clock, rules }: Pick<FeatureCore, 'clock' | 'rules'>, devices: DeviceBook) {
  const tickets = createTickets(clock);
  const deviceOf = (credential: Credential, ticketsToo: boolean): Device | undefined => {
    if (credential.type === 'token') return devices.authenticate(credential.token);
    if (credential.type !== 'ticket' || !ticketsToo) return undefined;
    const id = tickets.redeem(credential.ticket);
    return id === undefined ? undefined : devices.find(id);
  };
  return {
    tickets,
    /** `ticketsToo`: for routes that browsers use without headers. */
    admit(places: CredentialPlaces, ticketsToo: boolean): Admission {
      const credential = credentialOf(places);
      if (credential.type === 'token-in-url') return { status: 400, reason: inUrl };
      const device = deviceOf(credential, ticketsToo);
      if (device === undefined) return { status: 401, reason: unauthorized };
      if (rules.mayTalk(accountOf(device))) return { device };
      return { status: 403, reason: 'Its person may not talk here.' };
    },
    isOwner: (device: Device): boolean => rules.isOwner(accountOf(device)),
  };
}

const inUrl =
  'A token does not belong into an address, which is written down in many places. Send it as a header, or fetch a ticket with POST /api/ticket.';
const unauthorized =
  'Unauthorized: send the token of a paired device as "Authorization: Bearer TOKEN", as the subprotocol "bearer.TOKEN", or a ticket as ?ticket=.';

type Credential =
  | { readonly type: 'token'; readonly token: string }
  | { readonly type: 'ticket'; readonly ticket: string }
  /** URLs end up in logs and histories: a token in one is refused, right or wrong. */
  | { readonly type: 'token-in-url' }
  | { readonly type: 'none' };

export interface CredentialPlaces {
  readonly authorization: string | undefined;
  /** The header `Sec-WebSocket-Protocol`. */
  readonly protocols: string | undefined;
  readonly query: URLSearchParams;
}

/** The first non-empty credential: header, subprotocol, ticket. */
export function credentialOf({ authorization = '', protocols = '', query }: CredentialPlaces): Credential {
  if ((query.get('token') ?? '') !== '') return { type: 'token-in-url' };
  const [, bearer = ''] = /^Bearer +(\S+) *$/i.exec(authorization) ?? [];
  if (bearer !== '') return { type: 'token', token: bearer };
  const offered = protocols.split(',').map((protocol) => protocol.trim());
  const [token] = offered.flatMap((protocol) => (/^bearer\.(.+)$/.exec(protocol) ?? []).slice(1));
  if (token !== undefined) return { type: 'token', token };
  const ticket = query.get('ticket') ?? '';
  return ticket === '' ? { type: 'none' } : { type: 'ticket', ticket };
}

const local: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

type Names = Pick<Config['gateway'], 'host' | 'allowed_hosts' | 'allowed_origins'>;

/**
 * Why a request is refused by its `Host` or `Origin`; undefined if it is not. `Host` stops DNS rebinding; `Origin`,
 * which only browsers send, stops foreign pages.
 */
export function refusalOf(
  { host, origin }: { readonly host: string | undefined; readonly origin: string | undefined },
  settings: Names,
): string | undefined {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '');
  const own = settings.host.toLowerCase();
  const known = [...local, own, `[${own}]`, ...settings.allowed_hosts.map((allowed) => allowed.toLowerCase())];
  if (!known.includes(name)) return 'This server is not called by that name: see gateway.allowed_hosts.';
  if (origin !== undefined && !isKnownOrigin(origin, host, settings))
    return 'Pages from there may not connect: see gateway.allowed_origins.';
  return undefined;
}

/** Whether a page's origin is our own address or in `allowed_origins`. */
export function isKnownOrigin(origin: string, host: string | undefined, { allowed_origins }: Names): boolean {
  const said = origin.toLowerCase();
  const isOwn = host !== undefined && [`http://${host.toLowerCase()}`, `https://${host.toLowerCase()}`].includes(said);
  return isOwn || allowed_origins.some((allowed) => allowed.toLowerCase() === said);
}

export const ticketLifetime = 30_000;

/** Per device; another one drops its oldest. */
const mostTickets = 20;
const mostDevices = 10_000;

/** Short-lived one-time tickets for browsers, which cannot set headers on a WebSocket. */
function createTickets(clock: Clock) {
  /** By device, so that one device cannot drop the tickets of another. */
  const tickets = new Remembered<string, Perishable<string, true>>(mostDevices);
  return {
    /** 192 random bits after the device's id. */
    issue(deviceId: string): string {
      const own = tickets.get(deviceId) ?? new Perishable({ clock, most: mostTickets });
      const secret = randomBytes(24).toString('base64url');
      tickets.set(deviceId, own);
      own.set(secret, true, ticketLifetime);
      return `${deviceId}.${secret}`;
    },
    /** Returns the id of its device; undefined if it is unknown, used or expired. Uses it up. */
    redeem(ticket: string): string | undefined {
      const [deviceId = '', secret = ''] = ticket.split('.');
      const own = tickets.get(deviceId);
      const isGood = own?.get(secret) === true;
      own?.delete(secret);
      return isGood ? deviceId : undefined;
    },
  };
}

interface Guesser {
  failures: number;
  until: number;
  last: number;
}

/** Wrong codes in a row before a lockout: from one address, and from all together. */
const bearable = { one: 5, all: 50 } as const;
const firstPause = 30_000;
const longestPause = 3_600_000;
/** Failures are forgotten after this long without a new one. */
const forgetAfter = 2 * longestPause;
const rememberedAddresses = 10_000;

/**
 * Locks out guesses of pairing codes, right or wrong, with exponential backoff. Counts by the address of the
 * connection, since a request can forge its headers, and over all addresses. A new code resets the count, so that
 * nobody can keep people out for long by guessing.
 */
export function createLockout(clock: Clock) {
  let addresses = new Remembered<string, Guesser>(rememberedAddresses);
  const all: Guesser = { failures: 0, until: 0, last: 0 };

  function count(guesser: Guesser, most: number): void {
    const now = clock.now();
    if (now - guesser.last > forgetAfter) guesser.failures = 0;
    guesser.failures += 1;
    guesser.last = now;
    if (guesser.failures < most) return;
    guesser.until = now + Math.min(longestPause, firstPause * 2 ** Math.min(20, guesser.failures - most));
  }

  return {
    /** How long the address must wait, in ms; 0 if it need not. */
    waitOf: (address: string): number =>
      Math.max(0, Math.max(all.until, addresses.get(networkOf(address))?.until ?? 0) - clock.now()),
    /** Counts a guess before it is checked, so that parallel guesses count too. */
    take(address: string): void {
      const network = networkOf(address);
      const guesser = addresses.get(network) ?? { failures: 0, until: 0, last: 0 };
      addresses.set(network, guesser);
      count(guesser, bearable.one);
      count(all, bearable.all);
    },
    forgive(address: string): void {
      addresses.delete(networkOf(address));
      all.failures = Math.max(0, all.failures - 1);
      if (all.failures < bearable.all) all.until = 0;
    },
    forget(): void {
      addresses = new Remembered(rememberedAddresses);
      all.failures = 0;
      all.until = 0;
    },
  };
}

export type Lockout = ReturnType<typeof createLockout>;

/** An IPv6 address stands for its /64: one owner has all 2^64 addresses. */
function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const before = head.split(':').filter((group) => group !== '');
  const after = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...(tail === undefined ? [] : zeros), ...after].slice(0, 4).join(':');
}
