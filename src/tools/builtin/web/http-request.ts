import { z } from 'zod';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import type { ToolCategory } from '../../category.ts';
import { fitsDomains } from '../../guard/network/domains.ts';
import { refuseHeader } from '../../guard/network/request-headers.ts';
import { type WebClient, WebError } from '../../guard/network/web-client.ts';
import { error } from '../../output.ts';
import { defineTool, type Tool } from '../../tool.ts';
import { describeResponse } from './http-response.ts';

export interface HttpRequestSettings {
  /** Hosts, `*.example.com`, or `*`. */
  readonly allowedDomains: readonly string[];
  /** In milliseconds. */
  readonly timeout: number;
  /** Of a longer answer the rest is not read. */
  readonly maxResponseBytes: number;
}

export interface HttpRequestDependencies {
  readonly client: WebClient;
  /** Why a URL is refused by its text alone, in words for the model. */
  readonly refuse: (url: string) => string | undefined;
  readonly settings: HttpRequestSettings;
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
export function httpRequest({ client, refuse, settings }: HttpRequestDependencies): Tool {
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
    facets: ({ url }) => ({ trustedHost: isListed(url, allowedDomains) }),
    forbid: ({ url }) => {
      const parsed = URL.parse(url);
      return refuse(url) ?? (parsed === null ? undefined : refuseHost(parsed));
    },
    async execute({ body, ...request }, { signal }) {
      const { url } = request;
      // A call that was judged as one to a host on the list is not led to one that is only let in by a `*`.
      const patterns = isListed(url, allowedDomains) ? named(allowedDomains) : allowedDomains;
      const limits = { timeout, maxBytes: maxResponseBytes, refuse: (hop: URL) => refuseHost(hop, patterns) };
      try {
        const response = await client({ ...request, ...limits, ...(body === undefined ? {} : { body }) }, signal);
        return describeResponse(url, response);
      } catch (cause) {
        if (cause instanceof WebError) return error(cause.message);
        throw cause;
      }
    },
  });
}

function categoryOf(method: (typeof methods)[number]): ToolCategory {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS' ? 'network_read' : 'network_write';
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
