import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Clock } from '../../../lib/clock.ts';
import { innermostError, wasNeverSent } from '../../../lib/network-error.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type ConnectionRules, guardedConnector, type HostLookup, systemLookup } from './guarded-connector.ts';
import { portOf } from './host-name.ts';
import { type NetworkRules, networkRules } from './network-rules.ts';
import { refuseHeader, type WebClient, WebError, type WebRequest, type WebResponse } from './web-client.ts';

export interface WebClientDependencies {
  /** `allowPrivate`: as `parseAllowPrivate` reads it. */
  readonly settings: { readonly allowPrivate: readonly string[] };
  readonly clock: Clock;
  readonly lookup?: HostLookup;
}

/** As many as people's mistakes need; a longer way is a circle. */
const mostRedirects = 5;

/** The web as tools may see it. Throws if an entry of `allowPrivate` is none. */
export function webClient({ settings, clock, lookup = systemLookup }: WebClientDependencies): WebClient {
  const rules = networkRules(settings.allowPrivate);
  return async (request, signal) => {
    const tooLate = new AbortController();
    const cancel = clock.after(request.timeout, () => tooLate.abort());
    const ends = AbortSignal.any([signal, tooLate.signal]);
    try {
      return await visit(request, { rules: rulesOf(request, rules), lookup, signal: ends });
    } catch (cause) {
      if (signal.aborted) throw new WebError('The request was called off.', { cause });
      if (tooLate.signal.aborted) {
        const late = `There was no complete answer within ${request.timeout / 1000} s.`;
        throw new WebError(`${late}${mayBeDone(request.method)}`, { cause });
      }
      throw cause;
    } finally {
      cancel();
    }
  };
}

interface Visit {
  readonly rules: NetworkRules;
  readonly lookup: HostLookup;
  readonly signal: AbortSignal;
}

async function visit(request: WebRequest, { rules, lookup, signal }: Visit): Promise<WebResponse> {
  const { maxBytes, refuse } = request;
  let hop = firstHop(request, rules);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const refusal = rules.refuse(hop.url) ?? refuse?.(hop.url);
    if (refusal !== undefined) throw new WebError(redirects === 0 ? refusal : pointing(hop.url, refusal));
    const response = await exchange(hop, { permits: rules.permits, lookup, maxBytes, signal }).catch(
      (cause: unknown) => {
        throw webFailure(cause, hop) ?? cause;
      },
    );
    const next = nextHop(hop, response);
    if (next === undefined) return response;
    hop = next;
  }
  throw new WebError(`More than ${mostRedirects} redirects, the last one to ${oneLine(hop.url.href, 200)}.`);
}

function firstHop({ url, method = 'GET', headers = {}, body }: WebRequest, rules: NetworkRules): Hop {
  const parsed = URL.parse(url);
  if (parsed === null) throw new WebError(rules.refuse(url));
  for (const [name, value] of Object.entries(headers)) {
    const refusal = refuseHeader(name, value);
    if (refusal !== undefined) throw new WebError(`The header ${oneLine(name, 100)} ${refusal}.`);
  }
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { url: parsed, method: method.toUpperCase(), headers: lowered, body };
}

/** The server that redirected has had the request. */
function pointing(url: URL, refusal: string): string {
  return `The answer was a redirect to ${oneLine(url.href, 200)}, which is not followed. ${refusal}`;
}

/** What the operator has configured for this one request needs no other permission. */
function rulesOf({ operatorOrigin }: WebRequest, rules: NetworkRules): NetworkRules {
  if (operatorOrigin === undefined) return rules;
  const isOwn = (url: URL): boolean => url.origin === operatorOrigin && url.username === '' && url.password === '';
  return {
    refuse: (url) => (typeof url !== 'string' && isOwn(url) ? undefined : rules.refuse(url)),
    permits: (url, address) => isOwn(url) || rules.permits(url, address),
  };
}

/**
 * Sends one request and reads its answer, on a connection of its own that is gone afterwards. What only redirects is not
 * read. Proxies of the environment are not used: behind one, nobody would see where a connection leads.
 */
async function exchange(
  { url, method, headers, body }: Hop,
  { maxBytes, ...rules }: Omit<ConnectionRules, 'url'> & { readonly maxBytes: number },
): Promise<WebResponse> {
  const { Agent, buildConnector, request } = await import('undici');
  const connect = guardedConnector(buildConnector, { ...rules, url });
  const dispatcher = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const answer = await request(url, {
      dispatcher,
      method,
      headers: { 'user-agent': 'Keyturn', accept: '*/*', ...headers, 'accept-encoding': 'gzip, br' },
      body: body ?? null,
      reset: true,
      signal: rules.signal,
    });
    const head = { url: url.href, status: answer.statusCode, headers: joined(answer.headers) };
    if (isRedirect(head)) return { ...head, body: Buffer.alloc(0), truncated: false };
    return { ...head, ...(await readDecoded(answer.body, head.headers['content-encoding'] ?? '', maxBytes)) };
  } finally {
    await dispatcher.destroy();
  }
}

function joined(headers: NodeJS.Dict<string | readonly string[]>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value = '']) => [name, typeof value === 'string' ? value : value.join(', ')]),
  );
}

/** What a failed request means to the model, without the addresses that were tried. Undefined: it is a fault of ours. */
function webFailure(cause: unknown, { url, method }: Hop): WebError | undefined {
  if (cause instanceof WebError) return cause;
  const innermost = innermostError(cause);
  // undici's parser has a name only.
  const code = innermost.code ?? (innermost.name === 'HTTPParserError' ? 'HPE' : undefined);
  if (code === undefined) return undefined;
  return new WebError(`${words(code, url)}${wasNeverSent(innermost) ? '' : mayBeDone(method)}`, { cause });
}

/** What to say after the failure of a request that may have arrived. */
function mayBeDone(method = 'GET'): string {
  return /^(?:GET|HEAD|OPTIONS)$/i.test(method) ? '' : ' It may have been carried out: look before you try again.';
}

function words(code: string, url: URL): string {
  const host = oneLine(url.hostname, 200);
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `There is no host ${host}: check the name.`;
  if (code === 'EAI_AGAIN') return `The name ${host} cannot be looked up at present. Try it again later.`;
  if (code === 'ECONNREFUSED') return `${host} takes no connections at port ${portOf(url)}.`;
  if (unreachable.has(code)) return `${host} cannot be reached at present.`;
  if (broken.has(code)) return `${host} closed the connection before its answer was complete.`;
  if (/^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)) {
    return `The certificate of ${host} cannot be trusted (${code}), so nothing was sent to it.`;
  }
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return `${host} does not speak https at port ${portOf(url)}.`;
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(code)) return `What ${host} answered cannot be decompressed.`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return `${host} answered with more headers than are read.`;
  return `${host} did not answer as a web server does${code === 'HPE' ? '' : ` (${code})`}.`;
}

const unreachable: ReadonlySet<string> = new Set(
  'ETIMEDOUT ENETUNREACH EHOSTUNREACH ENETDOWN EADDRNOTAVAIL'.split(' '),
);
const broken: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Reads a body, decompressed, up to so many bytes, and not what follows: a small answer that grows without end costs no
 * more than a large one. Throws `WebError` if it is packed in a way that we do not know, and what zlib throws.
 */
async function readDecoded(
  body: Readable,
  encodings: string,
  maxBytes: number,
): Promise<Pick<WebResponse, 'body' | 'truncated'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decoded(body, encodings)) {
    const bytes = Buffer.from(chunk);
    chunks.push(bytes.subarray(0, maxBytes - size));
    size += bytes.length;
    // Leaving the loop ends the stream.
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks), truncated: size > maxBytes };
}

function decoded(body: Readable, encodings: string): AsyncIterable<Uint8Array> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 2) throw new WebError('The answer is compressed more than twice, so it is not read.');
  const decoders = names.reverse().map(decoderOf);
  const last = decoders.at(-1);
  if (last === undefined) return body;
  // The reader of its end sees its errors.
  pipeline([body, ...decoders], () => {});
  return last;
}

/** Takes what there is of an answer that ends too early, as browsers do. */
function decoderOf(name: string): Transform {
  const lenient = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  if (name === 'gzip' || name === 'x-gzip') return createGunzip(lenient);
  if (name === 'deflate') return createInflate(lenient);
  if (name === 'br') {
    const operation = constants.BROTLI_OPERATION_FLUSH;
    return createBrotliDecompress({ flush: operation, finishFlush: operation });
  }
  throw new WebError(`The answer is compressed as "${name.slice(0, 40)}", which cannot be read here.`);
}

/** One request on the way to the answer. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Whether such an answer only says where to go on. */
function isRedirect({ status, headers }: Pick<WebResponse, 'status' | 'headers'>): boolean {
  return redirecting.has(status) && headers.location !== undefined;
}

/**
 * Where an answer leads to, as browsers do it: after 303, and after 301 and 302 to a POST, with a GET; else with the same
 * method and body. Another origin gets no header that the caller has set, but what says which answers it can read.
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
  return { ...rest, url, headers, body };
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
