/** A request that a tool makes for the model. */
export interface WebRequest {
  /** An absolute http or https URL. */
  readonly url: string;
  /** Default GET. */
  readonly method?: string;
  /** A header that `refuseHeader` refuses fails the request. `user-agent` and `accept` have defaults. */
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
  readonly status: number;
  /** Names in lower case. Repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decompressed. */
  readonly body: Buffer;
  /** The response had more than `maxBytes`. */
  readonly truncated: boolean;
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

/** A request failed. The message is for the model. */
export class WebError extends Error {
  override readonly name = 'WebError';
}

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
