import { isJsonObject, parseJson } from '../../lib/json.ts';
import { fetchedRequests, type Sender, type WholeRequest } from '../../lib/network/fetched-requests.ts';
import { createKeptRequests, type IncomingAnswer } from '../../lib/network/kept-requests.ts';
import { ownVersion } from '../../lib/own-version.ts';
import type { AnswerPiece, AnswerSource, SourceParts } from '../answer-source.ts';
import { chatCompletions } from '../foreign-forms/chat-completions.ts';
import { type BodySource, chunksOf } from '../foreign-forms/foreign-forms.ts';
import type { ModelError, ModelRequest } from '../language-model.ts';
import { bodyFailure, foreignServer, networkFailure, oddAnswer, type Refusal, refusal } from '../provider-failure.ts';
import { createPieceReader } from './answer-pieces.ts';
import { type BodyWriter, createBodyWriter } from './request-body.ts';

/** Servers that speak OpenAI's chat completions, of any maker, over connections that are kept from answer to answer. */
export function compatibleSource(parts: SourceParts): AnswerSource {
  const { description, baseUrl, schemaStrategy, network } = parts;
  const context: Context = {
    ...parts,
    address: `${baseUrl.replace(/\/$/, '')}/chat/completions`,
    headers: headersOf(parts),
    body: createBodyWriter(description, schemaStrategy),
    direct: createKeptRequests(network),
    proxied: fetchedRequests(network.fetch),
  };
  return { ask: (request, signal) => ({ pieces: ask(request, signal, context) }) };
}

interface Context extends SourceParts {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodyWriter;
  readonly direct: Sender;
  /** What a proxy says of itself is known to the client behind `fetch`. */
  readonly proxied: Sender;
}

/** Those of the config win. */
function headersOf({ description: { apiKey = '', headers = {} } }: SourceParts): Readonly<Record<string, string>> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    'content-type': 'application/json',
    accept: '*/*',
    'user-agent': `keyturn/${ownVersion()}`,
    ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
    ...Object.fromEntries(given),
  };
}

async function* ask(request: ModelRequest, signal: AbortSignal, context: Context): AsyncGenerator<AnswerPiece> {
  const { failures, clock } = context;
  const answer = await answerTo(request, signal, context);
  const body = bodyOf(answer);
  const kind = kindOf(answer);
  const broken: ModelError[] = [];
  const chunks = chunksOf(body, {
    dialect: chatCompletions(),
    clock,
    signal,
    failed: (fault) => broken.push(bodyFailure(fault, kind, failures)),
  });
  const reader = createPieceReader();
  for await (const batch of chunks) {
    for (const piece of reader.take(batch)) yield piece;
    if (reader.isOdd) break;
  }
  const [failure] = broken;
  if (failure !== undefined) throw failure;
  if (!reader.isOdd) for (const piece of reader.end()) yield piece;
  if (reader.isOdd) throw oddAnswer(undefined, failures);
}

/** The head of an answer that may be one. */
async function answerTo(request: ModelRequest, signal: AbortSignal, context: Context): Promise<IncomingAnswer> {
  const { failures, clock, address } = context;
  const answer = await sent(request, signal, context);
  const { status, headers } = answer;
  const failure = await proxyFailure(answer, context);
  if (failure !== undefined) {
    answer.cancel();
    throw failure;
  }
  // It would send the conversation to a place that the operator did not name.
  if ([301, 302, 303, 307, 308].includes(status)) {
    answer.cancel();
    throw foreignServer({ type: 'redirects', target: targetOf(headers.location, address) }, failures);
  }
  if (status < 200 || status > 299) throw refusal(await refusedBy(answer), failures, clock.now());
  return answer;
}

async function sent(request: ModelRequest, signal: AbortSignal, context: Context): Promise<IncomingAnswer> {
  const { address, headers, body, network, failures, direct, proxied } = context;
  try {
    const url = new URL(address);
    // The same request costs a little, where a connection that the server had just closed would fail the answer.
    const asked: WholeRequest = {
      url,
      method: 'POST',
      headers,
      body: body.write(request),
      signal,
      isRepeatable: true,
    };
    return await (network.proxyFor(url) === undefined ? direct : proxied).send(asked);
  } catch (error) {
    throw (error instanceof Error && networkFailure(error, failures)) || error;
  }
}

function kindOf({ headers }: IncomingAnswer): string {
  return headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** What a page for people says in the place of a server for programs: the proxy to it has not reached it, or may not. */
async function proxyFailure(
  answer: IncomingAnswer,
  { address, network, failures }: Context,
): Promise<ModelError | undefined> {
  const { status } = answer;
  if (![403, 502, 503, 504, 511].includes(status) || kindOf(answer) !== 'text/html') return undefined;
  const url = new URL(address);
  const proxy = network.proxyFor(url);
  if (proxy === undefined || proxy.scheme === 'socks5' || url.protocol !== 'http:') return undefined;
  const tunnel = await import('../../lib/network/tunnel/tunnel.ts');
  return networkFailure(tunnel.refusedBy(proxy, status, url.host), failures);
}

function bodyOf({ body, cancel }: IncomingAnswer): BodySource {
  const pieces = body[Symbol.asyncIterator]();
  return { next: async () => (await pieces.next()).value, cancel };
}

/** Without the query, which may hold a secret. */
function targetOf(location: string | undefined, address: string): string | undefined {
  const target = location === undefined ? null : URL.parse(location, address);
  return target === null ? undefined : `${target.origin}${target.pathname}`;
}

async function refusedBy({ status, headers, body: pieces, cancel }: IncomingAnswer): Promise<Refusal> {
  const read: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const piece of pieces) {
      read.push(piece);
      size += piece.byteLength;
      if (size > longestRefusal) break;
    }
  } catch {
    // What has come tells enough: the status alone would.
  } finally {
    cancel();
  }
  const body = Buffer.concat(read).toString();
  const message = process.getBuiltinModule('node:http').STATUS_CODES[status] ?? '';
  return { status, headers, body, words: wordsOf(body), message };
}

/** In bytes. */
const longestRefusal = 1_000_000;

/** The message, where the protocol has it. */
function wordsOf(body: string): string | undefined {
  const value = parseJson(body);
  const error = isJsonObject(value) ? value.error : undefined;
  const message = isJsonObject(error) ? error.message : undefined;
  return typeof message === 'string' && message !== '' ? message : undefined;
}
