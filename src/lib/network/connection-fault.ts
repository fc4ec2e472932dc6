import { innermostCause, innermostError } from '../http.ts';
import type { InLanguage, Words } from '../words.ts';
import { certificateWords } from './certificates/certificates.ts';

/** Why there was no connection, where it was neither the target's fault nor the network's. Nothing was sent. */
export interface ConnectionFault {
  /** Sentences for the operator, with what to do. No credentials. */
  readonly wordsIn: InLanguage;
  /** It does not pass by itself: the operator has to change something. */
  readonly isFinal: boolean;
}

/**
 * Whether the proxy or a certificate was at fault. Takes anything that a client can throw. `place`: the target's host or
 * address, for people.
 */
export function connectionFault(error: unknown, place: Words): ConnectionFault | undefined {
  const network = innermostError(error);
  const certificate = certificateWords(network, place);
  if (certificate !== undefined) return { wordsIn: certificate, isFinal: true };
  if (!isProxyCode(network.code)) return undefined;
  // A client may put words of its own before it, with the whole address of the request.
  const words = network.message.replace(/^.*, reason: /s, '');
  const cause = innermostCause(error);
  const wordsIn = cause instanceof ProxyError ? cause.wordsIn : () => words;
  return { wordsIn, isFinal: network.code === 'PROXY_REFUSES' };
}

/**
 * The proxy is at fault, in words for the operator: no credentials, no content of the request. Nothing has reached the
 * target. Has no cause, and a code, so that clients that wrap errors keep both.
 */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  /** `PROXY_FAILS` may pass by itself · `PROXY_REFUSES`: the operator has to change something. */
  readonly code: 'PROXY_FAILS' | 'PROXY_REFUSES';
  /** Its message is in English. */
  readonly wordsIn: InLanguage;

  constructor(code: ProxyError['code'], wordsIn: InLanguage) {
    super(wordsIn('en'));
    this.code = code;
    this.wordsIn = wordsIn;
  }
}

function isProxyCode(code: string | undefined): boolean {
  return code === 'PROXY_FAILS' || code === 'PROXY_REFUSES';
}
