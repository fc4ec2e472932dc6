import { lookup } from 'node:dns/promises';
import { createRequire } from 'node:module';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { IPv4, IPv6 } from 'ipaddr.js';
import type { buildConnector, Dispatcher } from 'undici';
import { untilAborted } from '../../../lib/clock.ts';
import type { Network } from '../../../lib/network/network.ts';
import { isPrivateName } from '../../../lib/network/proxy-settings.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { InLanguage } from '../../../lib/words.ts';
import { networkWords } from './words.ts';

export interface NetworkRules {
  /** Why a URL is refused by its text alone, in words for the model. Connecting checks the others again. */
  refuse(url: string | URL): string | undefined;
  /** Whether this URL may connect to that address. */
  permits(url: URL, address: string): boolean;
}

/**
 * Permits the internet, at the ports 80, 443 and from 1024 on, and what the operator has listed. An entry with a name
 * lets the name lead to private addresses; one with addresses opens these for any name. Where a cloud keeps its
 * credentials is opened only by an entry for exactly that. Throws if an entry is invalid.
 */
export function networkRules(allowPrivate: readonly string[]): NetworkRules {
  const hosts = allowPrivate.map((entry, index) => {
    const host = parsePrivateHost(entry);
    if (typeof host === 'function') throw new Error(`tools.network.allow_private[${index}]: ${host('en')}`);
    return host;
  });
  return {
    permits: (url, address) => permits(url, address, hosts),
    refuse: (url) => refuse(url, hosts),
  };
}

function openAt(url: URL, hosts: readonly PrivateHost[]): readonly PrivateHost[] {
  return hosts.filter(({ port }) => port === undefined || port === portOf(url));
}

function permits(url: URL, address: string, hosts: readonly PrivateHost[]): boolean {
  const open = openAt(url, hosts);
  const host = hostOf(url);
  if (isMetadata(address)) return open.some((entry) => names(entry, metadataNames.has(host) ? host : address));
  return isPublic(address) || open.some((entry) => names(entry, host) || holds(entry, address));
}

function refuse(given: string | URL, hosts: readonly PrivateHost[]): string | undefined {
  const url = typeof given === 'string' ? URL.parse(given) : given;
  if (url === null) return `${oneLine(String(given), 200)} is no complete URL, such as "https://example.com/page".`;
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `Only http and https can be used, not ${url.protocol.slice(0, 20)}`;
  }
  if (url.username !== '' || url.password !== '') {
    return 'The URL holds a name or a password before an "@": leave them out.';
  }
  return refuseHost(url, hosts);
}

function refuseHost(url: URL, hosts: readonly PrivateHost[]): string | undefined {
  const open = openAt(url, hosts);
  const host = hostOf(url);
  const isAddress = isIP(host) !== 0;
  const isNamed = open.some((entry) => names(entry, host) || (isAddress && holds(entry, host)));
  // A local name may lead to listed addresses: they are checked after the lookup.
  const mayLeadThere = open.some(({ type }) => type !== 'name');
  const isPrivate = isAddress
    ? !permits(url, host, hosts)
    : !isNamed && (metadataNames.has(host) || (isLocalName(host) && !mayLeadThere));
  if (isPrivate) return refusePrivate(host);
  // Below 1024 are mail, remote shells, directories and others, some of which take an HTTP request for commands.
  const port = portOf(url);
  if (isNamed || port === 80 || port === 443 || port >= 1024) return undefined;
  return `Port ${port} belongs to another service than the web. Only the operator can open it, with "${oneLine(url.host, 200)}" in tools.network.allow_private of the config.`;
}

/** Does not reveal the address behind a name. */
function refusePrivate(host: string): string {
  return `${oneLine(host, 200)} is this machine or in its private network, or reserved, so tools do not connect to it. Only the operator can open it, in tools.network.allow_private of the config.`;
}

const metadataNames: ReadonlySet<string> = new Set(
  'metadata.google.internal metadata.goog metadata instance-data instance-data.ec2.internal'.split(' '),
);

/** Whether the entry is exactly this host. */
function names(entry: PrivateHost, host: string): boolean {
  if (entry.type === 'name') return entry.name === host;
  return entry.type === 'address' && isIP(host) !== 0 && isWithin(host, entry);
}

function holds(entry: PrivateHost, address: string): boolean {
  return entry.type !== 'name' && isWithin(address, entry);
}

/** Addresses with the same first bits. */
interface AddressBlock {
  readonly address: string;
  readonly bits: number;
}

/** Whether it is an address of the internet: not of this machine or its network, and not reserved. */
function isPublic(address: string): boolean {
  const parsed = ipaddr().process(address);
  if (parsed.range() !== 'unicast') return false;
  // Unassigned addresses are not public, nor are tunnels with their endpoint in the address.
  return isVersion4(parsed) || (isWithin(address, internet6) && !isTunnel(parsed));
}

/** Whether a cloud serves this machine's identity and credentials there. */
function isMetadata(address: string): boolean {
  const parsed = ipaddr().process(address);
  const addresses = isVersion4(parsed) ? [parsed] : [parsed, ...embedded(parsed)];
  return addresses.some((one) => metadataAddresses.includes(one.toString()));
}

/** Whether the address, or the IPv4 address that it maps, is in the block. */
function isWithin(address: string, block: AddressBlock): boolean {
  const addresses = ipaddr();
  const parsed = addresses.process(address);
  const network = addresses.process(block.address);
  return parsed.kind() === network.kind() && parsed.match(network, block.bits);
}

/** The part of IPv6 that the internet uses. */
const internet6: AddressBlock = { address: '2000::', bits: 3 };

/** Of most clouds; of container credentials at AWS; of Alibaba, Oracle, and Azure, whose address looks public. */
const metadataAddresses: readonly string[] = `169.254.169.254 fd00:ec2::254 169.254.170.2 169.254.170.23 fd00:ec2::23
  100.100.100.200 192.0.0.192 168.63.129.16`.split(/\s+/);

/** Loaded with the first address, synchronously: a refusal must be known before anyone is asked. */
function ipaddr(): typeof import('ipaddr.js') {
  return createRequire(import.meta.url)('ipaddr.js');
}

function isVersion4(address: IPv4 | IPv6): address is IPv4 {
  return address.kind() === 'ipv4';
}

/** ISATAP: `…:0:5efe:` or `…:200:5efe:`, then the IPv4 address. */
function isTunnel(address: IPv6): boolean {
  const [, , , , flags, mark] = address.parts;
  return mark === 0x5efe && (flags === 0 || flags === 0x200);
}

/** The IPv4 addresses that gateways may take from it: its end for NAT64 and old notations, its second part for 6to4. */
function embedded(address: IPv6): readonly IPv4[] {
  const { IPv4 } = ipaddr();
  const bytes = address.toByteArray();
  return [new IPv4(bytes.slice(12)), ...(address.range() === '6to4' ? [new IPv4(bytes.slice(2, 6))] : [])];
}

/** The host in the form that is compared: lower case, without the brackets of IPv6 and trailing dots. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '')
    .toLowerCase();
}

export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

/** An entry of `tools.network.allow_private` for just this origin. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** Whether the name or address is of this machine or of a private network, whose content is not meant for others. */
export function isOfOwnNetwork(hostname: string): boolean {
  const host = hostOf({ hostname });
  if (isIP(host) === 0) return !host.includes('.') || host.endsWith('.lan') || isLocalName(host);
  return !isPublic(host);
}

/** Whether the name never leads to the internet. */
export function isLocalName(host: string): boolean {
  return /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/.test(host);
}

/**
 * Whether a host is on the operator's list. A pattern is a host, `*.example.com` for all hosts below one at any depth
 * but not that one itself, or `*`. Case, a trailing dot and the spelling of an international name do not matter.
 */
export function fitsDomains(host: string, patterns: readonly string[]): boolean {
  const name = spelled(host);
  return name !== undefined && patterns.some((pattern) => fits(name, pattern));
}

function fits(name: string, pattern: string): boolean {
  if (pattern === '*') return true;
  if (!pattern.startsWith('*.')) return name === spelled(pattern);
  const parent = spelled(pattern.slice(2));
  return parent !== undefined && name.endsWith(`.${parent}`) && name.length > parent.length + 1;
}

/** As a URL spells it; undefined if it is not a host. */
function spelled(host: string): string | undefined {
  if (/[/?#@\\]/.test(host)) return undefined;
  const url = URL.parse(`http://${/:.*:/.test(host) && !host.startsWith('[') ? `[${host}]` : host}`);
  return url === null || url.port !== '' ? undefined : hostOf(url);
}

/** What an entry of `tools.network.allow_private` opens: a name or addresses, at all ports or one. */
export type PrivateHost =
  | { readonly type: 'name'; readonly name: string; readonly port?: number }
  | { readonly type: 'address'; readonly address: string; readonly bits: number; readonly port?: number }
  | { readonly type: 'block'; readonly address: string; readonly bits: number; readonly port?: number };

/**
 * Parses an entry: `nas.local`, `192.168.1.7` or `10.0.0.0/8`, each with `:8080` or without; `fd00::/8`;
 * `[fd00::1]:8080`. Returns the error, in words for the operator, if it is invalid.
 */
export function parsePrivateHost(entry: string): PrivateHost | InLanguage {
  const { host, port: written = '' } = splitPort(entry.trim());
  const port = written === '' ? undefined : Number(written);
  if (port === 0 || (port ?? 0) > 65_535) return (language) => networkWords[language].noPort({ port: written });
  const [, address = host, prefix] = /^(.*)\/(\d{1,3})$/.exec(host) ?? [];
  const version = isIP(address);
  const bits = version === 4 ? 32 : 128;
  if (version !== 0 && prefix === undefined) return { type: 'address', address, bits, port };
  if (version !== 0 && Number(prefix) <= bits) return { type: 'block', address, bits: Number(prefix), port };
  if (host.includes('*')) return (language) => networkWords[language].starOpensTooMuch;
  const url = /^[^\s/?#@:[\]\\]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  if (url === null) return (language) => networkWords[language].noHost;
  const name = hostOf(url);
  if (isIP(name) === 0) return { type: 'name', name, port };
  return (language) => networkWords[language].writeAddress({ address: name });
}

function splitPort(entry: string) {
  const [, inner, innerPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? [];
  if (inner !== undefined) return { host: inner, port: innerPort };
  // An IPv6 address without brackets has no port.
  const [, host, port] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return host === undefined ? { host: entry, port: undefined } : { host, port };
}

/** A request failed. The message is for the model. */
export class WebError extends Error {
  override readonly name = 'WebError';
  /** Nobody was reached: the message has no word of a stranger's, not even a redirect's address. */
  readonly reachedNobody: boolean;

  constructor(
    message?: string,
    { reachedNobody = false, ...options }: ErrorOptions & { reachedNobody?: boolean } = {},
  ) {
    super(message, options);
    this.reachedNobody = reachedNobody;
  }
}

interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to its addresses. Rejects as `dns.lookup` does. */
export type HostLookup = (name: string) => Promise<readonly HostAddress[]>;

export const systemLookup: HostLookup = (name) => lookup(name, { all: true });

export interface ConnectionRules {
  readonly url: URL;
  readonly permits: (url: URL, address: string) => boolean;
  readonly lookup: HostLookup;
  readonly signal: AbortSignal;
  /** Default: directly. */
  readonly network?: Pick<Network, 'proxyFor'> | undefined;
}

/**
 * Sends requests by connections to the host of one URL: see `guardedConnector`, and `checkBeforeProxy` if a proxy leads
 * there. Time is limited by the signal alone.
 */
export async function guardedAgent(rules: ConnectionRules): Promise<{
  readonly request: typeof import('undici').request;
  readonly dispatcher: Dispatcher;
}> {
  const undici = await import('undici');
  const { Agent, buildConnector, request } = undici;
  const proxy = rules.network?.proxyFor(rules.url);
  if (proxy !== undefined) {
    const { proxyDispatcher } = await import('../../../lib/network/proxied-network.ts');
    const before = () => untilAborted(checkBeforeProxy(rules), rules.signal).then(() => rules.signal.throwIfAborted());
    return { request, dispatcher: proxyDispatcher(undici, { proxyFor: () => proxy, before, isPatient: true }) };
  }
  const connect = guardedConnector(buildConnector, rules);
  return { request, dispatcher: new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 }) };
}

/**
 * A proxy looks the name up itself, so each address that this machine knows for it must be permitted. A name that is
 * unknown here is left to the proxy, unless it is one of a private network by its form; the operator can list it. Throws
 * `WebError`. See docs/decisions/0055-network-guard-behind-a-proxy.md.
 */
async function checkBeforeProxy({ url, permits, lookup }: ConnectionRules): Promise<void> {
  const host = hostOf(url);
  const found = await addressesOf(host, lookup).catch(() => []);
  const isRefused =
    found.length === 0
      ? isPrivateName(host) && !permits(url, anyPrivate)
      : found.some(({ address }) => !permits(url, address));
  if (isRefused) throw new WebError(refusePrivate(host), { reachedNobody: true });
}

/** Permitted only to names that the operator has listed. */
const anyPrivate = '0.0.0.1';

/**
 * Connects to the host of one URL. A name is looked up once, and the connection uses the permitted addresses of that
 * answer: a different second answer (DNS rebinding) has no effect. Fails with `WebError` if none is permitted.
 */
export function guardedConnector(build: typeof buildConnector, rules: ConnectionRules): buildConnector.connector {
  return (options, callback) => {
    const { signal } = rules;
    // A lookup cannot be cancelled, so its result is ignored.
    untilAborted(permittedAddresses(rules), signal)
      .then((addresses) => {
        if (addresses === undefined) throw signal.reason;
        const connect = build({ lookup: pinned(addresses), signal, timeout: 0, allowH2: false, maxCachedSessions: 0 });
        connect(options, callback);
      })
      .catch((cause: unknown) =>
        callback(cause instanceof Error ? cause : new Error('no connection', { cause }), null),
      );
  };
}

async function permittedAddresses({ url, permits, lookup }: ConnectionRules): Promise<readonly HostAddress[]> {
  const host = hostOf(url);
  const permitted = (await addressesOf(host, lookup)).filter(({ address }) => permits(url, address));
  if (permitted.length === 0) throw new WebError(refusePrivate(host), { reachedNobody: true });
  return permitted;
}

async function addressesOf(host: string, lookup: HostLookup): Promise<readonly HostAddress[]> {
  const family = isIP(host);
  return family === 0 ? lookup(host) : [{ address: host, family }];
}

/** A lookup that returns these addresses for any name. */
export function pinned(addresses: readonly HostAddress[]): LookupFunction {
  return (_name, { all }, callback) => {
    const [first] = addresses;
    if (all === true) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}

interface CommandReach {
  /** The operator's list. */
  readonly allowed: readonly string[];
  readonly lookup: HostLookup;
  /** A proxy leads there, and looks the name up itself: see `checkBeforeProxy`. */
  readonly isProxied: boolean;
}

/**
 * The addresses that a command may connect to for a host on the operator's list; empty if it has none. If the host may
 * not be reached: its name, with the reason if that is its address. A name is looked up once.
 */
export async function reachableAddresses(
  host: string,
  { allowed, lookup, isProxied }: CommandReach,
): Promise<readonly HostAddress[] | string> {
  if (!isListed(host, allowed)) return host;
  const found = await addressesOf(host, lookup).catch(() => []);
  const permitted = found.filter(({ address }) => isOpen(host, address, allowed));
  // A proxy may choose any of them.
  const isRefused = found.length > 0 && permitted.length < (isProxied ? found.length : 1);
  if (isRefused) return `${host} (resolved to an address of this machine or of its network)`;
  if (found.length === 0 && isProxied && isPrivateName(host)) return `${host} (a name of a private network)`;
  return permitted;
}

/** An address must be listed itself. `*` covers every public name, and no address. */
function isListed(host: string, allowed: readonly string[]): boolean {
  const named = allowed.filter((pattern) => (isIP(host) === 0 ? pattern !== '*' : !pattern.startsWith('*')));
  return fitsDomains(host, named) || (allowed.includes('*') && isPublicName(host));
}

/** A name of two labels or more whose last one cannot be part of an address. */
function isPublicName(host: string): boolean {
  const last = host.split('.').at(-1) ?? '';
  return host.includes('.') && /^[a-z][a-z0-9-]+$/.test(last) && !isLocalName(host);
}

/** Whether a name may lead to this address. `localhost` leads to this machine: listing it means that. */
function isOpen(host: string, address: string, allowed: readonly string[]): boolean {
  if (isListed(address, allowed)) return true;
  if (/(?:^|\.)localhost$/.test(host)) return ipaddr().process(address).range() === 'loopback';
  const isOwn = Object.values(networkInterfaces()).some((all) => all?.some((own) => own.address === address));
  return isPublic(address) && !isMetadata(address) && !isOwn;
}
