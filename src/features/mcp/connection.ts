import type {
  CallToolResult,
  Client,
  ElicitRequest,
  ElicitResult,
  Progress,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import type { FeatureCore } from '../../feature-points.ts';
import { KeyedTurns } from '../../lib/background.ts';
import { endsWithin } from '../../lib/clock.ts';
import { innermostError, wasNeverSent } from '../../lib/http.ts';
import type { JsonObject } from '../../lib/json.ts';
import { connectionFault } from '../../lib/network/connection-fault.ts';
import { ownVersion } from '../../lib/own-version.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { type InLanguage, type Language, type Words, wordsIn } from '../../lib/words.ts';
import { type CallTimer, startCallTimer } from '../../tools/call-timer.ts';
import type { AskPerson } from '../../tools/tool.ts';
import { mcpWords } from './words.ts';

/** The MCP client library. It is large, so it is loaded only if a server is configured. */
export type McpLibrary = typeof import('@modelcontextprotocol/client');

export function loadLibrary(): Promise<McpLibrary> {
  return import('@modelcontextprotocol/client');
}

/** The parts of one server's code. Its log names the server. */
export interface McpCore extends FeatureCore {
  readonly library: McpLibrary;
}

/** What one connection needs of it. */
export type ConnectionCore = Pick<McpCore, 'library' | 'clock' | 'log'>;

interface ConnectionParts extends ConnectionCore {
  readonly endpoint: OpenEndpoint;
  /** `auto`: the newest handshake, falling back to the older one. */
  readonly greeting: 'auto' | 'legacy';
  /** Called when the server's tools have changed. */
  readonly changed: () => void;
  /** Has a person fill in a form for the server. */
  readonly fill: (request: ElicitRequest['params'], person: McpPerson, signal: AbortSignal) => Promise<ElicitResult>;
}

/** The maximum of `setTimeout`, in ms. It disables the library's own timers; a longer one would fire at once. */
const noTimeout = 2 ** 31 - 1;
/** How long to wait for a server that may not know the new handshake, in ms. */
const probe = 10_000;
const mostPages = 128;
const mostRounds = 20;

/** The error message of a request whose answer will not come. */
export const brokenStream = 'the connection broke before the answer came';

export interface McpConnection {
  /** Resolves with the reason, half a sentence, when the connection is unusable. Never rejects. */
  readonly over: Promise<Words>;
  isOpen(): boolean;
  isWorking(): boolean;
  /** Lists all tools, within this time (in ms). Rejects with `McpError`. */
  tools(milliseconds: number): Promise<readonly Tool[]>;
  /** Makes a call. Never rejects. */
  call(wanted: McpCall): Promise<McpOutcome>;
  close(why?: Words): Promise<void>;
}

interface ConnectionState extends ConnectionParts {
  readonly client: Client;
  /** The calls that run. */
  readonly working: Set<Working>;
  /** Forms are filled in one after the other. */
  readonly forms: KeyedTurns;
  readonly end: PromiseWithResolvers<Words>;
  isOpen: boolean;
}

interface Working {
  readonly person: McpPerson | undefined;
  readonly timer: CallTimer;
}

/** Connects within `timeout` ms. On failure or abort, closes the endpoint and rejects with `McpError`. */
export async function connectTo(parts: ConnectionParts, timeout: number, signal: AbortSignal): Promise<McpConnection> {
  const connection: ConnectionState = {
    ...parts,
    client: clientOf(parts),
    working: new Set(),
    forms: new KeyedTurns(),
    end: Promise.withResolvers<Words>(),
    isOpen: true,
  };
  listen(connection);
  const { client, endpoint, end, working } = connection;
  try {
    // The library does not give up in time.
    const connected = client.connect(endpoint.transport, { timeout: noTimeout });
    await inTime(connected, { milliseconds: timeout, late: 'noAnswer', called: signal }, connection);
  } catch (cause) {
    await endpoint.close();
    throw cause;
  }
  return {
    over: end.promise,
    isOpen: () => connection.isOpen,
    isWorking: () => working.size > 0,
    tools: (milliseconds) => listTools(milliseconds, connection),
    call: (wanted) => makeCall(wanted, connection),
    async close(why = (language) => mcpWords[language].closedHere) {
      lose(why, connection);
      await endpoint.close();
    },
  };
}

function clientOf({ library, greeting, changed }: ConnectionParts): Client {
  return new library.Client(
    { name: 'keyturn', version: ownVersion() },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      ...(greeting === 'auto' ? { versionNegotiation: { mode: 'auto', probe: { timeoutMs: probe } } } : {}),
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
      listMaxPages: mostPages,
      inputRequired: { maxRounds: mostRounds },
    },
  );
}

function listen(connection: ConnectionState): void {
  const { client, endpoint, log } = connection;
  client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => elicit(params, mcpReq.signal, connection));
  client.onclose = () => lose(endpoint.why() ?? ((language) => mcpWords[language].closed), connection);
  client.onerror = (error) => {
    if (isUnknownSession(error, connection) || error.message.startsWith('Maximum reconnection attempts'))
      lose((language) => mcpWords[language].unheard, connection);
    // Most of what the library reports is harmless.
    log.debug({ err: error }, 'the connection to an MCP server reports something');
  };
}

function lose(why: Words, connection: ConnectionState): void {
  connection.isOpen = false;
  connection.end.resolve(why);
}

/** Without a session, these statuses mean something else. */
function isUnknownSession(cause: unknown, { library, endpoint }: ConnectionState): boolean {
  if (!(cause instanceof library.SdkHttpError) || endpoint.transport.sessionId === undefined) return false;
  // Many servers use 400 and their own words.
  return cause.data.status === 404 || (cause.data.status === 400 && /session/i.test(cause.message));
}

/** The server does not say which call it asks for, so all running ones must be of one person in one conversation. */
async function elicit(
  request: ElicitRequest['params'],
  over: AbortSignal,
  { working, forms, log, fill }: ConnectionState,
): Promise<ElicitResult> {
  const works = [...working];
  const [person] = works.flatMap((work) => work.person ?? []);
  if (person === undefined || works.some((work) => work.person?.place !== person.place)) {
    log.warn({ calls: works.length }, 'an MCP server asks a person, and it is not known whom: nobody was asked');
    return { action: 'cancel' };
  }
  const resume = works.map(({ timer }) => timer.pause());
  const leave = await forms.enter('form', over);
  try {
    return leave === undefined ? { action: 'cancel' } : await fill(request, person, over);
  } finally {
    leave?.();
    for (const go of resume) go();
  }
}

interface Limit {
  readonly milliseconds: number;
  /** What is said of a server that takes longer. */
  readonly late: 'noAnswer' | 'noList';
  readonly called?: AbortSignal;
}

/** The result of the work. Rejects with `McpError`, also if it takes too long. */
async function inTime<Result>(
  work: Promise<Result>,
  { milliseconds, late, called }: Limit,
  { clock, endpoint, library }: ConnectionState,
): Promise<Result> {
  try {
    if (await endsWithin(work, { clock, milliseconds, signal: called })) return await work;
  } catch (cause) {
    throw new McpError(endpoint.why() ?? reasonOf(cause, library), { cause });
  }
  throw new McpError((language) => {
    const words = mcpWords[language];
    return called?.aborted === true ? words.calledOff : words[late]({ seconds: milliseconds / 1000 });
  });
}

async function listTools(milliseconds: number, connection: ConnectionState): Promise<readonly Tool[]> {
  const late = new AbortController();
  const options = { timeout: noTimeout, signal: late.signal, cacheMode: 'bypass' } as const;
  try {
    const listed = connection.client.listTools(undefined, options);
    return (await inTime(listed, { milliseconds, late: 'noList' }, connection)).tools;
  } catch (cause) {
    // The library would wait for the answer, and keep the request.
    late.abort();
    throw cause;
  }
}

async function makeCall(wanted: McpCall, connection: ConnectionState): Promise<McpOutcome> {
  const { client, working, clock, end } = connection;
  const { tool, parameters, args, progress, person } = wanted;
  if (!connection.isOpen) return { type: 'gone', why: wordsIn('en', await end.promise) };
  if (wanted.signal.aborted) return { type: 'stopped' };
  const late = new AbortController();
  const timer = startCallTimer(clock, wanted.timeout, () => late.abort());
  const work = { person, timer };
  working.add(work);
  try {
    const options = {
      signal: AbortSignal.any([wanted.signal, late.signal]),
      timeout: noTimeout,
      onprogress: (reported: Progress) => {
        timer.restart();
        progress(progressWords(reported));
      },
      // Results are not validated against the server's schema, which could be made to take forever.
      toolDefinition: { name: tool, inputSchema: { ...parameters, type: 'object' as const } },
    };
    const result = await client.callTool({ name: tool, arguments: { ...args } }, options);
    return { type: 'answered', result };
  } catch (cause) {
    if (wanted.signal.aborted) return { type: 'stopped' };
    return late.signal.aborted ? { type: 'timed-out' } : failure(cause, connection);
  } finally {
    timer.stop();
    working.delete(work);
  }
}

async function failure(cause: unknown, connection: ConnectionState): Promise<McpOutcome> {
  const { library, end } = connection;
  const isUnknown = isUnknownSession(cause, connection);
  if (isUnknown || wasNeverSent(innermostError(cause))) {
    const why: Words = isUnknown ? (language) => mcpWords[language].unknownSession : reasonOf(cause, library);
    lose(why, connection);
    return { type: 'gone', why: wordsIn('en', why) };
  }
  if (!connection.isOpen) return { type: 'lost', why: wordsIn('en', await end.promise) };
  const unusable = unusableAnswer(cause, library);
  if (unusable !== undefined) return unusable;
  const isAnswer = cause instanceof library.ProtocolError && !cause.message.includes(brokenStream);
  return { type: isAnswer ? 'refused' : 'lost', why: wordsIn('en', reasonOf(cause, library)) };
}

/** A progress report in one line: `copying (3 of 10)`. */
function progressWords({ progress, total, message = '' }: Progress): InLanguage {
  const said = message.trim() === '' ? '' : oneLine(message, 200);
  return (language) => mcpWords[language].progress({ progress, total, message: said });
}

/** The outcome of a call whose answer was invalid; undefined if there was no answer. For the model. */
function unusableAnswer(cause: unknown, library: McpLibrary): McpOutcome | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause instanceof library.SdkHttpError) {
    const { status } = cause.data;
    // Below 500, nothing was done.
    return { type: status < 500 ? 'refused' : 'unusable', why: `it answered with HTTP ${status}` };
  }
  const why = reasonUnusable(cause, library);
  return why === undefined ? undefined : { type: 'unusable', why };
}

function reasonUnusable(cause: Error, { SdkError, SdkErrorCode }: McpLibrary): string | undefined {
  if (cause instanceof SdkError && cause.code === SdkErrorCode.ClientHttpUnexpectedContent) {
    const kind = /^Unexpected content type: (.*)$/.exec(cause.message)?.[1] ?? 'null';
    return kind === 'null' ? 'it answered with nothing' : `it answered with ${oneLine(kind, 60)} in place of a result`;
  }
  if (cause instanceof SdkError && cause.code === SdkErrorCode.InvalidResult) {
    return 'its result does not keep to the protocol';
  }
  if (cause instanceof SyntaxError) return 'it answered with something that is no JSON';
  return cause.name === 'ZodError' ? 'it answered with JSON that is no message of the protocol' : undefined;
}

/** The error in words, without the body of an HTTP answer, which could contain anything. */
function reasonOf(cause: unknown, library: McpLibrary): Words {
  if (!(cause instanceof Error)) return (language) => mcpWords[language].noReason;
  if (cause instanceof library.SdkHttpError && cause.data.status >= 400) {
    const { status } = cause.data;
    return (language) => mcpWords[language].status({ status });
  }
  const fault = connectionFault(cause, (language) => mcpWords[language].theServer);
  if (fault !== undefined) return (language) => fault.wordsIn(language).replace(/[.。]$/, '');
  const { message, code = '' } = innermostError(cause);
  const words = (cause.message === '' ? message : cause.message).replace(sdkWords, '');
  const detail = words.includes(code) || code.startsWith('CLIENT_') ? '' : ` (${code})`;
  return `${oneLine(words, 300)}${detail}`;
}

/** What the SDK adds to an error for programmers. */
const sdkWords = /^(?:Version negotiation probe failed|Error POSTing to endpoint): | \(redirectPolicy.*$/g;

/** A server cannot be reached, or does not speak the protocol. The words are for people, the message for the model. */
export class McpError extends Error {
  override readonly name = 'McpError';
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.words = words;
  }
}

export interface OpenEndpoint {
  readonly transport: Transport;
  /** Why it closed by itself, as half a sentence. May contain the server's output. */
  why(): Words | undefined;
  /** Closes it and everything opened for it, within 1.5 s. */
  close(): Promise<void>;
}

/** A way to connect to a server. `open` rejects with the reason if it fails. */
export interface Endpoint {
  readonly open: () => Promise<OpenEndpoint>;
  /** Such a server may exit on an unknown request; opening it again is then worthwhile. */
  readonly isPipe: boolean;
}

export interface McpCall {
  /** The server's name for the tool. */
  readonly tool: string;
  /** Of the definition to call: see `McpDefinition`. */
  readonly fingerprint: string;
  /** The schema of its arguments, unchanged. */
  readonly parameters: JsonObject;
  readonly args: JsonObject;
  /** How long it may go without reporting progress, in ms. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  progress(status: Words): void;
  /** The person the server may ask while it works, if any. */
  readonly person?: McpPerson;
}

export interface McpPerson {
  /** Identifies one person in one conversation. */
  readonly place: string;
  readonly language: Language;
  readonly ask: AskPerson;
}

export type McpOutcome =
  | { readonly type: 'answered'; readonly result: CallToolResult }
  /** The server rejected it, with the server's reason. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** It gave an invalid answer, such as a proxy's error page: part of the work may be done. */
  | { readonly type: 'unusable'; readonly why: string }
  /** The connection broke during the call: part of the work may be done. */
  | { readonly type: 'lost'; readonly why: string }
  /** There is no connection, and nothing was done. */
  | { readonly type: 'gone'; readonly why: string }
  /** The server has changed or removed the tool: nothing was done. */
  | { readonly type: 'changed' };
