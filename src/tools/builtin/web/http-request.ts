import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { textInput } from '../../arguments.ts';
import { fitsDomains, isOfOwnNetwork, WebError } from '../../guard/network/network-rules.ts';
import {
  refuseHeader,
  statusWords,
  type WebAccess,
  type WebRequest,
  type WebResponse,
} from '../../guard/network/web-client.ts';
import { httpDeed } from '../../named-deeds.ts';
import { error, type ToolOutput } from '../../output.ts';
import { hostTarget, refuseOtherOrigin } from '../../rule-target.ts';
import { formatSize } from '../../text.ts';
import { type CallBody, defineBuiltin, type Tool } from '../../tool.ts';
import type { BuiltinSettings } from '../settings.ts';
import { builtinWords } from '../words.ts';

const input = z
  .strictObject({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']).default('GET'),
    url: textInput(8_000, 'All of it, with its query.'),
    headers: z
      .record(z.string(), z.string())
      .default({})
      .superRefine((headers, context) => {
        for (const [name, value] of Object.entries(headers)) {
          const refusal = refuseHeader(name, value);
          if (refusal !== undefined) context.addIssue({ code: 'custom', message: refusal, path: [name] });
        }
      })
      .describe('Headers by their names.'),
    body: z.string().max(1_000_000).optional().describe('What is sent. Name its type in the header content-type.'),
  })
  .refine(({ method, body }) => body === undefined || (method !== 'GET' && method !== 'HEAD'), {
    path: ['body'],
    message: 'must be left out: GET and HEAD carry no body',
  });

export function httpRequest(
  web: () => Promise<WebAccess>,
  { http_request: settings }: Pick<BuiltinSettings, 'http_request'>,
): Tool {
  const { allowed_domains: allowed, timeout_secs: seconds, max_response_bytes: maxBytes } = settings;
  // A `*` names no host.
  const named = allowed.filter((pattern) => pattern !== '*');
  const isListed = (url: string): boolean => fitsDomains(hostOf(url) ?? '', named);
  const refuseHost = ({ hostname }: URL, patterns: readonly string[]): string | undefined =>
    fitsDomains(hostname, patterns)
      ? undefined
      : `The host ${oneLine(hostname, 200)} is not in tools.http_request.allowed_domains, which the operator sets: ${shown(patterns)}.`;
  return defineBuiltin({
    name: 'http_request',
    displayName: (language) => builtinWords[language].names.http_request,
    category: 'network_write',
    description: `Sends a request to an HTTP API and returns its answer. It reaches these hosts: ${shown(allowed)}. To read a web page, use web_fetch.`,
    input,
    describeCall: ({ method, url, body }) => {
      const address = inlineCode(oneLine(url, 300));
      const bytes = body === undefined ? undefined : Buffer.byteLength(body);
      return (language) => builtinWords[language].send({ method, address, bytes });
    },
    body: (request) => bodyOf(request),
    assess: ({ method }) => (['GET', 'HEAD', 'OPTIONS'].includes(method) ? 'network_read' : 'network_write'),
    facets: ({ method, url, headers, body }) => ({
      trustedHost: isListed(url),
      private: isListed(url) || isOfOwnNetwork(hostOf(url) ?? ''),
      targets: [hostOf(url) ?? url],
      covers: [hostOf(url) ?? url, method],
      sends: [url, ...Object.entries(headers).flat(), ...(body ? [body] : [])],
      deed: httpDeed(method),
      taintedBy: hostOf(url) ?? url,
      writes: [],
    }),
    ruleTarget: async ({ method, url, body = '' }) =>
      ['GET', 'HEAD'].includes(method) && body === '' && !isOfOwnNetwork(hostOf(url) ?? '')
        ? hostTarget(url)
        : undefined,
    async forbid({ url }) {
      const parsed = URL.parse(url);
      return (await web()).refuse(url) ?? (parsed === null ? undefined : refuseHost(parsed, allowed));
    },
    execute: (request, { signal, isRuled = false }) => {
      const { url } = request;
      // A call that was judged as going to a listed host must not be redirected to one that only `*` allows.
      const refuse = (hop: URL): string | undefined =>
        refuseHost(hop, isListed(url) ? named : allowed) ?? (isRuled ? refuseOtherOrigin(url, hop) : undefined);
      return send({ ...request, timeout: seconds * 1000, maxBytes, refuse }, signal, web);
    },
  });
}

/** All that is sent, below the question; undefined if there is nothing but a short address. */
function bodyOf({ method, url, headers, body = '' }: z.output<typeof input>): CallBody | undefined {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (lines.length === 0 && body === '' && url.length <= longestAddress) return undefined;
  const text = [`${method} ${url}`, ...lines, ...(body === '' ? [] : ['', body])].join('\n');
  const host = inlineCode(oneLine(hostOf(url) ?? url, 100));
  return { text, language: 'http', title: (language) => builtinWords[language].sendBelow({ method, host }) };
}

/** A longer one stands below the question, in characters. */
const longestAddress = 120;

async function send(request: WebRequest, signal: AbortSignal, web: () => Promise<WebAccess>): Promise<ToolOutput> {
  const { url, method = 'GET' } = request;
  const address = inlineCode(oneLine(url, 300));
  try {
    const { client } = await web();
    const response = await client(request, signal);
    return {
      forLlm: await describeResponse(url, response),
      isError: response.status >= 400,
      isAsync: false,
      untrusted: hostOf(response.url),
      did: (language) => builtinWords[language].sent({ method, address, status: response.status }),
    };
  } catch (cause) {
    // The redirect target and the error may contain a server's words.
    if (cause instanceof WebError)
      return { ...error(cause.message), untrusted: cause.reachedNobody ? undefined : hostOf(url) };
    throw cause;
  }
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname;
}

function shown(patterns: readonly string[]): string {
  const some = patterns.slice(0, 30).join(', ');
  return patterns.length > 30 ? `${some}, and ${patterns.length - 30} more` : some;
}

const useful =
  /^(?:content-type|content-location|content-disposition|location|etag|last-modified|link|allow|retry-after|www-authenticate|(?:x-)?rate-?limit-[a-z-]{1,40}|x-total-count)$/;

async function describeResponse(asked: string, response: WebResponse): Promise<string> {
  const { url, status, headers } = response;
  const from = URL.parse(asked)?.href === url ? '' : ` from ${oneLine(url, 500)}, after redirects`;
  return [
    `[${statusWords(status)}${from}]`,
    ...Object.entries(headers)
      .filter(([name]) => useful.test(name))
      .slice(0, 20)
      .map(([name, value]) => `${name}: ${oneLine(value, 500)}`),
    '',
    await describeBody(response),
  ].join('\n');
}

async function describeBody({ headers, body, truncated, isCut }: WebResponse): Promise<string> {
  const size = formatSize(body.length);
  if (body.length === 0) return '[no body]';
  const { contentType, decodeText, isTextType, looksLikeText } = await import('../documents/document.ts');
  const { type, charset } = contentType(headers['content-type']);
  // What is called by another type is text only if it plainly is.
  const isUnsaid = type === '' || type === 'application/octet-stream';
  const isText = isTextType(type) || (looksLikeText(body) && (isUnsaid || isUtf8(body)));
  if (!isText)
    return `[a binary body of ${truncated ? 'more than ' : ''}${size}${type === '' ? '' : `, ${type}`}; it is not shown]`;
  const text = decodeText(body, charset === undefined ? [] : [charset]);
  if (isCut === true)
    return `${text}\n[the connection ended before the answer was complete: these are its first ${size}]`;
  return truncated ? `${text}\n[the answer goes on: only its first ${size} were read]` : text;
}
