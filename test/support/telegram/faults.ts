import type { CommonFault } from '../fault-rules.ts';
import type { MethodFaults, MethodRule } from '../method-faults.ts';

/** How a request goes wrong. */
export type Fault =
  | CommonFault
  /** Answers an error, as the server does itself or with a body of its own. Nothing is done. */
  | { readonly kind: 'status'; readonly status: number; readonly description?: string; readonly body?: string }
  /** Too many requests, for that many seconds. Nothing is done. */
  | { readonly kind: '429'; readonly retryAfter: number };

export type FaultKind = Fault['kind'];
export type FaultRule = MethodRule<Fault>;
export type Faults = MethodFaults<Fault>;
