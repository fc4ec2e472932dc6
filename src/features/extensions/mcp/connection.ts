import type {
  CallToolResult,
  Client,
  ClientOptions,
  ElicitRequest,
  ElicitResult,
  Progress,
  Tool,
  Transport,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { KeyedTurns } from '../../../lib/keyed-worker.ts';
import type { Log } from '../../../lib/log.ts';
import { innermostError, wasNeverSent } from '../../../lib/network-error.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type CallTimer, startCallTimer } from '../../../tools/call-timer.ts';
import type { AskPerson } from '../../../tools/tool.ts';
import type { McpLibrary } from './server-settings.ts';

export interface ConnectionDependencies {
  readonly library: McpLibrary;
  readonly endpoint: OpenEndpoint;
  /** `auto`: the newest way to greet, and the older one if the server does not know it. */
  readonly greeting: 'auto' | 'legacy';
  /** Ours, for the server to know. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Told that the server has other tools now. */
  readonly changed: () => void;
  /** Has a person fill in a form of the server. */
  readonly fill: (request: ElicitRequest['params'], person: McpPerson, signal: AbortSignal) => Promise<ElicitResult>;
}

/** A call that the server works on. */
interface Working {
  readonly person: McpPerson | undefined;
  readonly timer: CallTimer;
}

/** The library's own timers are not used: it would take a longer time for none. */
const noTimeout = 2 ** 31 - 1;
/** How long a server is waited for that may not know how it is greeted, in milliseconds. */
const probe = 10_000;
const mostPages = 64;
const mostRounds = 20;

/** What is said of a request whose answer will not come any more. */
export const brokenStream = 'the connection broke before the answer came';

/** One connection to a server, from the greeting to its end. */
export class McpConnection {
  readonly #dependencies: ConnectionDependencies;
  readonly #client: Client;
  readonly #working = new Set<Working>();
  readonly #forms = new KeyedTurns();
  readonly #end = Promise.withResolvers<string>();
  #isOpen = true;

  private constructor(dependencies: ConnectionDependencies) {
    const { library, endpoint } = dependencies;
    this.#dependencies = dependencies;
    this.#client = new library.Client({ name: 'keyturn', version: dependencies.version }, this.#options());
    this.#client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      this.#elicit(params, mcpReq.signal),
    );
    this.#client.onclose = () => this.#lose(endpoint.why() ?? 'the connection was closed');
    this.#client.onerror = (error) => this.#hear(error);
  }

  /**
   * Greets the server, which has so many milliseconds to answer. Rejects with `McpError` where it does not, or the signal
   * aborts; the endpoint is closed then.
   */
  static async open(
    dependencies: ConnectionDependencies,
    timeout: number,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const { endpoint, clock } = dependencies;
    const connection = new McpConnection(dependencies);
    const ended = Promise.withResolvers<never>();
    const giveUp = (why: string): void => ended.reject(new McpError(why));
    const leave = (): void => giveUp('it was called off');
    const cancel = clock.after(timeout, () => giveUp(`it did not answer within ${timeout / 1000} s`));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    try {
      // By itself, the library does not give up in time.
      await Promise.race([ended.promise, connection.#client.connect(endpoint.transport, { timeout: noTimeout })]);
      return connection;
    } catch (cause) {
      await endpoint.close();
      if (cause instanceof McpError) throw cause;
      throw new McpError(endpoint.why() ?? reasonOf(cause, dependencies.library), { cause });
    } finally {
      cancel();
      signal.removeEventListener('abort', leave);
    }
  }

  /** Resolves with the reason, as half a sentence, when nothing can be asked any more. Never rejects. */
  get over(): Promise<string> {
    return this.#end.promise;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The server works on a call. */
  get isWorking(): boolean {
    return this.#working.size > 0;
  }

  /** All tools that the server has, which has so many milliseconds for the list. Rejects with `McpError`. */
  async tools(timeout: number): Promise<readonly Tool[]> {
    const late = new AbortController();
    const cancel = this.#dependencies.clock.after(timeout, () => late.abort());
    try {
      const options = { timeout: noTimeout, signal: late.signal, cacheMode: 'bypass' } as const;
      return (await this.#client.listTools(undefined, options)).tools;
    } catch (cause) {
      const why = late.signal.aborted
        ? `it did not list its tools within ${timeout / 1000} s`
        : reasonOf(cause, this.#dependencies.library);
      throw new McpError(why, { cause });
    } finally {
      cancel();
    }
  }

  /** Has the server do a call. Never rejects. */
  async call({ tool, parameters, args, timeout, signal, progress, person }: McpCall): Promise<McpOutcome> {
    if (!this.#isOpen) return { type: 'gone', why: await this.over };
    if (signal.aborted) return { type: 'stopped' };
    const late = new AbortController();
    const timer = startCallTimer(this.#dependencies.clock, timeout, () => late.abort());
    const working = { person, timer };
    this.#working.add(working);
    const onprogress = (reported: Progress): void => {
      timer.restart();
      progress(progressWords(reported));
    };
    try {
      const options = {
        signal: AbortSignal.any([signal, late.signal]),
        timeout: noTimeout,
        onprogress,
        // What comes back is not held against the server's schema: that may be made to take for ever.
        toolDefinition: { name: tool, inputSchema: { ...parameters, type: 'object' as const } },
      };
      const result = await this.#client.callTool({ name: tool, arguments: { ...args } }, options);
      return { type: 'answered', result };
    } catch (cause) {
      if (signal.aborted) return { type: 'stopped' };
      return late.signal.aborted ? { type: 'timed-out' } : this.#failure(cause);
    } finally {
      timer.stop();
      this.#working.delete(working);
    }
  }

  /** Closes it, and all that was opened for it. */
  async close(why = 'it was closed'): Promise<void> {
    this.#lose(why);
    await this.#dependencies.endpoint.close();
  }

  #options(): ClientOptions {
    const { greeting, changed } = this.#dependencies;
    return {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      ...(greeting === 'auto' ? { versionNegotiation: { mode: 'auto', probe: { timeoutMs: probe } } } : {}),
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } },
      listMaxPages: mostPages,
      inputRequired: { maxRounds: mostRounds },
    };
  }

  async #failure(cause: unknown): Promise<McpOutcome> {
    const { ProtocolError } = this.#dependencies.library;
    const isUnknownSession = this.#isUnknownSession(cause);
    if (isUnknownSession || wasNeverSent(innermostError(cause))) {
      const why = isUnknownSession
        ? 'it does not know our session any more'
        : reasonOf(cause, this.#dependencies.library);
      this.#lose(why);
      return { type: 'gone', why };
    }
    if (!this.#isOpen) return { type: 'lost', why: await this.over };
    const unusable = unusableAnswer(cause, this.#dependencies.library);
    if (unusable !== undefined) return unusable;
    const isAnswer = cause instanceof ProtocolError && !cause.message.includes(brokenStream);
    return { type: isAnswer ? 'refused' : 'lost', why: reasonOf(cause, this.#dependencies.library) };
  }

  /** A server that keeps no sessions says the same of what it does not have at all. */
  #isUnknownSession(cause: unknown): boolean {
    const { library, endpoint } = this.#dependencies;
    if (!(cause instanceof library.SdkHttpError) || endpoint.transport.sessionId === undefined) return false;
    // Many say it in words of their own.
    return cause.data.status === 404 || (cause.data.status === 400 && /session/i.test(cause.message));
  }

  #lose(why: string): void {
    this.#isOpen = false;
    this.#end.resolve(why);
  }

  /** Most of what the library reports harms nothing. */
  #hear(error: Error): void {
    const { log } = this.#dependencies;
    if (this.#isUnknownSession(error) || error.message.startsWith('Maximum reconnection attempts')) {
      this.#lose('it cannot be heard any more');
    }
    log.debug({ err: error }, 'the connection to an MCP server reports something');
  }

  /** Of several calls, nobody can tell for which of them the server asks: then only one person in one place may be meant. */
  async #elicit(request: ElicitRequest['params'], signal: AbortSignal): Promise<ElicitResult> {
    const { log, fill } = this.#dependencies;
    const works = [...this.#working];
    const [person] = works.flatMap((working) => working.person ?? []);
    if (person === undefined || works.some((working) => working.person?.place !== person.place)) {
      log.warn({ calls: works.length }, 'an MCP server asks a person, and it is not known whom: nobody was asked');
      return { action: 'cancel' };
    }
    const resume = works.map(({ timer }) => timer.pause());
    const leave = await this.#forms.enter('form', signal);
    try {
      return leave === undefined ? { action: 'cancel' } : await fill(request, person, signal);
    } finally {
      leave?.();
      for (const go of resume) go();
    }
  }
}

/** What a server reports of its work, in one line: `copying (3 of 10)`. */
function progressWords({ progress, total, message }: Progress): string {
  const how = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined || message.trim() === '' ? how : `${oneLine(message, 200)} (${how})`;
}

/** What became of a call whose server answered with something that is no answer; undefined where it did not answer. */
function unusableAnswer(cause: unknown, library: McpLibrary): McpOutcome | undefined {
  if (!(cause instanceof Error)) return undefined;
  if (cause instanceof library.SdkHttpError) {
    const { status } = cause.data;
    // Before 500 it has not begun.
    return { type: status < 500 ? 'refused' : 'unusable', why: `it answered with HTTP ${status}` };
  }
  const why = wordsForUnusable(cause, library);
  return why === undefined ? undefined : { type: 'unusable', why };
}

function wordsForUnusable(cause: Error, { SdkError, SdkErrorCode }: McpLibrary): string | undefined {
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

/** Without the page that a server answers with: anything may stand in it. */
function reasonOf(cause: unknown, { SdkHttpError }: McpLibrary): string {
  if (!(cause instanceof Error)) return 'it failed without a reason';
  if (cause instanceof SdkHttpError && cause.data.status >= 400) return `it answered with HTTP ${cause.data.status}`;
  const { message, code } = innermostError(cause);
  const words = cause.message === '' ? message : cause.message;
  const detail = code === undefined || words.includes(code) ? '' : ` (${code})`;
  return `${oneLine(words, 300)}${detail}`;
}

/** A server cannot be reached, or does not speak the protocol. The message says why, for people and for the model. */
export class McpError extends Error {
  override readonly name = 'McpError';
}

/** A way to a server, opened once. */
export interface OpenEndpoint {
  readonly transport: Transport;
  /** Why it closed by itself, as half a sentence. What the server printed may be in it. */
  why(): string | undefined;
  /** Closes it with all that was opened for it, within a second and a half. */
  close(): Promise<void>;
}

/** Opens a way to a server. Rejects with the reason where there is none. */
export interface Endpoint {
  readonly open: () => Promise<OpenEndpoint>;
  /** A server that is asked what it does not know may close it: then it is worth opening again. */
  readonly isPipe: boolean;
}

/** A call of a tool, as a server is told of it. */
export interface McpCall {
  /** The server's name of the tool. */
  readonly tool: string;
  /** The definition that is called: see `McpDefinition`. */
  readonly fingerprint: string;
  /** The schema of its arguments, as the server has given it. */
  readonly parameters: JsonObject;
  readonly args: JsonObject;
  /** How long it may report nothing, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  progress(status: string): void;
  /** Whom the server may ask something while it works; left out where nobody can be asked. */
  readonly person?: McpPerson;
}

/** Whom a call serves, and where. */
export interface McpPerson {
  /** The same for two calls of one person in one conversation, and for no others. */
  readonly place: string;
  readonly ask: AskPerson;
}

/** What became of a call. */
export type McpOutcome =
  | { readonly type: 'answered'; readonly result: CallToolResult }
  /** The server did not take it: the reason is the server's. */
  | { readonly type: 'refused'; readonly why: string }
  | { readonly type: 'timed-out' }
  | { readonly type: 'stopped' }
  /** It answered with something that is no answer, as a page or a fault of a proxy: some of it may be done. */
  | { readonly type: 'unusable'; readonly why: string }
  /** The connection broke while the server worked on it: some of it may be done. */
  | { readonly type: 'lost'; readonly why: string }
  /** There is no such connection any more, and nothing was done. */
  | { readonly type: 'gone'; readonly why: string }
  /** The server has redefined the tool since, or no longer has it: nothing was done. */
  | { readonly type: 'changed' };
