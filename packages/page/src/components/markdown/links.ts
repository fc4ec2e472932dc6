/** Where a link leads. */
export interface Target {
  readonly href: string;
  /** What its text hides; undefined if it hides nothing. */
  readonly hidden: string | undefined;
}

const schemes: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);

/** Undefined: it leads nowhere that may be gone to by a press. */
export function targetOf(address: string, words: string): Target | undefined {
  // Browsers leave out such characters before they read a scheme.
  if (/[\p{Cc}\p{Cf}]/u.test(address.trim())) return undefined;
  if (!URL.canParse(address.trim())) return undefined;
  const url = new URL(address.trim());
  if (!schemes.has(url.protocol)) return undefined;
  return { href: url.href, hidden: hides(url, words) ? placeOf(url) : undefined };
}

function placeOf(url: URL): string {
  return url.protocol === 'mailto:' ? url.pathname : url.host;
}

/** What looks like the name of a host, in any script. Where it may begin and end is certain, so nothing is tried twice. */
const hostLike =
  /(?<![\p{L}\p{N}-])-*([\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*(?:[.。．｡][\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*)+)/gu;

/** Of longer words it is not looked what they name. */
const longestWords = 2_000;

/** Whether the words name another place than the one that it leads to, or may do so. */
function hides(url: URL, words: string): boolean {
  const place = placeOf(url).toLowerCase();
  const said = words.trim().toLowerCase();
  if (said === url.href.toLowerCase() || said === place) return false;
  if (said.length > longestWords) return true;
  const [, saidHost] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]+)/.exec(said) ?? [];
  if (saidHost !== undefined && saidHost !== place) return true;
  const named = saidHost === undefined ? Array.from(said.matchAll(hostLike), ([, name = '']) => name) : [];
  if (url.username !== '' || url.password !== '') return true;
  const own = url.protocol === 'mailto:' ? [place, place.split('@')[1] ?? ''] : [place, url.hostname.toLowerCase()];
  return named.some((name) => !own.includes(name) && !own.includes(`www.${name}`));
}
