import { innermostError } from '../http.ts';
import { certificateWords } from './certificates/certificates.ts';

/** Why there was no connection, where it was neither the target's fault nor the network's. Nothing was sent. */
export interface ConnectionFault {
  /** Sentences for the operator, with what to do. No credentials. */
  readonly words: string;
  /** It does not pass by itself: the operator has to change something. */
  readonly isFinal: boolean;
}

/**
 * Whether the proxy or a certificate was at fault. Takes anything that a client can throw. `place`: the target's host or
 * address, for people.
 */
export function connectionFault(error: unknown, place: string): ConnectionFault | undefined {
  const network = innermostError(error);
  const certificate = certificateWords(network, place);
  if (certificate !== undefined) return { words: certificate, isFinal: true };
  if (!isProxyCode(network.code)) return undefined;
  // A client may put words of its own before it, with the whole address of the request.
  const words = network.message.replace(/^.*, reason: /s, '');
  return { words, isFinal: network.code === 'PROXY_REFUSES' };
}

function isProxyCode(code: string | undefined): boolean {
  return code === 'PROXY_FAILS' || code === 'PROXY_REFUSES';
}
