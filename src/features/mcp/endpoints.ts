import type {
  JSONRPCRequest,
  RequestId,
  StreamableHTTPClientTransport,
  StreamableHTTPReconnectionOptions,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';
import { lineProcess } from '../../extension-kit/line-process.ts';
import { createPace } from '../../extension-kit/read-pace.ts';
import { endsWithin } from '../../lib/clock.ts';
import { innermostError } from '../../lib/http.ts';
import { newId } from '../../lib/ids.ts';
import { parseJson } from '../../lib/json.ts';
import { type Words, wordsIn } from '../../lib/words.ts';
import { type OriginFetchRules, originFetch } from '../../tools/guard/network/origin-fetch.ts';
import {
  type BareCommand,
  type BoundedCommand,
  BoundsError,
  type CommandBounds,
  unbounded,
} from '../../tools/guard/process/bounds.ts';
import { type LongLivedProcess, longLivedGuard } from '../../tools/guard/process/process.ts';
import {
  brokenStream,
  type ConnectionCore,
  type Endpoint,
  type McpCore,
  McpError,
  type OpenEndpoint,
} from './connection.ts';
import type { McpServerSettings } from './mcp-tool.ts';
import { type ReplyMender, replyMender } from './mend-replies.ts';
import { mcpWords } from './words.ts';

/** In bytes. Leaves room for a picture. */
const largestAnswer = 32 * 2 ** 20;
/** How long a server may take to end the session, in ms. */
const farewell = 1_000;

/** The least pause before a broken stream is reopened, whatever `retry` the server sends. In ms. */
const shortestPause = 250;
const reconnection: StreamableHTTPReconnectionOptions = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 15_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

type HttpCore = ConnectionCore & Pick<McpCore, 'config'> & Partial<Pick<McpCore, 'network'>>;

/** A server at a URL of the config. Requests never go to another origin, whatever the server says. */
export function httpEndpoint(
  url: URL,
  settings: Pick<McpServerSettings, 'headers' | 'allow_private'>,
  core: HttpCore,
  lookup?: OriginFetchRules['lookup'],
): Endpoint {
  return { isPipe: false, open: () => openHttp(url, settings, core, lookup) };
}

async function openHttp(
  url: URL,
  { headers, allow_private: mayBePrivate }: Pick<McpServerSettings, 'headers' | 'allow_private'>,
  { library, config, network, clock, log }: HttpCore,
  lookup: OriginFetchRules['lookup'],
): Promise<OpenEndpoint> {
  let why: Words | undefined;
  const pace = createPace(clock, (seconds) => {
    why = (language) => mcpWords[language].closedForFlood({ seconds });
    // Open requests fail at once; closing the connection does the rest.
    transport.onclose?.();
  });
  const { allow_private: allowPrivate } = config.tools.network;
  const guarded = await originFetch({
    url,
    mayBePrivate,
    allowPrivate,
    maxBytes: largestAnswer,
    turnFor: pace.turnFor,
    network,
    lookup,
  });
  const stream = new library.StreamableHTTPClientTransport(url, {
    fetch: guarded.fetch,
    requestInit: { headers: { ...headers } },
    redirectPolicy: 'same-origin',
    reconnectionOptions: reconnection,
    reconnectionScheduler: (reconnect, delay) => clock.after(Math.max(delay, shortestPause), reconnect),
  });
  const transport = httpTransport(stream, replyMender(library, log));
  return {
    transport,
    why: () => why,
    async close() {
      // The server may be gone.
      const leave = stream.terminateSession().catch(() => {});
      await endsWithin(leave, { clock, milliseconds: farewell });
      await stream.close();
      await guarded.close();
      pace.end();
    },
  };
}

const internalError = -32_603;

/**
 * The library's transport over HTTP. A request whose stream ends without an answer fails at once; the library alone
 * would wait for the timeout.
 */
function httpTransport(stream: StreamableHTTPClientTransport, mended: ReplyMender): Transport {
  const unanswered = new Set<RequestId>();
  const transport: Transport = {
    hasPerRequestStream: true,
    get sessionId() {
      return stream.sessionId;
    },
    setProtocolVersion: (version) => stream.setProtocolVersion(version),
    start: () => stream.start(),
    close: () => stream.close(),
    async send(message, options = {}) {
      if (!('method' in message && 'id' in message)) return stream.send(message, options);
      return sendRequest(message, options, { stream, transport, unanswered });
    },
  };
  stream.onclose = () => transport.onclose?.();
  stream.onerror = (error) => transport.onerror?.(error);
  stream.onmessage = (message) => {
    if (!('method' in message) && message.id !== undefined) unanswered.delete(message.id);
    transport.onmessage?.(mended(message));
  };
  return transport;
}

interface HttpState {
  readonly stream: StreamableHTTPClientTransport;
  readonly transport: Transport;
  readonly unanswered: Set<RequestId>;
}

async function sendRequest(
  message: JSONRPCRequest,
  options: TransportSendOptions,
  { stream, transport, unanswered }: HttpState,
): Promise<void> {
  const { id } = message;
  unanswered.add(id);
  const error = { code: internalError, message: brokenStream };
  try {
    await stream.send(message, {
      ...options,
      onRequestStreamEnd: () => {
        options.onRequestStreamEnd?.();
        if (unanswered.delete(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error });
      },
    });
  } catch (cause) {
    unanswered.delete(id);
    throw cause;
  }
}

/** In bytes. Leaves room for a picture. */
const longestLine = 32 * 2 ** 20;

/** `stderr` and `pid` tell the library that this is a pipe. */
interface PipeTransport extends Transport {
  readonly stderr: null;
  readonly pid: null;
}

interface PipeState extends ConnectionCore {
  readonly transport: PipeTransport;
  readonly mended: ReplyMender;
  hasSkipped: boolean;
}

/** A connection to a process: one message per line. */
export function processWay(process: LongLivedProcess, core: ConnectionCore): OpenEndpoint {
  const { library, clock, log } = core;
  const lines = lineProcess(process, { clock, log, longestLine, received: (line) => received(line, state) });
  const state: PipeState = {
    ...core,
    transport: {
      stderr: null,
      pid: null,
      async start() {
        lines.begin();
        void lines.over.then(() => state.transport.onclose?.());
      },
      /** Rejects once the process has ended: the library may have missed `onclose`. */
      async send(message) {
        if (lines.why === undefined) lines.write(JSON.stringify(message));
        if (lines.why !== undefined) throw new Error(wordsIn('en', lines.why));
      },
      close: lines.stop,
    },
    mended: replyMender(library, log),
    hasSkipped: false,
  };
  return { transport: state.transport, why: () => lines.why, close: lines.stop };
}

/** Some servers print other lines. */
function received(line: string, state: PipeState): void {
  const { transport, mended, log } = state;
  const { isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResponse } = state.library;
  const message = parseJson(line);
  if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) {
    transport.onmessage?.(mended(message));
    return;
  }
  if (!state.hasSkipped)
    log.warn({}, 'an MCP server writes lines that are no messages of the protocol: they are skipped');
  state.hasSkipped = true;
}

/** A server that we start, in its own process group and with its own environment. */
export function processEndpoint(settings: McpServerSettings, core: McpCore): Endpoint {
  const { command = '', args, cwd: directory = '.', env: variables, sandbox: isConfined } = settings;
  const bounds: CommandBounds = isConfined ? (bare) => sandboxed(bare, core) : unbounded;
  const guard = longLivedGuard({ ...core, bounds });
  return {
    isPipe: true,
    async open() {
      const given = { command: 'exec "$@"', args: [command, ...args], directory, variables };
      try {
        return processWay(await guard({ ...given, callId: `mcp-${newId(12)}` }), core);
      } catch (cause) {
        throw startError(cause, directory);
      }
    },
  };
}

/** The sandbox is looked for at each start. */
async function sandboxed(bare: BareCommand, core: McpCore): Promise<BoundedCommand> {
  const { sandbox, bounds } = core;
  if (sandbox.holds) return bounds.bounds(bare);
  const { reason } = sandbox;
  throw new McpError((language) => mcpWords[language].noSandbox({ reason: wordsIn(language, reason) }));
}

function startError(cause: unknown, folder: string): Error {
  if (cause instanceof McpError || cause instanceof BoundsError) return cause;
  const { code } = innermostError(cause);
  return new McpError((language) => mcpWords[language].noStart({ folder, code }), { cause });
}
