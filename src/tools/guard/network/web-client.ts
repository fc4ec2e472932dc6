/** A request that a tool makes for the model. */
export interface WebRequest {
  /** An absolute URL of http or https. */
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  /** What `refuseHeader` refuses is refused. Of those that are not named here, `user-agent` and `accept` are sent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** How many bytes of the answer are kept, counted after decompression. The rest is not read. */
  readonly maxBytes: number;
  /** For all of it, redirects included, in milliseconds. */
  readonly timeout: number;
  /** Why this URL must not be visited, in words for the model. Asked of every hop. */
  readonly refuse?: (url: URL) => string | undefined;
  /**
   * The one origin (`http://127.0.0.1:8080`) that may be private for this request, because the operator has configured
   * it. Never made from what a model wrote.
   */
  readonly operatorOrigin?: string;
}

export interface WebResponse {
  /** Where the answer came from, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Names in lower case; several of one name are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** There was more than `maxBytes`. */
  readonly truncated: boolean;
}

/**
 * Asks the web, and never the machine itself or its network, unless the operator has listed the host: the address that
 * is connected to is looked at, on every hop. Throws `WebError`.
 */
export type WebClient = (request: WebRequest, signal: AbortSignal) => Promise<WebResponse>;

/** The web, as tools are given it. `refuse`: why a URL is refused by its text alone, in words for the model. */
export interface WebAccess {
  readonly client: WebClient;
  readonly refuse: (url: string) => string | undefined;
}

/** A request without an answer. The message is for the model. */
export class WebError extends Error {
  override readonly name = 'WebError';
}

/** A status as people know it: `404 Not Found`. */
export function statusWords(status: number): string {
  // Loaded when it is needed: it takes 18 ms.
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

/** They decide where a request goes, where it ends, and how its answer is packed. */
const ofConnection: ReadonlySet<string> = new Set(
  `host content-length transfer-encoding connection keep-alive upgrade http2-settings te trailer expect
  accept-encoding`.split(/\s+/),
);
