import { innermostError, wasNeverSent } from '../../../lib/network-error.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { portOf } from './host-name.ts';
import type { Hop } from './redirect.ts';
import { WebError } from './web-client.ts';

/** What a failed request means to the model, without the addresses that were tried. Undefined: it is a fault of ours. */
export function webFailure(cause: unknown, { url, method }: Hop): WebError | undefined {
  if (cause instanceof WebError) return cause;
  const innermost = innermostError(cause);
  // undici's parser has a name only.
  const code = innermost.code ?? (innermost.name === 'HTTPParserError' ? 'HPE' : undefined);
  if (code === undefined) return undefined;
  return new WebError(`${words(code, url)}${wasNeverSent(innermost) ? '' : mayBeDone(method)}`, { cause });
}

/** What to say after the failure of a request that may have arrived. */
export function mayBeDone(method = 'GET'): string {
  return /^(?:GET|HEAD|OPTIONS)$/i.test(method) ? '' : ' It may have been carried out: look before you try again.';
}

function words(code: string, url: URL): string {
  const host = oneLine(url.hostname, 200);
  if (code === 'ENOTFOUND' || code === 'ENODATA') return `There is no host ${host}: check the name.`;
  if (code === 'EAI_AGAIN') return `The name ${host} cannot be looked up at present. Try it again later.`;
  if (code === 'ECONNREFUSED') return `${host} takes no connections at port ${portOf(url)}.`;
  if (unreachable.has(code)) return `${host} cannot be reached at present.`;
  if (broken.has(code)) return `${host} closed the connection before its answer was complete.`;
  if (/^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)) {
    return `The certificate of ${host} cannot be trusted (${code}), so nothing was sent to it.`;
  }
  if (/^(ERR_SSL_|ERR_TLS_|EPROTO)/.test(code)) return `${host} does not speak https at port ${portOf(url)}.`;
  if (/^(Z_|ERR_BROTLI|ERR__ERROR_)/.test(code)) return `What ${host} answered cannot be decompressed.`;
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return `${host} answered with more headers than are read.`;
  return `${host} did not answer as a web server does${code === 'HPE' ? '' : ` (${code})`}.`;
}

const unreachable: ReadonlySet<string> = new Set([
  'ETIMEDOUT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
]);
const broken: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);
