import type {
  JSONRPCMessage,
  RequestId,
  StreamableHTTPClientTransport,
  StreamableHTTPReconnectionOptions,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import { newId } from '../../../lib/ids.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { innermostError } from '../../../lib/network-error.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { type OriginFetchRules, originFetch } from '../../../tools/guard/network/origin-fetch.ts';
import { BoundsError } from '../../../tools/guard/process/bounds.ts';
import type { LongLivedGuard, LongLivedProcess } from '../../../tools/guard/process/process.ts';
import { formatSize } from '../../../tools/text.ts';
import { LineProcess } from '../line-process.ts';
import { Pacer } from '../pacer.ts';
import { brokenStream, type Endpoint, McpError } from './connection.ts';
import { malformedMark } from './mcp-tool.ts';
import type { McpLibrary } from './server-settings.ts';

interface EndpointParts {
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
}

interface HttpEndpointParts extends EndpointParts {
  readonly way: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly mayBePrivate: boolean;
  };
  /** Hosts of the private network that the operator has opened for all. */
  readonly allowPrivate: readonly string[];
  readonly lookup?: OriginFetchRules['lookup'];
}

/** The largest answer that is read, in bytes: a picture has room in it. */
const largestAnswer = 32 * 2 ** 20;
/** How long a server may take to let go of the session, in milliseconds. */
const farewell = 1_000;

/** Before a stream is opened again that broke, whatever the server asks for (`retry` in its events). In milliseconds. */
const shortestPause = 250;
const reconnection: StreamableHTTPReconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 15_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

/** The way to a server at a URL of the config. Whatever it says, no other origin is asked for anything. */
export function httpEndpoint({ way, allowPrivate, library, clock, log, lookup }: HttpEndpointParts): Endpoint {
  return {
    isPipe: false,
    async open() {
      const { url, headers, mayBePrivate } = way;
      let why: string | undefined;
      const flooded = (reason: string): void => {
        why = `the connection was closed because ${reason}`;
        // Its requests fail at once, and the link closes the rest.
        transport.onclose?.();
      };
      const pacer = new Pacer({ clock, flooded });
      const turnFor = (bytes: number, events: number): Promise<void> => pacer.turnFor(bytes, events);
      const guarded = await originFetch({ url, mayBePrivate, allowPrivate, maxBytes: largestAnswer, turnFor, lookup });
      const stream = new library.StreamableHTTPClientTransport(url, {
        fetch: guarded.fetch,
        requestInit: { headers: { ...headers } },
        redirectPolicy: 'same-origin',
        reconnectionOptions: reconnection,
        reconnectionScheduler: (reconnect, delay) => clock.after(Math.max(delay, shortestPause), reconnect),
      });
      const transport = new HttpTransport(stream, new ReplyMender(library, log));
      return {
        transport,
        why: () => why,
        async close() {
          // Who is gone cannot be taken leave of.
          const leave = stream.terminateSession().catch(() => {});
          await endsWithin(leave, { clock, milliseconds: farewell });
          await stream.close();
          await guarded.close();
          pacer.end();
        },
      };
    },
  };
}

const internalError = -32_603;

/**
 * The library's transport over HTTP. A request whose stream ends without its answer fails at once: by itself, the library
 * would wait for it until its time is over.
 */
class HttpTransport implements Transport {
  readonly #stream: StreamableHTTPClientTransport;
  readonly #mender: ReplyMender;
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;

  constructor(stream: StreamableHTTPClientTransport, mender: ReplyMender) {
    this.#stream = stream;
    this.#mender = mender;
    stream.onclose = () => this.onclose?.();
    stream.onerror = (error) => this.onerror?.(error);
    stream.onmessage = (message) => this.onmessage?.(mender.mended(message));
  }

  get sessionId(): string | undefined {
    return this.#stream.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.#stream.setProtocolVersion(version);
  }

  start(): Promise<void> {
    return this.#stream.start();
  }

  close(): Promise<void> {
    return this.#stream.close();
  }

  async send(message: JSONRPCMessage, options: TransportSendOptions = {}): Promise<void> {
    const id = this.#mender.asked(message);
    if (id === undefined) return this.#stream.send(message, known(options));
    const onRequestStreamEnd = (): void => {
      options.onRequestStreamEnd?.();
      this.#break(id);
    };
    try {
      await this.#stream.send(message, { ...known(options), onRequestStreamEnd });
    } catch (cause) {
      this.#mender.failed(id);
      throw cause;
    }
  }

  #break(id: RequestId): void {
    if (!this.#mender.failed(id)) return;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: internalError, message: brokenStream } });
  }
}

/** Without what is not set: the library tells that apart. */
function known({ resumptionToken, onresumptiontoken, requestSignal, headers }: TransportSendOptions) {
  return {
    ...(resumptionToken && { resumptionToken }),
    ...(onresumptiontoken && { onresumptiontoken }),
    ...(requestSignal && { requestSignal }),
    ...(headers && { headers }),
  };
}

/** The longest message that is read, in bytes: a picture has room in it. */
const longestLine = 32 * 2 ** 20;

/** Messages to and from a process, one on a line. */
export class ProcessTransport implements Transport {
  readonly #parts: EndpointParts;
  readonly #lines: LineProcess;
  readonly #mender: ReplyMender;
  #hasSkipped = false;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;
  /** By these two the library knows that this is a pipe. */
  readonly stderr = null;
  readonly pid = null;

  constructor(process: LongLivedProcess, parts: EndpointParts) {
    const { library, clock, log } = parts;
    this.#parts = parts;
    this.#mender = new ReplyMender(library, log);
    this.#lines = new LineProcess(process, { clock, log, longestLine, received: (line) => this.#take(line) });
  }

  /** How it has ended. */
  get why(): string | undefined {
    return this.#lines.why;
  }

  async start(): Promise<void> {
    this.#lines.begin();
    void this.#lines.over.then(() => this.onclose?.());
  }

  /** Rejects once it has ended: the library may not have listened yet when that was told. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.why === undefined) {
      this.#mender.asked(message);
      this.#lines.write(JSON.stringify(message));
    }
    if (this.why !== undefined) throw new Error(this.why);
  }

  close(): Promise<void> {
    return this.#lines.stop();
  }

  /** Some print what is not meant for us. */
  #take(line: string): void {
    const { library, log } = this.#parts;
    const message = parseJson(line);
    const { isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse } = library;
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
      this.onmessage?.(this.#mender.mended(message));
      return;
    }
    if (!this.#hasSkipped)
      log.warn({}, 'an MCP server writes lines that are no messages of the protocol: they are skipped');
    this.#hasSkipped = true;
  }
}

interface ProcessEndpointParts extends EndpointParts {
  readonly way: {
    readonly command: string;
    readonly args: readonly string[];
    /** The folder that it works in: absolute. */
    readonly directory: string;
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly guard: LongLivedGuard;
}

/** The way to a server that is started for us, in a process group of its own and with an environment of its own. */
export function processEndpoint({ way, guard, ...parts }: ProcessEndpointParts): Endpoint {
  return {
    isPipe: true,
    async open() {
      const transport = new ProcessTransport(await start(way, guard), parts);
      return { transport, why: () => transport.why, close: () => transport.close() };
    },
  };
}

async function start(
  { command, args, ...way }: ProcessEndpointParts['way'],
  guard: LongLivedGuard,
): Promise<LongLivedProcess> {
  try {
    return await guard({ ...way, command: 'exec "$@"', args: [command, ...args], callId: `mcp-${newId(12)}` });
  } catch (cause) {
    if (cause instanceof BoundsError) throw cause;
    const { code = 'an unknown reason' } = innermostError(cause);
    throw new McpError(`it could not be started in the folder ${way.directory}: ${code}`, { cause });
  }
}

/**
 * Takes out of a server's answers what the library would refuse a whole answer for: a malformed tool costs only itself,
 * and content of an unknown kind becomes a note. One for each connection: it sees what is asked and what is answered.
 */
class ReplyMender {
  readonly #library: McpLibrary;
  readonly #log: Log;
  /** The methods of the requests that have no answer yet. */
  readonly #asked = new Map<RequestId, string>();

  constructor(library: McpLibrary, log: Log) {
    this.#library = library;
    this.#log = log;
  }

  /** The id, if it is a request. */
  asked(message: JSONRPCMessage): RequestId | undefined {
    if (!('method' in message) || !('id' in message)) return undefined;
    this.#asked.set(message.id, message.method);
    return message.id;
  }

  /** The request failed, and no answer to it will come. False if there was one. */
  failed(id: RequestId): boolean {
    return this.#asked.delete(id);
  }

  mended(message: JSONRPCMessage): JSONRPCMessage {
    if ('method' in message || message.id === undefined) return message;
    const method = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    if (method === undefined || !('result' in message)) return message;
    return { ...message, result: { ...message.result, ...this.#mendedPart(method, message.result) } };
  }

  #mendedPart(method: string, { tools, content }: Readonly<Record<string, unknown>>): object {
    if (method === 'tools/list' && Array.isArray(tools))
      return { tools: tools.map((tool: unknown) => (this.#library.isSpecType.Tool(tool) ? tool : leftOut(tool))) };
    if (method === 'tools/call' && Array.isArray(content))
      return { content: content.map((item: unknown) => this.#shown(item)) };
    return {};
  }

  #shown(item: unknown): unknown {
    if (this.#library.isSpecType.ContentBlock(item)) return item;
    const kind =
      isJsonObject(item) && typeof item.type === 'string'
        ? `of the kind "${oneLine(item.type, 40)}"`
        : 'without a kind';
    const size = formatSize(Buffer.byteLength(JSON.stringify(item) ?? ''));
    this.#log.warn({ kind }, 'a part of the result of an MCP server cannot be read');
    return {
      type: 'text',
      text: `[Here the server sent a part ${kind} (${size}), which Keyturn cannot read. The rest is complete.]`,
    };
  }
}

/** Stands in the list for a tool that is none, so that it can be said. */
function leftOut(entry: unknown): object {
  const name = isJsonObject(entry) && typeof entry.name === 'string' ? oneLine(entry.name, 80) : 'one without a name';
  return { name, inputSchema: { type: 'object' }, _meta: { [malformedMark]: true } };
}
