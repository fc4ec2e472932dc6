import { oneLine } from '../../../lib/plain-text.ts';
import { WebError, type WebResponse } from './web-client.ts';

/** One request on the way to the answer. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whether such an answer only says where to go on. */
export function isRedirect({ status, headers }: Pick<WebResponse, 'status' | 'headers'>): boolean {
  return redirecting.has(status) && headers.location !== undefined;
}

/**
 * Where an answer leads to, as browsers do it: after 303, and after 301 and 302 to a POST, with a GET; else with the same
 * method and body. Another origin gets no header that the caller has set, but what says which answers he can read.
 * Undefined: it is the answer. Throws `WebError` if there is no following.
 */
export function nextHop(hop: Hop, response: Pick<WebResponse, 'status' | 'headers'>): Hop | undefined {
  if (!isRedirect(response)) return undefined;
  const location = response.headers.location ?? '';
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw new WebError(`${hop.url.host} redirects to ${oneLine(location, 200)}, which is no URL.`);
  // Who listens on the way could have written it, and what was sent privately would be readable.
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new WebError(
      `${hop.url.host} redirects to ${oneLine(url.href, 200)}, without encryption, which is not followed. Ask for that URL itself if it is what you want.`,
    );
  }
  const becomesGet = response.status === 303 ? hop.method !== 'HEAD' : response.status < 303 && hop.method === 'POST';
  const { body, ...rest } = hop;
  const headers = url.origin === hop.url.origin ? hop.headers : only(hop.headers, [...harmless, ...ofBody]);
  if (becomesGet) return { url, method: 'GET', headers: without(headers, ofBody) };
  return { ...rest, url, headers, ...(body === undefined ? {} : { body }) };
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const harmless: readonly string[] = ['accept', 'accept-language', 'user-agent'];
const ofBody: readonly string[] = ['content-type', 'content-language', 'content-encoding', 'content-location'];

type Headers = Readonly<Record<string, string>>;

function only(headers: Headers, names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

function without(headers: Headers, names: readonly string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
