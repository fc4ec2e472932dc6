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
 * Asks the web, and never the machine itself or its network, unless the operator has listed the host: the address that is
 * connected to is looked at, on every hop. Throws `WebError`.
 */
export type WebClient = (request: WebRequest, signal: AbortSignal) => Promise<WebResponse>;

/** There is no answer to be had, in words that the model can act on. */
export class WebError extends Error {
  override readonly name = 'WebError';
}
