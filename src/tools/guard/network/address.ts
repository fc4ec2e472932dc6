import { createRequire } from 'node:module';
import type { IPv4, IPv6 } from 'ipaddr.js';

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
