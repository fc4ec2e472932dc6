import { isIP } from 'node:net';
import type { Network } from '../../../lib/network/network.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import {
  guardedAgent,
  type HostLookup,
  hostAndPort,
  hostOf,
  isLocalName,
  networkRules,
  systemLookup,
  WebError,
} from './network-rules.ts';

/** One origin of the config, which is requested repeatedly. */
export interface OriginFetchRules {
  readonly url: URL;
  /** Its name may lead to the private network. An address or a local name in the URL needs no permission. */
  readonly mayBePrivate: boolean;
  /** Hosts of the private network that the operator has opened for everything: see `parsePrivateHost`. */
  readonly allowPrivate: readonly string[];
  /** The largest response, or event of an event stream, in bytes. */
  readonly maxBytes: number;
  /** Resolves when that many bytes of a response, and events in them, may be read. */
  readonly turnFor: (bytes: number, events: number) => Promise<void>;
  readonly lookup?: HostLookup;
  /** Default: directly. */
  readonly network?: Pick<Network, 'proxyFor'> | undefined;
}

/** Checks each connection: a public name that leads to a private address is refused. */
export async function originFetch(rules: OriginFetchRules) {
  const { url: own, lookup = systemLookup, network } = rules;
  const over = new AbortController();
  const { permits } = networkRules([...rules.allowPrivate, ...(isMeant(rules) ? [hostAndPort(own)] : [])]);
  const { request, dispatcher } = await guardedAgent({ url: own, permits, lookup, signal: over.signal, network });
  return {
    /**
     * The platform's `fetch`, for texts. Requests only this origin, follows no redirect, and throws `WebError` for what
     * it refuses. Does not ask for compression.
     */
    async fetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
      const target = new URL(url);
      if (target.origin !== own.origin) {
        throw new WebError(
          `${own.host} sends us to ${oneLine(target.origin, 200)}, which is not in the config: it is not asked.`,
        );
      }
      const sent = init.body ?? null;
      if (sent !== null && typeof sent !== 'string') throw new TypeError('Only texts can be sent.');
      const answer = await request(target, {
        dispatcher,
        method: init.method ?? 'GET',
        headers: {
          'user-agent': 'Keyturn',
          ...Object.fromEntries(new Headers(init.headers)),
          'accept-encoding': 'identity',
        },
        body: sent,
        signal: init.signal ?? null,
      });
      const headers = new Headers();
      for (const [name, value = []] of Object.entries(answer.headers)) {
        for (const one of typeof value === 'string' ? [value] : value) headers.append(name, one);
      }
      const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
      const body = limitedBody(answer.body, rules, isStream);
      return new Response(bodyless.has(answer.statusCode) ? null : body, { status: answer.statusCode, headers });
    },
    async close(): Promise<void> {
      over.abort();
      await dispatcher.destroy();
    },
  };
}

const bodyless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);

/** The operator has written a plainly private URL, or permits private addresses. */
function isMeant({ url, mayBePrivate }: OriginFetchRules): boolean {
  return mayBePrivate || isIP(hostOf(url)) !== 0 || isLocalName(hostOf(url));
}

/**
 * Yields the bytes no faster than they may be read. Throws `WebError` if there are too many. Ending it ends the source.
 * `perEvent`: an event stream, which may be endless: each event is measured by itself.
 */
async function* limitedBody(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, turnFor }: OriginFetchRules,
  perEvent: boolean,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  let before = '';
  for await (const chunk of source) {
    size += chunk.length;
    if (perEvent) {
      const text = before + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1');
      // The last event ends after an empty line.
      const ends = ['\n\n', '\r\r', '\n\r\n'].map((mark) => [text.lastIndexOf(mark), mark.length] as const);
      const end = Math.max(...ends.map(([at, length]) => (at === -1 ? -1 : at + length)));
      if (end !== -1) size = text.length - end;
      before = text.slice(-2);
    }
    if (size > maxBytes) throw new WebError(`It sent more than ${maxBytes} bytes at once.`);
    for (const { bytes, lines } of piecesOf(chunk)) {
      // An event has at least two lines, one of them empty. Other responses are one message each.
      await turnFor(bytes.length, perEvent ? lines / 2 : 0);
      yield bytes;
    }
  }
}

/** The most that is read at once, in lines and bytes. */
const pieceLines = 50;
const pieceBytes = 16_384;

function* piecesOf(chunk: Uint8Array): Generator<{ readonly bytes: Uint8Array; readonly lines: number }> {
  let start = 0;
  let lines = 0;
  for (let at = 0; at < chunk.length; at += 1) {
    const byte = chunk[at];
    if (byte === 0x0a || byte === 0x0d) lines += 1;
    const isWhole = lines === pieceLines || at + 1 - start === pieceBytes || at + 1 === chunk.length;
    if (!isWhole) continue;
    yield { bytes: chunk.subarray(start, at + 1), lines };
    start = at + 1;
    lines = 0;
  }
}
