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
import type { Log } from '../../../lib/log.ts';
import { type OriginFetchRules, originFetch } from '../../../tools/guard/network/origin-fetch.ts';
import { Pacer } from '../pacer.ts';
import { brokenStream, type Endpoint } from './connection.ts';
import { ReplyMender } from './reply-mender.ts';
import type { McpLibrary } from './server-settings.ts';

export interface HttpEndpointParts {
  readonly way: {
    readonly url: URL;
    readonly headers: Readonly<Record<string, string>>;
    readonly mayBePrivate: boolean;
  };
  /** Hosts of the private network that the operator has opened for all. */
  readonly allowPrivate: readonly string[];
  readonly library: McpLibrary;
  readonly clock: Clock;
  readonly log: Log;
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
  readonly #unanswered = new Set<RequestId>();
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;

  constructor(stream: StreamableHTTPClientTransport, mender: ReplyMender) {
    this.#stream = stream;
    this.#mender = mender;
    stream.onclose = () => this.onclose?.();
    stream.onerror = (error) => this.onerror?.(error);
    stream.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.onmessage?.(mender.mended(message));
    };
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
    const id = 'method' in message && 'id' in message ? message.id : undefined;
    if (id === undefined) return this.#stream.send(message, known(options));
    this.#unanswered.add(id);
    this.#mender.asked(message);
    const onRequestStreamEnd = (): void => {
      options.onRequestStreamEnd?.();
      this.#break(id);
    };
    try {
      await this.#stream.send(message, { ...known(options), onRequestStreamEnd });
    } catch (cause) {
      this.#unanswered.delete(id);
      this.#mender.failed(id);
      throw cause;
    }
  }

  #break(id: RequestId): void {
    if (!this.#unanswered.delete(id)) return;
    this.#mender.failed(id);
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
