import type { JsonObject } from '../../../src/lib/json.ts';
import type { CommonFault } from '../fault-rules.ts';
import type { MethodFaults, MethodRule } from '../method-faults.ts';

/** How a request goes wrong. */
export type Fault =
  | CommonFault
  /** Refuses with a code, as methods do: HTTP 200. Nothing is done. */
  | { readonly kind: 'error'; readonly error: string; readonly details?: JsonObject }
  /** Answers another status than 200. Nothing is done. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number };

export type FaultKind = Fault['kind'];
export type FaultRule = MethodRule<Fault>;
export type Faults = MethodFaults<Fault>;
