import { z } from 'zod';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../category.ts';
import { fitsDomains } from '../../guard/network/host-name.ts';
import {
  refuseHeader,
  statusWords,
  type WebAccess,
  WebError,
  type WebResponse,
} from '../../guard/network/web-client.ts';
import { error, type ToolOutput } from '../../output.ts';
import { formatSize } from '../../text.ts';
import { defineTool, type Tool } from '../../tool.ts';

export interface HttpRequestSettings {
  /** Hosts, `*.example.com`, or `*`. */
  readonly allowedDomains: readonly string[];
  /** In milliseconds. */
  readonly timeout: number;
  /** Of a longer answer the rest is not read. */
  readonly maxResponseBytes: number;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const input = z
  .strictObject({
    method: z.enum(methods).default('GET'),
    url: z.string().min(1).max(8_000).describe('All of it, with its query.'),
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

/** Speaks to the HTTP APIs that the operator has listed. */
export function httpRequest({
  web,
  settings,
}: {
  readonly web: () => Promise<WebAccess>;
  readonly settings: HttpRequestSettings;
}): Tool {
  const { allowedDomains, timeout, maxResponseBytes } = settings;
  const refuseHost = (url: URL, patterns = allowedDomains): string | undefined =>
    fitsDomains(url.hostname, patterns) ? undefined : outsideOf(url, patterns);
  return defineTool({
    name: 'http_request',
    displayName: 'HTTP request',
    category: 'network_write',
    description: `Sends a request to an HTTP API and returns its answer. It reaches these hosts: ${listed(allowedDomains)}. To read a web page, use web_fetch.`,
    input,
    describeCall: ({ method, url, body }) =>
      `send ${method} to ${inlineCode(oneLine(url, 300))}${body === undefined ? '' : ` with a body of ${Buffer.byteLength(body)} bytes`}`,
    assess: ({ method }) => categoryOf(method),
    facets: ({ url }) => ({ trustedHost: isListed(url, allowedDomains), targets: hostOf(url) }),
    async forbid({ url }) {
      const parsed = URL.parse(url);
      return (await web()).refuse(url) ?? (parsed === null ? undefined : refuseHost(parsed));
    },
    async execute({ body, ...request }, { signal }) {
      const { url } = request;
      // A call that was judged as one to a host on the list is not led to one that is only let in by a `*`.
      const patterns = isListed(url, allowedDomains) ? named(allowedDomains) : allowedDomains;
      const limits = { timeout, maxBytes: maxResponseBytes, refuse: (hop: URL) => refuseHost(hop, patterns) };
      try {
        const { client } = await web();
        return await describeResponse(url, await client({ ...request, ...limits, body }, signal));
      } catch (cause) {
        // Where it was led to, and what it failed of, may be the words of a server.
        if (cause instanceof WebError) return { ...error(cause.message), untrusted: URL.parse(url)?.hostname };
        throw cause;
      }
    },
  });
}

function categoryOf(method: (typeof methods)[number]): ToolCategory {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'network_read' : 'network_write';
}

function hostOf(url: string): readonly string[] {
  return [URL.parse(url)?.hostname ?? url];
}

/** Whether the operator has thought of this host. */
function isListed(url: string, patterns: readonly string[]): boolean {
  return fitsDomains(URL.parse(url)?.hostname ?? '', named(patterns));
}

/** A `*` says nothing of any host. */
function named(patterns: readonly string[]): readonly string[] {
  return patterns.filter((pattern) => pattern !== '*');
}

function outsideOf(url: URL, patterns: readonly string[]): string {
  return `The host ${oneLine(url.hostname, 200)} is not in tools.http_request.allowed_domains, which the operator sets: ${listed(patterns)}.`;
}

function listed(patterns: readonly string[]): string {
  const shown = patterns.slice(0, 30).join(', ');
  return patterns.length > 30 ? `${shown}, and ${patterns.length - 30} more` : shown;
}

/** An answer for the model: its status, the headers that are of use, and its body if that is text. */
async function describeResponse(asked: string, response: WebResponse): Promise<ToolOutput> {
  const { url, status, headers } = response;
  const from = URL.parse(asked)?.href === url ? '' : ` from ${oneLine(url, 500)}, after redirects`;
  const lines = [
    `[${statusWords(status)}${from}]`,
    ...Object.entries(headers)
      .filter(([name]) => useful.test(name))
      .slice(0, 20)
      .map(([name, value]) => `${name}: ${oneLine(value, 500)}`),
    '',
    await describeBody(response),
  ];
  return {
    forLlm: lines.join('\n'),
    isError: status >= 400,
    isAsync: false,
    untrusted: new URL(url).hostname,
  };
}

const useful =
  /^(?:content-type|content-location|content-disposition|location|etag|last-modified|link|allow|retry-after|www-authenticate|(?:x-)?rate-?limit-[a-z-]{1,40}|x-total-count)$/;

async function describeBody({ headers, body, truncated }: WebResponse): Promise<string> {
  const size = formatSize(body.length);
  if (body.length === 0) return '[no body]';
  const type = headers['content-type'] ?? '';
  const text = await bodyText(body, type);
  if (text === undefined) {
    return `[a binary body of ${truncated ? 'more than ' : ''}${size}${type === '' ? '' : `, ${oneLine(type, 100)}`}; it is not shown]`;
  }
  return truncated ? `${text}\n[the answer goes on: only its first ${size} were read]` : text;
}

/** The text of an answer, in the charset that it is in; undefined if it is none. It may be cut within a character. */
async function bodyText(body: Buffer, contentType: string): Promise<string | undefined> {
  const { decodeText, looksLikeText } = await import('../documents/document.ts');
  const charset = /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  return isTextType.test(contentType) || looksLikeText(body) ? decodeText(body, charset) : undefined;
}

const isTextType = /^(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript|x-www-form-urlencoded|yaml))/i;
