import { hostOf } from './host-name.ts';

/**
 * Whether a host is on the operator's list. A pattern is a host, `*.example.com` for all hosts below one at any depth but
 * not that one itself, or `*`. Case, a dot at the end and the spelling of an international name make no difference.
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

/** As a URL spells it; undefined for what is no host. */
function spelled(host: string): string | undefined {
  if (/[/?#@\\]/.test(host)) return undefined;
  const url = URL.parse(`http://${/:.*:/.test(host) && !host.startsWith('[') ? `[${host}]` : host}`);
  return url === null || url.port !== '' ? undefined : hostOf(url);
}
