import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { type Clock, withTimeout } from '../../../lib/clock.ts';
import { innermostError, wasNeverSent } from '../../../lib/http.ts';
import { connectionFault } from '../../../lib/network/connection-fault.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import {
  type ConnectionRules,
  guardedAgent,
  hostAndPort,
  type NetworkRules,
  networkRules,
  portOf,
  systemLookup,
  WebError,
} from './network-rules.ts';

/** A request that a tool makes for the model. */
export interface WebRequest {
  /** An absolute http or https URL. */
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  /** None that `refuseHeader` refuses. `user-agent` and `accept` have defaults. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many bytes of the response are kept, after decompression. The rest is not read. */
  readonly maxBytes: number;
  /** For all of it, redirects included, in ms. */
  readonly timeout: number;
  /** Why this URL must not be visited, in words for the model. Called for every hop. */
  readonly refuse?: (url: URL) => string | undefined;
  /**
   * The one origin (`http://127.0.0.1:8080`) that may be private for this request, because the operator has configured
   * it. Never made from a model's text.
   */
  readonly operatorOrigin?: string;
}

export interface WebResponse {
  /** The URL after redirects. */
  readonly url: string;
  /** All URLs that had a part in it, in order: each hop chose the next one, and `url` is the last. */
  readonly hops: readonly string[];
  readonly status: number;
  /** Names in lower case. Repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** The response had more than `maxBytes`, or was cut. */
  readonly truncated: boolean;
  /** The connection ended before the response did: the body is what had come. */
  readonly isCut?: boolean;
}

/**
 * Requests the web, but neither this machine nor its network, unless the operator has listed the host. Checks the
 * address of each connection, on every hop. Throws `WebError`.
 */
export type WebClient = (request: WebRequest, signal: AbortSignal) => Promise<WebResponse>;

/** The web as tools get it. `refuse`: why a URL is refused by its text alone, in words for the model. */
export interface WebAccess {
  readonly client: WebClient;
  readonly refuse: (url: string) => string | undefined;
}

const mostRedirects = 5;

/** The web as tools get it. Throws if an entry of `allowPrivate` is invalid: see `parsePrivateHost`. */
export function webAccess(
  allowPrivate: readonly string[],
  clock: Clock,
  { lookup = systemLookup, network }: Partial<Pick<ConnectionRules, 'lookup' | 'network'>> = {},
): WebAccess {
  const rules = networkRules(allowPrivate);
  const client: WebClient = (request, signal) => {
    const { operatorOrigin: own, timeout: milliseconds, method } = request;
    const open = own === undefined ? rules : networkRules([...allowPrivate, hostAndPort(new URL(own))]);
    return withTimeout({ clock, milliseconds, signal }, async (ends) => {
      try {
        return await visit(request, open, { lookup, network, signal: ends });
      } catch (cause) {
        if (signal.aborted) throw new WebError('The request was called off.', { cause });
        if (!ends.aborted) throw cause;
        const late = `There was no complete answer within ${milliseconds / 1000} s.`;
        throw new WebError(`${late}${mayBeDone(method)}`, { cause });
      }
    });
  };
  return { client, refuse: rules.refuse };
}

async function visit(
  request: WebRequest,
  rules: NetworkRules,
  connection: Omit<ConnectionRules, 'url' | 'permits'>,
): Promise<WebResponse> {
  const { maxBytes, refuse } = request;
  let hop = firstHop(request, rules);
  const hops: string[] = [];
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const refusal = rules.refuse(hop.url) ?? refuse?.(hop.url);
    if (refusal !== undefined) {
      // The redirecting server has already received the request.
      const pointing = `The answer was a redirect to ${oneLine(hop.url.href, 200)}, which is not followed. `;
      throw redirects === 0 ? new WebError(refusal, { reachedNobody: true }) : new WebError(`${pointing}${refusal}`);
    }
    hops.push(hop.url.href);
    const response = await exchange(hop, { ...connection, permits: rules.permits, maxBytes }).catch(
      (cause: unknown) => {
        const failure = webFailure(cause, hop) ?? cause;
        // The server that redirects has chosen this host.
        const wasLed = redirects > 0 && failure instanceof WebError && failure.reachedNobody;
        throw wasLed ? new WebError(failure.message, { cause: failure }) : failure;
      },
    );
    const next = nextHop(hop, response);
    if (next === undefined) return { ...response, hops };
    hop = next;
  }
  throw new WebError(`More than ${mostRedirects} redirects, the last one to ${oneLine(hop.url.href, 200)}.`);
}

function firstHop({ url, method = 'GET', headers = {}, body }: WebRequest, rules: NetworkRules): Hop {
  const parsed = URL.parse(url);
  if (parsed === null) throw new WebError(rules.refuse(url), { reachedNobody: true });
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { url: parsed, method: method.toUpperCase(), headers: lowered, body };
}

/**
 * Sends one request on its own connection, which is closed afterwards, and reads the response. The body of a redirect
 * is not read.
 */
async function exchange(
  { url, method, headers, body }: Hop,
  { maxBytes, ...rules }: Omit<ConnectionRules, 'url'> & { readonly maxBytes: number },
): Promise<Omit<WebResponse, 'hops'>> {
  const { request, dispatcher } = await guardedAgent({ ...rules, url });
  try {
    const answer = await request(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'Keyturn', accept: '*/*', ...headers, 'accept-encoding': 'gzip, br' },
      body: body ?? null,
      reset: true,
      signal: rules.signal,
    });
    const joined = Object.entries(answer.headers).map(([name, value = '']) => [name, [value].flat().join(', ')]);
    const head = { url: url.href, status: answer.statusCode, headers: Object.fromEntries(joined) };
    if (isRedirect(head)) return { ...head, body: Buffer.alloc(0), truncated: false };
    return { ...head, ...(await readDecoded(answer.body, head.headers['content-encoding'] ?? '', maxBytes)) };
  } finally {
    await dispatcher.destroy();
  }
}

/** A failed request in words for the model, without the addresses tried. Undefined if it is a bug of ours. */
function webFailure(cause: unknown, { url, method }: Hop): WebError | undefined {
  if (cause instanceof WebError) return cause;
  const fault = connectionFault(cause, oneLine(url.host, 200));
  if (fault !== undefined)
    return new WebError(`${fault.wordsIn('en')} Nothing was sent: only the operator can mend it.`, { cause });
  const innermost = innermostError(cause);
  // An error of undici's parser has only a name.
  const code = innermost.code ?? (innermost.name === 'HTTPParserError' ? 'HPE' : undefined);
  if (code === undefined) return undefined;
  const isSent = !wasNeverSent(innermost);
  const reachedNobody = !isSent && withoutConnection.test(code);
  return new WebError(`${words(code, url)}${isSent ? mayBeDone(method) : ''}`, { cause, reachedNobody });
}

/** Faults before anybody could answer. In those of certificates and proxies, others may have chosen the words. */
const withoutConnection =
  /^(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL)$/;

/** A warning after a failed request that may have arrived. */
function mayBeDone(method = 'GET'): string {
  return /^(?:GET|HEAD|OPTIONS)$/i.test(method) ? '' : ' It may have been carried out: look before you try again.';
}

function words(code: string, url: URL): string {
  const [, meaning = ''] = failures.find(([codes]) => codes.test(code)) ?? [];
  return meaning
    .replaceAll('HOST', () => oneLine(url.hostname, 200))
    .replace('PORT', () => String(portOf(url)))
    .replace('CODE', code);
}

/** Codes of undici, of the system and of zlib, and what they mean. `HPE` is any of undici's parser. */
const failures = `
ENOTFOUND|ENODATA There is no host HOST: check the name.
EAI_AGAIN The name HOST cannot be looked up at present. Try it again later.
ECONNREFUSED HOST takes no connections at port PORT.
ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENETDOWN|EADDRNOTAVAIL HOST cannot be reached at present.
ECONNRESET|EPIPE|UND_ERR_SOCKET HOST closed the connection before its answer was complete.
(?:ERR_SSL_|ERR_TLS_|EPROTO).* HOST does not speak https at port PORT.
(?:Z_|ERR_BROTLI|ERR__ERROR_|ZSTD_).* What HOST answered cannot be decompressed.
UND_ERR_HEADERS_OVERFLOW HOST answered with more headers than are read.
HPE HOST did not answer as a web server does.
.* HOST did not answer as a web server does (CODE).`
  .trim()
  .split('\n')
  .map((line) => {
    const [codes = '', ...meaning] = line.split(' ');
    return [new RegExp(`^(?:${codes})$`), meaning.join(' ')] as const;
  });

/**
 * Reads a body, decompressed, up to `maxBytes`, and not the rest: a small response that decompresses without end costs
 * no more than a large one. Throws `WebError` for an unknown encoding, and the errors of zlib.
 */
async function readDecoded(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<Pick<WebResponse, 'body' | 'truncated' | 'isCut'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(body, encoding)) {
      const bytes = Buffer.from(chunk);
      chunks.push(bytes.subarray(0, maxBytes - size));
      size += bytes.length;
      // Leaving the loop destroys the stream.
      if (size > maxBytes) break;
    }
  } catch (cause) {
    if (size === 0 || !endsEarly.test(innermostError(cause).code ?? '')) throw cause;
    return { body: Buffer.concat(chunks), truncated: true, isCut: true };
  }
  return { body: Buffer.concat(chunks), truncated: size > maxBytes };
}

const endsEarly =
  /^(?:UND_ERR_RES_CONTENT_LENGTH_MISMATCH|UND_ERR_SOCKET|ECONNRESET|EPIPE|ERR_STREAM_PREMATURE_CLOSE)$/;

/** Some servers send "deflate" without its header, which browsers read as well. */
async function* inflated(body: Readable, flushing: object): AsyncGenerator<Uint8Array> {
  const source: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  const { value: first, done } = await source.next();
  if (done === true) return;
  const [method = 0, flags = 0] = first;
  const hasHeader = (method & 15) === 8 && (first.length < 2 || ((method << 8) | flags) % 31 === 0);
  const whole = async function* (): AsyncGenerator<Uint8Array> {
    yield first;
    yield* body;
  };
  const decoder = hasHeader ? createInflate(flushing) : createInflateRaw(flushing);
  yield* pipeline(Readable.from(whole()), decoder, () => {});
}

/** A truncated response yields what arrived, as in browsers. */
function decoded(body: Readable, encoding: string): AsyncIterable<Uint8Array> {
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  const { BROTLI_OPERATION_FLUSH: flush } = constants;
  // The errors reach the reader of the last stream.
  const through = (decoder: Transform): Transform => pipeline(body, decoder, () => {});
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return body;
    case 'gzip':
    case 'x-gzip':
      return through(createGunzip(lenient));
    case 'deflate':
      return inflated(body, lenient);
    case 'br':
      return through(createBrotliDecompress({ flush, finishFlush: flush }));
    default:
      // Not in every Node that starts us.
      if (/^zstd$/i.test(encoding.trim()) && 'createZstdDecompress' in zlib)
        return through(zlib.createZstdDecompress());
      throw new WebError(`The answer is compressed as "${encoding.slice(0, 40)}", which cannot be read here.`);
  }
}

export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function isRedirect({ status, headers }: Pick<WebResponse, 'status' | 'headers'>): boolean {
  return redirecting.has(status) && headers.location !== undefined;
}

/**
 * The next request after a redirect, as in browsers: a GET after 303, and after 301 and 302 to a POST; otherwise the
 * same method and body. Another origin gets only those headers of the caller that describe the body or the accepted
 * responses, and `user-agent`. Undefined if the response is final. Throws `WebError` for a refused redirect.
 */
export function nextHop(hop: Hop, response: Pick<WebResponse, 'status' | 'headers'>): Hop | undefined {
  if (!isRedirect(response)) return undefined;
  const location = response.headers.location ?? '';
  const url = URL.parse(location, hop.url.href);
  if (url === null) throw new WebError(`${hop.url.host} redirects to ${oneLine(location, 200)}, which is no URL.`);
  // Anyone on the path could write the response, and read the request.
  if (hop.url.protocol === 'https:' && url.protocol === 'http:') {
    throw new WebError(
      `${hop.url.host} redirects to ${oneLine(url.href, 200)}, without encryption, which is not followed. Ask for that URL itself if it is what you want.`,
    );
  }
  const becomesGet = response.status === 303 ? hop.method !== 'HEAD' : response.status < 303 && hop.method === 'POST';
  const headers = Object.entries(hop.headers).filter(([name]) => {
    const isOfBody = /^content-(?:type|language|encoding|location)$/.test(name);
    if (isOfBody && becomesGet) return false;
    return url.origin === hop.url.origin || isOfBody || /^(?:accept|accept-language|user-agent)$/.test(name);
  });
  const next = { url, headers: Object.fromEntries(headers) };
  return becomesGet ? { ...next, method: 'GET' } : { ...next, method: hop.method, body: hop.body };
}

const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** A status with its name: `404 Not Found`. */
export function statusWords(status: number): string {
  // Loaded on use: it takes 18 ms.
  const { STATUS_CODES } = process.getBuiltinModule('node:http');
  return `${status} ${STATUS_CODES[status] ?? ''}`.trim();
}

/** Why a header must not be sent, in words for the model; undefined if it may. */
export function refuseHeader(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/.test(name)) return 'is no name of a header';
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    return 'must have a value of one line, of characters that a header can hold';
  if (value.length > 8_000) return 'must not be longer than 8000 characters';
  const lower = name.toLowerCase();
  return ofConnection.has(lower) || lower.startsWith('proxy-') ? 'is set by Keyturn alone: leave it out' : undefined;
}

/** They decide where a request goes, where it ends, and how its response is encoded. */
const ofConnection: ReadonlySet<string> = new Set(
  `host content-length transfer-encoding connection keep-alive upgrade http2-settings te trailer expect
  accept-encoding`.split(/\s+/),
);
