import { lookup as systemLookup } from 'node:dns/promises';
import type { Clock } from '../../../lib/clock.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { exchange } from './exchange.ts';
import type { HostLookup } from './guarded-connector.ts';
import { type NetworkRules, networkRules } from './network-rules.ts';
import { type Hop, nextHop } from './redirect.ts';
import { refuseHeader } from './request-headers.ts';
import { type WebClient, WebError, type WebRequest, type WebResponse } from './web-client.ts';
import { mayBeDone, webFailure } from './web-failure.ts';

export interface WebClientDependencies {
  /** `allowPrivate`: as `parseAllowPrivate` reads it. */
  readonly settings: { readonly allowPrivate: readonly string[] };
  readonly clock: Clock;
  readonly lookup?: HostLookup;
}

/** As many as people's mistakes need; a longer way is a circle. */
const mostRedirects = 5;

/** The web as tools may see it. Throws if an entry of `allowPrivate` is none. */
export function webClient({ settings, clock, lookup = lookUp }: WebClientDependencies): WebClient {
  const rules = networkRules(settings.allowPrivate);
  return async (request, signal) => {
    const tooLate = new AbortController();
    const cancel = clock.after(request.timeout, () => tooLate.abort());
    const ends = AbortSignal.any([signal, tooLate.signal]);
    try {
      return await visit(request, { rules: rulesOf(request, rules), lookup, signal: ends });
    } catch (cause) {
      if (signal.aborted) throw new WebError('The request was called off.', { cause });
      if (tooLate.signal.aborted) {
        const late = `There was no complete answer within ${request.timeout / 1000} s.`;
        throw new WebError(`${late}${mayBeDone(request.method)}`, { cause });
      }
      throw cause;
    } finally {
      cancel();
    }
  };
}

interface Visit {
  readonly rules: NetworkRules;
  readonly lookup: HostLookup;
  readonly signal: AbortSignal;
}

async function visit(request: WebRequest, { rules, lookup, signal }: Visit): Promise<WebResponse> {
  const { maxBytes, refuse } = request;
  let hop = firstHop(request, rules);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const refusal = rules.refuse(hop.url) ?? refuse?.(hop.url);
    if (refusal !== undefined) throw new WebError(redirects === 0 ? refusal : pointing(hop.url, refusal));
    const response = await exchange(hop, { permits: rules.permits, lookup, maxBytes, signal }).catch(
      (cause: unknown) => {
        throw webFailure(cause, hop) ?? cause;
      },
    );
    const next = nextHop(hop, response);
    if (next === undefined) return response;
    hop = next;
  }
  throw new WebError(`More than ${mostRedirects} redirects, the last one to ${oneLine(hop.url.href, 200)}.`);
}

function firstHop({ url, method = 'GET', headers = {}, body }: WebRequest, rules: NetworkRules): Hop {
  const parsed = URL.parse(url);
  if (parsed === null) throw new WebError(rules.refuse(url));
  for (const [name, value] of Object.entries(headers)) {
    const refusal = refuseHeader(name, value);
    if (refusal !== undefined) throw new WebError(`The header ${oneLine(name, 100)} ${refusal}.`);
  }
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { url: parsed, method: method.toUpperCase(), headers: lowered, ...(body === undefined ? {} : { body }) };
}

/** Whoever redirected has had the request. */
function pointing(url: URL, refusal: string): string {
  return `The answer was a redirect to ${oneLine(url.href, 200)}, which is not followed. ${refusal}`;
}

/** What the operator has configured for this one request needs no other permission. */
function rulesOf({ operatorOrigin }: WebRequest, rules: NetworkRules): NetworkRules {
  if (operatorOrigin === undefined) return rules;
  const isOwn = (url: URL): boolean => url.origin === operatorOrigin && url.username === '' && url.password === '';
  return {
    refuse: (url) => (typeof url !== 'string' && isOwn(url) ? undefined : rules.refuse(url)),
    permits: (url, address) => isOwn(url) || rules.permits(url, address),
  };
}

async function lookUp(name: string): ReturnType<HostLookup> {
  return systemLookup(name, { all: true });
}
