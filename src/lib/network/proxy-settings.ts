/*
 * Which proxy a request goes through. `network.proxy` of the config comes first, then the variables that other programs
 * read too: `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, of which those in lower case win, as in curl.
 */

import { BlockList, isIP } from 'node:net';
import { nearest } from '../nearest.ts';
import { proxyPhrases } from '../settings/words.ts';
import type { InLanguage, Language } from '../words.ts';

/** A proxy, and how to speak to it. Names are looked up by the proxy. */
export interface ProxyServer {
  readonly scheme: 'http' | 'https' | 'socks5';
  /** Without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** Decoded. */
  readonly username?: string;
  readonly password?: string;
  /** Where it is set: `network.proxy`, or the name of a variable. */
  readonly source: string;
}

/** Plain data: equal settings make equal networks. */
export interface ProxySettings {
  /** For http and ws. */
  readonly http?: ProxyServer | undefined;
  /** For https and wss. */
  readonly https?: ProxyServer | undefined;
  /** The entries of `NO_PROXY`. Undefined if it is not set: then private hosts are left out. */
  readonly exceptions?: readonly string[] | undefined;
}

/** Something that cannot be used. Contains no credentials. */
export interface ProxyFault {
  /** `network.proxy`, or the name of a variable. */
  readonly source: string;
  readonly text: InLanguage;
}

/**
 * The settings, and what is wrong with those that were left out. `written` is `network.proxy`: undefined leaves it to the
 * environment; false and "none" switch that off.
 */
export function proxySettings(
  written: string | false | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly settings: ProxySettings; readonly faults: readonly ProxyFault[] } {
  if (written === false || written?.trim().toLowerCase() === 'none') return { settings: {}, faults: [] };
  const faults: ProxyFault[] = [];
  const variable = (name: string): readonly [source: string, value: string] | undefined => {
    const source = [name, name.toUpperCase()].find((one) => (environment[one] ?? '').trim() !== '');
    // Files of variables keep the quotes that a shell would take away.
    const value = (environment[source ?? ''] ?? '').trim().replace(/^(["'])(.*)\1$/s, '$2');
    return source === undefined ? undefined : [source, value];
  };
  const read = (found: readonly [source: string, value: string] | undefined): ProxyServer | undefined => {
    if (found === undefined) return undefined;
    const [source, value] = found;
    const proxy = parseProxy(value, source);
    if (typeof proxy !== 'function') return proxy;
    if (!faults.some((one) => one.source === source)) faults.push({ source, text: proxy });
    return undefined;
  };
  const own = written === undefined ? undefined : (['network.proxy', written] as const);
  const all = variable('all_proxy');
  const exceptions = variable('no_proxy')?.[1]
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '');
  const settings = {
    http: read(own ?? variable('http_proxy') ?? all),
    https: read(own ?? variable('https_proxy') ?? all),
  };
  return { settings: { ...settings, exceptions }, faults };
}

const defaultPorts: Readonly<Record<string, number>> = { http: 80, https: 443, socks5: 1080 };

/** SOCKS names of other programs for what we speak. Desktops write `socks://` into `ALL_PROXY`. */
const schemes: ReadonlyMap<string, ProxyServer['scheme']> = new Map([
  ['http', 'http'],
  ['https', 'https'],
  ['socks5', 'socks5'],
  ['socks5h', 'socks5'],
  ['socks', 'socks5'],
]);

/** Parses the URL of a proxy. Returns what is wrong with it, in words for the operator and without its content. */
export function parseProxy(text: string, source: string): ProxyServer | InLanguage {
  const isOwn = source === 'network.proxy';
  const [, written = '', rest = ''] = /^(?:([^/@]*?):\/\/)?(.*)$/s.exec(text.trim()) ?? [];
  // Variables are often set without a scheme.
  const name = written === '' && !isOwn ? 'http' : written.toLowerCase();
  const scheme = schemes.get(name);
  if (scheme === undefined) return schemeFault(name);
  // Parsed as http, whose credentials and addresses are read alike, but for the port that it would leave out.
  const url = URL.parse(`http://${rest}`);
  if (url === null || url.hostname === '') return urlFault(rest);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return phrase('nothingFollows');
  if (/^\d+$/.test(rest)) return phrase('lacksHost');
  const [, port = ''] = /:(\d*)\/?$/.exec(rest.slice(rest.lastIndexOf('@') + 1)) ?? [];
  if (Number(port) === 0 && (isOwn || port !== '')) return phrase('lacksPort');
  try {
    const [username, password] = [url.username, url.password].map(decodeURIComponent);
    return {
      scheme,
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: port === '' ? (defaultPorts[scheme] ?? 80) : Number(port),
      ...(username !== '' && { username }),
      ...(password !== '' && { password }),
      source,
    };
  } catch {
    return phrase('percent');
  }
}

/** A phrase without values. */
function phrase(
  key: 'nothingFollows' | 'lacksHost' | 'lacksPort' | 'percent' | 'lacksScheme' | 'socks4' | 'port' | 'incomplete',
): InLanguage {
  return (language) => proxyPhrases[language][key];
}

function schemeFault(written: string): InLanguage {
  if (written === '') return phrase('lacksScheme');
  if (/^socks4a?$/.test(written)) return phrase('socks4');
  const meant = nearest(written.slice(0, 20), ['http', 'https', 'socks5', 'socks5h']);
  const name = /^[\w+.-]{1,20}$/.test(written) ? written : undefined;
  return (language) => proxyPhrases[language].unknownScheme({ name, meant });
}

function urlFault(rest: string): InLanguage {
  const port = /:(\d+)\/?$/.exec(rest)?.[1];
  return phrase(port !== undefined && Number(port) > 65_535 ? 'port' : 'incomplete');
}

/** The address without credentials: `http://127.0.0.1:7890`. */
export function proxyAddress({ scheme, host, port }: ProxyServer): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}

/** For people: which proxies are used for what. Undefined if none is. Contains no credentials. */
export function proxyWords({ http, https, exceptions }: ProxySettings, language: Language = 'en'): string | undefined {
  const named = (proxy: ProxyServer): string => `${proxyAddress(proxy)} (${proxy.source})`;
  const [plain, secure] = [http && named(http), https && named(https)];
  const isOne = plain !== undefined && plain.replace(/ .*/, '') === secure?.replace(/ .*/, '');
  const uses = [
    ...(secure === undefined ? [] : [{ proxy: secure, scheme: isOne ? undefined : ('https' as const) }]),
    ...(plain === undefined || isOne ? [] : [{ proxy: plain, scheme: 'http' as const }]),
  ];
  if (uses.length === 0) return undefined;
  const more = (exceptions?.length ?? 0) > mostListed;
  const listed = exceptions
    ?.slice(0, mostListed)
    .map((one, index, all) => (more && index === all.length - 1 ? `${one} …` : one));
  return proxyPhrases[language].uses({ uses, exceptions: listed });
}

const mostListed = 8;

/** What must be kept from texts: passwords, as written in a URL, decoded, and as sent to the proxy. */
export function proxySecrets({ http, https }: ProxySettings): readonly string[] {
  const secrets = [http, https].flatMap((proxy) => {
    if (proxy?.password === undefined) return [];
    return [proxy.password, encodeURIComponent(proxy.password), basicCredentials(proxy)];
  });
  return [...new Set(secrets)];
}

/** For `Proxy-Authorization`, behind "Basic ". */
export function basicCredentials({ username = '', password = '' }: ProxyServer): string {
  return Buffer.from(`${username}:${password}`).toString('base64');
}

/**
 * Finds the proxy for a URL (http, https, ws, wss); undefined: none. This machine is always reached directly. Without
 * `NO_PROXY`, private addresses and local names are too: a proxy elsewhere would not find them.
 */
export function proxyFinder({ http, https, exceptions }: ProxySettings): (url: URL) => ProxyServer | undefined {
  const isExcepted = exceptions === undefined ? isPrivateHost : exceptionMatcher(exceptions);
  return ({ protocol, hostname, port }) => {
    const isSecure = protocol === 'https:' || protocol === 'wss:';
    const proxy = isSecure ? https : http;
    if (proxy === undefined) return undefined;
    const host = bareHost(hostname);
    const target = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) };
    return isThisMachine(host) || isExcepted(target) ? undefined : proxy;
  };
}

interface Target {
  readonly host: string;
  readonly port: number;
}

/** Lower case, without the brackets of IPv6 and a trailing dot. */
function bareHost(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

function isThisMachine(host: string): boolean {
  return /(?:^|\.)localhost$/.test(host) || isInBlocks(host, ['127.0.0.0/8', '::1/128', '0.0.0.0/32', '::/128']);
}

const privateBlocks = `10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 169.254.0.0/16 100.64.0.0/10 fc00::/7 fe80::/10`.split(
  ' ',
);

/** By RFC 6762, appendix G: names that networks use inside. A name without a dot is of the network too. */
const privateName = /^[^.]+$|\.(?:local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)$/;

function isPrivateHost({ host }: Pick<Target, 'host'>): boolean {
  return isIP(host) === 0 ? isPrivateName(host) : isInBlocks(host, privateBlocks);
}

/** Whether it is on this machine or in a private network, by its address or the form of its name. */
export function isPrivateServer({ hostname }: URL): boolean {
  const host = bareHost(hostname);
  return isThisMachine(host) || isPrivateHost({ host });
}

/** Whether a name, in lower case, is one of a private network by its form. */
export function isPrivateName(name: string): boolean {
  return privateName.test(name);
}

function isInBlocks(host: string, blocks: readonly string[]): boolean {
  const family = isIP(host) === 4 ? 'ipv4' : 'ipv6';
  return isIP(host) !== 0 && blockList(blocks).check(host, family);
}

function blockList(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = '', bits = ''] = block.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/**
 * The forms of `NO_PROXY`: `*`, a host (and all below it) with or without a dot or "*." before it, an address, a block
 * (`10.0.0.0/8`, `192.168.*`), each with `:port` or without; `[::1]:8080`; `<local>`, which is any name without a dot.
 */
function exceptionMatcher(entries: readonly string[]): (target: Target) => boolean {
  const matchers = entries.map(matcherOf);
  return (target) => matchers.some((matches) => matches(target));
}

function matcherOf(entry: string): (target: Target) => boolean {
  if (entry.toLowerCase() === '<local>') return ({ host }) => isIP(host) === 0 && !host.includes('.');
  if (/^\d{1,3}(?:\.\d{1,3}){0,2}\.(?:\*\.?)+$/.test(entry)) {
    const beginning = entry.replace(/\*.*$/s, '');
    return ({ host }) => isIP(host) === 4 && host.startsWith(beginning);
  }
  const [, block = '', bits = ''] = /^\[?([\d.]+|[\da-f:.]+)\]?\/(\d{1,3})$/i.exec(entry) ?? [];
  if (isIP(block) !== 0 && Number(bits) <= (isIP(block) === 4 ? 32 : 128))
    return ({ host }) => isInBlocks(host, [`${block}/${bits}`]);
  // Several colons without brackets: an IPv6 address, which has no port here.
  const [, name = entry, port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? [];
  const isPort = (target: Target): boolean => port === undefined || Number(port) === target.port;
  const wanted = bareHost(name).replace(/^\*?\./, '');
  if (wanted === '*') return isPort;
  if (isIP(wanted) !== 0) return (target) => isPort(target) && isInBlocks(target.host, [wholeBlock(wanted)]);
  const spelled = URL.parse(`http://${wanted}`)?.hostname ?? wanted;
  return (target) =>
    isPort(target) && isIP(target.host) === 0 && (target.host === spelled || target.host.endsWith(`.${spelled}`));
}

function wholeBlock(address: string): string {
  return `${address}/${isIP(address) === 4 ? 32 : 128}`;
}
