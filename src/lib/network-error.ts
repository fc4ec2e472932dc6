/** What an error says of how a request failed. The message may hold the address, and so a secret. */
export interface NetworkError {
  readonly name: string;
  /** As the system, OpenSSL or the HTTP client calls it: `ECONNREFUSED`. */
  readonly code: string | undefined;
  readonly message: string;
}

/** What has happened at the bottom: `fetch` hides that in the cause of what it throws. Takes anything. */
export function innermostError(error: unknown): NetworkError {
  if (!(error instanceof Error)) return { name: typeof error, code: undefined, message: '' };
  if (error.cause instanceof Error) return innermostError(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { name: error.name, code, message: error.message };
}

/** Whether it proves that nothing of the request has left this machine. */
export function wasNeverSent({ code, message }: NetworkError): boolean {
  if (message === 'bad port') return true;
  if (code === undefined) return false;
  if (codesBeforeSending.has(code) || certificateCodes.test(code)) return true;
  // The message is empty when the connection was tried at several addresses, or ends so where a client quotes it.
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
]);

/** A certificate that is not accepted ends the connection before the request. */
const certificateCodes = /^(CERT_|ERR_TLS_|ERR_SSL_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/;
