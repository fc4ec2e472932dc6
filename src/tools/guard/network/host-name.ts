import { BlockList, isIP } from 'node:net';

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

/** Whether the name or address is of a private network, whose content is not meant for others. Loopback is not counted. */
export function isOfOwnNetwork(hostname: string): boolean {
  const host = hostOf({ hostname });
  const version = isIP(host);
  if (version === 0) return host !== 'localhost' && (!host.includes('.') || host.endsWith('.lan') || isLocalName(host));
  const own = new BlockList();
  for (const [address, bits] of ownBlocks) own.addSubnet(address, bits, address.includes(':') ? 'ipv6' : 'ipv4');
  return own.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Private use (RFC 1918, 4193), shared address space (RFC 6598), and link-local addresses. */
const ownBlocks = [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['fc00::', 7],
  ['fe80::', 10],
] as const;

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
export function parsePrivateHost(entry: string): PrivateHost | string {
  const { host, port: written } = splitPort(entry.trim());
  const port = written === undefined ? undefined : Number(written);
  if (port === 0 || (port ?? 0) > 65_535) return `"${written}" is no port: use 1 to 65535`;
  const [address = '', prefix, ...more] = host.split('/');
  const version = isIP(address);
  if (version === 0)
    return prefix === undefined ? named(host, port) : `"${address}" is no address, so there are none below`;
  const longest = version === 4 ? 32 : 128;
  if (prefix === undefined) return { type: 'address', address, bits: longest, port };
  if (more.length > 0 || !/^\d{1,3}$/.test(prefix) || Number(prefix) > longest) {
    return `"/${[prefix, ...more].join('/')}" is no size of a block: use /0 to /${longest}`;
  }
  return { type: 'block', address, bits: Number(prefix), port };
}

function splitPort(entry: string) {
  const [, inner, innerPort] = /^\[([^\]]*)\](?::(\d+))?$/.exec(entry) ?? [];
  if (inner !== undefined) return { host: inner, port: innerPort };
  // An IPv6 address without brackets has no port.
  const [, host, port] = /^([^:]*):(\d+)$/.exec(entry) ?? [];
  return host === undefined ? { host: entry, port: undefined } : { host, port };
}

function named(host: string, port: number | undefined): PrivateHost | string {
  if (host.includes('*')) return 'a "*" opens too much: list each host, or a block such as "192.168.1.0/24"';
  const url = /^[^\s/?#@:[\]\\]+$/.test(host) ? URL.parse(`http://${host}`) : null;
  if (url === null) return 'it is no host, address or block, such as "nas.local", "192.168.1.7:8080" or "10.0.0.0/8"';
  const name = hostOf(url);
  return isIP(name) === 0 ? { type: 'name', name, port } : `write the address as "${name}"`;
}
