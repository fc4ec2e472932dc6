import { randomBytes } from 'node:crypto';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import type { Clock } from '../../../lib/clock.ts';
import { Perishable, Remembered } from '../../../lib/remembered.ts';
import type { DeviceBook } from '../device-book.ts';
import type { DeviceSettings } from '../settings.ts';

type Admission = { readonly device: Device } | { readonly status: 400 | 401 | 403; readonly reason: string };

/** Authenticates requests by token, ticket or a browser's two halves, and checks that the device's person may talk. */
export interface Gate {
  readonly tickets: Tickets;
  /** Uses the first non-empty credential. `ticketsToo`: for routes that browsers use without headers. */
  admit(given: GivenCredentials, ticketsToo: boolean): Admission;
}

interface GateParts extends Pick<FeatureCore, 'clock' | 'rules'> {
  readonly own: { readonly gateway: Pick<DeviceSettings['gateway'], 'enabled'> };
  /** Whether browsers are let in now. Omitted: always. */
  readonly letsBrowsersIn?: () => boolean;
}

interface GateContext extends Omit<GateParts, 'clock'> {
  readonly devices: Pick<DeviceBook, 'authenticate' | 'find' | 'isThere'>;
  readonly tickets: Tickets;
}

export function createGate({ clock, ...parts }: GateParts, devices: GateContext['devices']): Gate {
  const tickets = new Tickets(clock);
  const context: GateContext = { ...parts, devices, tickets };
  return { tickets, admit: (given, ticketsToo) => admit(given, ticketsToo, context) };
}

function admit(given: GivenCredentials, ticketsToo: boolean, context: GateContext): Admission {
  const { rules, devices, tickets } = context;
  const { authorization = '', protocols = '', query, browser } = given;
  // URLs end up in logs and histories: a token in one is refused, right or wrong.
  if ((query.get('token') ?? '') !== '') return { status: 400, reason: inUrl };
  const offered = protocols.split(',').map((protocol) => /^bearer\.(.+)$/.exec(protocol.trim())?.[1]);
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? offered.find((one) => one !== undefined);
  if (token !== undefined && !context.own.gateway.enabled) return { status: 401, reason: onlyBrowsers };
  const found = token === undefined ? browserOf(browser, context) : devices.authenticate(token);
  // What proves a browser is no token, and the other way round.
  if (found !== undefined && found.isBrowser === (token !== undefined)) return { status: 401, reason: unauthorized };
  const ticket = ticketsToo && token === undefined ? (query.get('ticket') ?? '') : '';
  const device = found ?? devices.find(tickets.redeem(ticket) ?? '');
  if (device === undefined || (device.isBrowser && context.letsBrowsersIn?.() === false))
    return { status: 401, reason: unauthorized };
  if (found?.isBrowser === true && !isOwnPage(browser)) return { status: 403, reason: notOwnPage };
  if (!rules.mayTalk(accountOf(device))) return { status: 403, reason: 'Its person may not talk here.' };
  devices.isThere(device);
  return { device };
}

interface GivenCredentials {
  readonly authorization: string | undefined;
  /** The header `Sec-WebSocket-Protocol`. */
  readonly protocols?: string | undefined;
  readonly query: URLSearchParams;
  /** What browsers prove themselves by. Omitted where they need a ticket. */
  readonly browser?: BrowserProof;
}

interface BrowserProof {
  readonly method: string;
  readonly cookie: string | null;
  readonly key: string | null;
  readonly origin: string | null;
  /** Where the request comes from, as browsers say it. */
  readonly site: string | null;
}

/** What this request proves. */
export function credentialsOf({ url, method, headers }: Request): GivenCredentials {
  const { searchParams: query } = new URL(url);
  const [cookie, key, origin] = [headers.get('cookie'), headers.get('x-keyturn-key'), headers.get('origin')];
  const browser = { method, cookie, key, origin, site: headers.get('sec-fetch-site') };
  return { authorization: headers.get('authorization') ?? undefined, query, browser };
}

/**
 * Of the cookie's half, which any program of this host may be sent, and the half that only our own origin has. Other programs
 * of this host may have set cookies of such names, which browsers may send before ours: all are tried. What headers may be
 * long at most bounds how many they are.
 */
function browserOf(proof: BrowserProof | undefined, { devices }: GateContext): Device | undefined {
  const { cookie, key } = proof ?? { cookie: null, key: null };
  if (cookie === null || key === null || !isHalf(key)) return undefined;
  const cookies = cookie.split(';').map((one) => one.trim().split('='));
  const halves = cookies.flatMap(([name, value = '']) =>
    sessionCookie.test(name ?? '') && isHalf(value) ? [value] : [],
  );
  for (const half of new Set(halves)) {
    const found = devices.authenticate(half + key);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isHalf(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** Whether the page that asks is of the origin that it asks. Where the origin is given, it has been checked. */
function isOwnPage(proof: BrowserProof | undefined): boolean {
  if (proof === undefined || (proof.site !== null && proof.site !== 'same-origin')) return false;
  return proof.method === 'GET' || proof.method === 'HEAD' || proof.origin !== null;
}

/**
 * The name of the cookie with the first half of what proves a browser. Cookies do not know ports: another Keyturn of this host
 * would overwrite ours, unless its name says whose it is.
 */
const sessionCookie = /^keyturn_session(?:_\w{1,40})?$/;

const inUrl =
  'A token does not belong into an address, which is written down in many places. Send it as a header, or fetch a ticket with POST /api/ticket.';
const unauthorized =
  'Unauthorized: send the token of a paired device as "Authorization: Bearer TOKEN", as the subprotocol "bearer.TOKEN", or a ticket as ?ticket=. In a browser, sign in.';
/** While the gateway is off. */
export const onlyBrowsers =
  'Unauthorized: only browsers in which somebody has signed in are let in here. Devices need "gateway": {"enabled": true} in the config.';
const notOwnPage = 'Only the page of this server itself may ask that.';

const local: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Why a request is refused by its `Host` or `Origin`; undefined if it is not. `Host` stops DNS rebinding; `Origin`,
 * which only browsers send, stops pages that are neither ours nor in `allowed_origins`.
 */
export function refusalOf(
  { host = '', origin }: { readonly host?: string | undefined; readonly origin?: string | undefined },
  settings: Pick<DeviceSettings['gateway'], 'host' | 'allowed_hosts' | 'allowed_origins'>,
): string | undefined {
  const [called, own] = [host.toLowerCase(), settings.host.toLowerCase()] as const;
  const known = [...local, own, `[${own}]`, ...settings.allowed_hosts.map((allowed) => allowed.toLowerCase())];
  if (!known.includes(called.replace(/:\d*$/, '')))
    return 'This server is not called by that name: see gateway.allowed_hosts.';
  const pages = [`http://${called}`, `https://${called}`, ...settings.allowed_origins.map((one) => one.toLowerCase())];
  if (origin !== undefined && !pages.includes(origin.toLowerCase()))
    return 'Pages from there may not connect: see gateway.allowed_origins.';
  return undefined;
}

export const ticketLifetime = 30_000;

/** Per device; another one drops its oldest. */
const mostTickets = 20;
const mostDevices = 10_000;

/** Short-lived one-time tickets for browsers, which cannot set headers on a WebSocket. */
class Tickets {
  readonly #clock: Clock;
  /** By device, so that one device cannot drop the tickets of another. */
  readonly #tickets = new Remembered<string, Perishable<string, true>>(mostDevices);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 192 random bits after the device's id. */
  issue(deviceId: string): string {
    const own = this.#tickets.get(deviceId) ?? new Perishable({ clock: this.#clock, most: mostTickets });
    const secret = randomBytes(24).toString('base64url');
    this.#tickets.set(deviceId, own);
    own.set(secret, true, ticketLifetime);
    return `${deviceId}.${secret}`;
  }

  /** Returns the id of its device; undefined if it is unknown, used or expired. Uses it up. */
  redeem(ticket: string): string | undefined {
    const [deviceId = '', secret = ''] = ticket.split('.');
    const own = this.#tickets.get(deviceId);
    const isGood = own?.get(secret) === true;
    own?.delete(secret);
    return isGood ? deviceId : undefined;
  }
}
