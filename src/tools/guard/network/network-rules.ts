import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { oneLine } from '../../../lib/plain-text.ts';
import { hostOf, isLocalName, type PrivateHost, parsePrivateHost, portOf } from './host-name.ts';

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
    if (typeof host === 'string') throw new Error(`tools.network.allow_private[${index}]: ${host}`);
    return host;
  });

  const openAt = (url: URL): readonly PrivateHost[] =>
    hosts.filter(({ port }) => port === undefined || port === portOf(url));

  const permits = (url: URL, address: string): boolean => {
    const open = openAt(url);
    const host = hostOf(url);
    if (isMetadata(address)) return open.some((entry) => names(entry, metadataNames.has(host) ? host : address));
    return isPublic(address) || open.some((entry) => names(entry, host) || holds(entry, address));
  };

  const refuseHost = (url: URL): string | undefined => {
    const open = openAt(url);
    const host = hostOf(url);
    const isAddress = isIP(host) !== 0;
    const isNamed = open.some((entry) => names(entry, host) || (isAddress && holds(entry, host)));
    // A local name may lead to listed addresses: they are checked after the lookup.
    const mayLeadThere = open.some(({ type }) => type !== 'name');
    const isPrivate = isAddress
      ? !permits(url, host)
      : !isNamed && (metadataNames.has(host) || (isLocalName(host) && !mayLeadThere));
    if (isPrivate) return refusePrivate(host);
    // Below 1024 are mail, remote shells, directories and others, some of which take an HTTP request for commands.
    const port = portOf(url);
    if (isNamed || port === 80 || port === 443 || port >= 1024) return undefined;
    return `Port ${port} belongs to another service than the web. Only the operator can open it, with "${oneLine(url.host, 200)}" in tools.network.allow_private of the config.`;
  };

  return {
    permits,
    refuse(given) {
      const url = typeof given === 'string' ? URL.parse(given) : given;
      if (url === null) return `${oneLine(String(given), 200)} is no complete URL, such as "https://example.com/page".`;
      if (url.protocol !== 'http:' && url.protocol !== 'https:') {
        return `Only http and https can be used, not ${url.protocol.slice(0, 20)}`;
      }
      if (url.username !== '' || url.password !== '') {
        return 'The URL holds a name or a password before an "@": leave them out.';
      }
      return refuseHost(url);
    },
  };
}

/** Does not reveal the address behind a name. */
export function refusePrivate(host: string): string {
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
export interface AddressBlock {
  readonly address: string;
  readonly bits: number;
}

/** Whether it is an address of the internet: not of this machine or its network, and not reserved. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr().process(address);
  if (parsed.range() !== 'unicast') return false;
  // Unassigned addresses are not public, nor are tunnels with their endpoint in the address.
  return isVersion4(parsed) || (isWithin(address, internet6) && !isTunnel(parsed));
}

/** Whether a cloud serves this machine's identity and credentials there. */
export function isMetadata(address: string): boolean {
  const parsed = ipaddr().process(address);
  const addresses = isVersion4(parsed) ? [parsed] : [parsed, ...embedded(parsed)];
  return addresses.some((one) => metadataAddresses.includes(one.toString()));
}

/** Whether the address, or the IPv4 address that it maps, is in the block. */
export function isWithin(address: string, block: AddressBlock): boolean {
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
