/** Why a request failed. The message may contain the address, and so a secret. */
export interface NetworkError {
  readonly name: string;
  /** From the system, OpenSSL or the HTTP client: `ECONNREFUSED`. */
  readonly code: string | undefined;
  readonly message: string;
}

/** The root cause: `fetch` hides it in the `cause` of what it throws. Accepts anything. */
export function innermostError(error: unknown): NetworkError {
  const cause = innermostCause(error);
  if (!(cause instanceof Error)) return { name: typeof cause, code: undefined, message: '' };
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : codeOf(cause);
  return { name: cause.name, code, message: cause.message };
}

/** The client behind `fetch` does not always say what its parser found, as `node:http` does. */
function codeOf({ name }: Error): string | undefined {
  return name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}

/** What `innermostError` is read from. */
export function innermostCause(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? innermostCause(error.cause) : error;
}

/** Whether the error proves that no part of the request was sent. */
export function wasNeverSent({ code, message }: NetworkError): boolean {
  if (message === 'bad port') return true;
  if (code === undefined) return false;
  if (codesBeforeSending.has(code) || certificateCodes.test(code)) return true;
  // The message is empty if several addresses were tried, or ends like this where a client quotes it.
  if (code === 'ETIMEDOUT') return message === '' || /connect |reason: $/.test(message);
  return code === 'ECONNRESET' && message.includes('before secure TLS connection');
}

const codesBeforeSending: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'EPROTO',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
  'PROXY_FAILS',
  'PROXY_REFUSES',
]);

/** A refused certificate ends the connection before the request is sent. */
const certificateCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/;

/**
 * The body of a response, or `too-large` beyond `maxBytes`: the rest is not read, and the connection is closed. Throws
 * what `fetch` throws when the connection breaks or the request is aborted.
 */
export async function readBody({ headers, body }: Response, maxBytes: number): Promise<Uint8Array | 'too-large'> {
  if (Number(headers.get('content-length') ?? 0) > maxBytes) {
    await body?.cancel();
    return 'too-large';
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) return 'too-large';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
