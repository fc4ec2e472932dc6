import type {
  JSONRPCMessage,
  RequestId,
  StreamableHTTPClientTransport,
  Transport,
  TransportSendOptions,
} from '@modelcontextprotocol/client';

/** What is said of a request whose answer will not come any more. */
export const brokenStream = 'the connection broke before the answer came';

const internalError = -32_603;

/**
 * The library's transport over HTTP. A request whose stream ends without its answer fails at once: by itself, the library
 * would wait for it until its time is over.
 */
export class HttpTransport implements Transport {
  readonly #stream: StreamableHTTPClientTransport;
  readonly #unanswered = new Set<RequestId>();
  readonly hasPerRequestStream = true;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <Message extends JSONRPCMessage>(message: Message) => void;

  constructor(stream: StreamableHTTPClientTransport) {
    this.#stream = stream;
    stream.onclose = () => this.onclose?.();
    stream.onerror = (error) => this.onerror?.(error);
    stream.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.#unanswered.delete(message.id);
      this.onmessage?.(message);
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
    const onRequestStreamEnd = (): void => {
      options.onRequestStreamEnd?.();
      this.#break(id);
    };
    try {
      await this.#stream.send(message, { ...known(options), onRequestStreamEnd });
    } catch (cause) {
      this.#unanswered.delete(id);
      throw cause;
    }
  }

  #break(id: RequestId): void {
    if (!this.#unanswered.delete(id)) return;
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: internalError, message: brokenStream } });
  }
}

/** Without what is not set: the library tells that apart. */
function known({ resumptionToken, onresumptiontoken, requestSignal, headers }: TransportSendOptions) {
  return {
    ...(resumptionToken === undefined ? {} : { resumptionToken }),
    ...(onresumptiontoken === undefined ? {} : { onresumptiontoken }),
    ...(requestSignal === undefined ? {} : { requestSignal }),
    ...(headers === undefined ? {} : { headers }),
  };
}
