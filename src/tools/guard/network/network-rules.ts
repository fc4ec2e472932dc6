import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { IPv4, IPv6 } from 'ipaddr.js';
import { oneLine } from '../../../lib/plain-text.ts';
import { hostOf, type PrivateHost, parseAllowPrivate, portOf } from './host-name.ts';

/** What tools may reach. */
export interface NetworkRules {
  /** Why a URL is refused by its text alone, in words for the model. What passes is looked at again when connecting. */
  refuse(url: string | URL): string | undefined;
  /** Whether that address may be connected to for this URL. */
  permits(url: URL, address: string): boolean;
}

/**
 * The internet, at the ports 80, 443 and from 1024 on, and what the operator has listed. An entry with a name lets it lead
 * to private addresses; one with addresses opens these, for any name that leads to them. Where a cloud keeps its
 * credentials is opened only by an entry that names just that. Throws if an entry is none.
 */
export function networkRules(allowPrivate: readonly string[]): NetworkRules {
  const { hosts, problems } = parseAllowPrivate(allowPrivate);
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`tools.network.allow_private[${problem.index}]: ${problem.message}`);

  const permits = (url: URL, address: string): boolean => {
    const open = hosts.filter(({ port }) => port === undefined || port === portOf(url));
    const host = hostOf(url);
    if (isMetadata(address)) return open.some((entry) => names(entry, metadataNames.has(host) ? host : address));
    return isPublic(address) || open.some((entry) => names(entry, host) || holds(entry, address));
  };

  const refuseHost = (url: URL): string | undefined => {
    const open = hosts.filter(({ port }) => port === undefined || port === portOf(url));
    const host = hostOf(url);
    const isNamed = open.some((entry) => names(entry, host) || (isIP(host) !== 0 && holds(entry, host)));
    if (isIP(host) !== 0) {
      if (!permits(url, host)) return refusePrivate(host);
    } else if (!isNamed) {
      if (metadataNames.has(host)) return refusePrivate(host);
      // A name of the own network may lead to addresses that are listed: that is seen when it is looked up.
      const mayLeadThere = open.some(({ type }) => type !== 'name');
      if (localName.test(host) && !mayLeadThere) return refusePrivate(host);
    }
    return isWebPort(portOf(url)) || isNamed ? undefined : refusePort(url);
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

/** Whether the name never leads to the internet. */
export function isLocalName(host: string): boolean {
  return localName.test(host);
}

/** Says so without the address that a name leads to. */
export function refusePrivate(host: string): string {
  return `${oneLine(host, 200)} is this machine or in its private network, or reserved, so tools do not connect to it. Only the operator can open it, in tools.network.allow_private of the config.`;
}

function refusePort(url: URL): string {
  return `Port ${portOf(url)} belongs to another service than the web. Only the operator can open it, with "${oneLine(url.host, 200)}" in tools.network.allow_private of the config.`;
}

/** Names that never lead to the internet. */
const localName = /(?:^|\.)(?:localhost|localdomain|local|internal|home\.arpa)$/;

const metadataNames: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata.goog',
  'metadata',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** Below 1024 are mail, remote shells, directories and their like, some of which obey what looks like a request. */
function isWebPort(port: number): boolean {
  return port === 80 || port === 443 || port >= 1024;
}

/** Whether the entry is exactly this host. */
function names(entry: PrivateHost, host: string): boolean {
  switch (entry.type) {
    case 'name':
      return entry.name === host;
    case 'address':
      return isIP(host) !== 0 && isWithin(host, entry);
    case 'block':
      return false;
  }
}

function holds(entry: PrivateHost, address: string): boolean {
  return entry.type !== 'name' && isWithin(address, entry);
}

/** Addresses that begin with the same bits. */
export interface AddressBlock {
  readonly address: string;
  readonly bits: number;
}

/** Whether it is a host of the internet, rather than of this machine, its network, or of no use to anybody. */
export function isPublic(address: string): boolean {
  const parsed = ipaddr().process(address);
  if (parsed.range() !== 'unicast') return false;
  // What no registry has given out is not public, and neither is a tunnel whose end is written in the address.
  return isVersion4(parsed) || (isWithin(address, internet6) && !isTunnel(parsed));
}

/** Whether a cloud tells there who this machine is, and gives it its credentials. */
export function isMetadata(address: string): boolean {
  const parsed = ipaddr().process(address);
  const addresses = isVersion4(parsed) ? [parsed] : [parsed, ...embedded(parsed)];
  return addresses.some((one) => metadataAddresses.includes(one.toString()));
}

/** Whether the address, or the IPv4 address that it stands for, is one of the block. */
export function isWithin(address: string, block: AddressBlock): boolean {
  const addresses = ipaddr();
  const parsed = addresses.process(address);
  const network = addresses.process(block.address);
  return parsed.kind() === network.kind() && parsed.match(network, block.bits);
}

/** What the internet has of IPv6. */
const internet6: AddressBlock = { address: '2000::', bits: 3 };

const metadataAddresses: readonly string[] = [
  '169.254.169.254',
  'fd00:ec2::254',
  // Credentials of containers at AWS.
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::23',
  // Alibaba, Oracle, and Azure, whose address looks like any other of the internet.
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
];

/** Loaded when the first address is looked at, and without waiting: a refusal has to be known before anybody is asked. */
function ipaddr(): typeof import('ipaddr.js') {
  return createRequire(import.meta.url)('ipaddr.js');
}

function isVersion4(address: IPv4 | IPv6): address is IPv4 {
  return address.kind() === 'ipv4';
}

/** ISATAP: `…:0:5efe:` or `…:200:5efe:`, and the IPv4 address of the end. */
function isTunnel(address: IPv6): boolean {
  const [, , , , flags, mark] = address.parts;
  return mark === 0x5efe && (flags === 0 || flags === 0x200);
}

/** The IPv4 addresses that gateways may take from it: of NAT64 and of old notations its end, of 6to4 its second part. */
function embedded(address: IPv6): readonly IPv4[] {
  const { IPv4 } = ipaddr();
  const bytes = address.toByteArray();
  return [new IPv4(bytes.slice(12)), ...(address.range() === '6to4' ? [new IPv4(bytes.slice(2, 6))] : [])];
}
