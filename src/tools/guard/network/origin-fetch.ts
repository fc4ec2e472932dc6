import { isIP } from 'node:net';
import { oneLine } from '../../../lib/plain-text.ts';
import { guardedConnector, type HostLookup, systemLookup } from './guarded-connector.ts';
import { hostOf } from './host-name.ts';
import { isLocalName, networkRules } from './network-rules.ts';
import { WebError } from './web-client.ts';

/** What is asked again and again at one place, which the operator has configured. */
export interface OriginFetchRules {
  readonly url: URL;
  /** Its name may lead to the private network. An address, or a local name, in the URL needs no permission. */
  readonly mayBePrivate: boolean;
  /** Hosts of the private network that the operator has opened for all, as `parseAllowPrivate` reads them. */
  readonly allowPrivate: readonly string[];
  /** The largest answer, or event of a stream of events, in bytes. */
  readonly maxBytes: number;
  readonly lookup?: HostLookup;
}

export interface OriginFetch {
  /**
   * As the `fetch` of the platform, for texts. Asks this origin alone, follows no redirect, and throws `WebError` for what it
   * refuses. Compressed answers are not asked for.
   */
  fetch(url: string | URL, init?: RequestInit): Promise<Response>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Makes it. What is connected to is looked at each time: a public name that leads to a private address is refused. */
export async function originFetch(rules: OriginFetchRules): Promise<OriginFetch> {
  const { Agent, buildConnector, request } = await import('undici');
  const { url: own, lookup = systemLookup, maxBytes } = rules;
  const over = new AbortController();
  const { permits } = networkRules([...rules.allowPrivate, ...(isMeant(rules) ? [own.host] : [])]);
  const connect = guardedConnector(buildConnector, { url: own, permits, lookup, signal: over.signal });
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  return {
    async fetch(url, init = {}) {
      const target = new URL(url);
      if (target.origin !== own.origin) throw new WebError(refuseOrigin(own, target));
      const answer = await request(target, {
        dispatcher,
        method: init.method ?? 'GET',
        headers: { 'user-agent': 'Keyturn', ...plainHeaders(init.headers), 'accept-encoding': 'identity' },
        body: textOf(init.body),
        signal: init.signal ?? null,
      });
      const headers = new Headers();
      for (const [name, value = []] of Object.entries(answer.headers)) {
        for (const one of typeof value === 'string' ? [value] : value) headers.append(name, one);
      }
      const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
      const body = limitedBody(answer.body, { maxBytes, perEvent: isStream });
      return new Response(bodyless.has(answer.statusCode) ? null : body, { status: answer.statusCode, headers });
    },
    async close() {
      over.abort();
      await dispatcher.destroy();
    },
  };
}

const bodyless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** The operator has written what is plainly private, or has said that it may be. */
function isMeant({ url, mayBePrivate }: OriginFetchRules): boolean {
  return mayBePrivate || isIP(hostOf(url)) !== 0 || isLocalName(hostOf(url));
}

function refuseOrigin(own: URL, { origin }: URL): string {
  return `${own.host} sends us to ${oneLine(origin, 200)}, which is not in the config: it is not asked.`;
}

function plainHeaders(headers: RequestInit['headers']): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function textOf(body: RequestInit['body']): string | null {
  if (body === undefined || body === null || typeof body === 'string') return body ?? null;
  throw new TypeError('Only texts can be sent.');
}

export interface BodyLimit {
  readonly maxBytes: number;
  /** It is a stream of events, which may go on for ever: each of them is counted by itself. */
  readonly perEvent: boolean;
}

/** The bytes as they come. Throws `WebError` when there are too many. Leaving it ends the source. */
async function* limitedBody(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, perEvent }: BodyLimit,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let before = '';
  for await (const chunk of source) {
    size += chunk.length;
    if (perEvent) {
      const text = before + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      const end = endOfEvents(text);
      if (end !== undefined) size = text.length - end;
      before = text.slice(-2);
    }
    if (size > maxBytes) throw new WebError(`It sent more than ${maxBytes} bytes at once.`);
    yield chunk;
  }
}

/** Where the last event ends that does: behind an empty line. */
function endOfEvents(text: string): number | undefined {
  const ends = ['\n\n', '\r\r', '\n\r\n'].flatMap((mark) => {
    const at = text.lastIndexOf(mark);
    return at === -1 ? [] : [at + mark.length];
  });
  return ends.length === 0 ? undefined : Math.max(...ends);
}
