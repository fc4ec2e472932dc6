/*
 * What is said on a connection after the request `chat`. The daemon gives orders, a line each: what to show. The client makes
 * requests like any other, and says `done` when it has carried out an order that waits for that.
 */

import type { MessageRef, OfferedCommand, OutboundMessage, RunFailure, ToolStatus } from '../../../contract.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Language } from '../../../lib/words.ts';

/** Of a chat of its own, beside `local`: what scripts and persons keep apart. */
export const chatNames = /^[\p{L}\p{N}][\p{L}\p{N}_.-]{0,63}$/u;

/** `call`: the number that `done` repeats. `stream`: a reply that grows; unknown ones begin with what comes first. */
export type ChatOrder =
  | { readonly do: 'send'; readonly call: number; readonly message: OutboundMessage }
  | { readonly do: 'edit'; readonly call: number; readonly ref: MessageRef; readonly message: OutboundMessage }
  | { readonly do: 'push'; readonly stream: number; readonly delta: string }
  | {
      readonly do: 'finish';
      readonly call: number;
      readonly stream: number;
      readonly parts: readonly OutboundMessage[];
    }
  | { readonly do: 'cancel'; readonly call: number; readonly stream: number }
  | { readonly do: 'typing' }
  | { readonly do: 'status'; readonly status: ToolStatus }
  | { readonly do: 'failure'; readonly failure: RunFailure };

/** An order that waits until it is carried out, without its number. */
export type ChatCall =
  | Omit<Extract<ChatOrder, { do: 'send' }>, 'call'>
  | Omit<Extract<ChatOrder, { do: 'edit' }>, 'call'>
  | Omit<Extract<ChatOrder, { do: 'finish' }>, 'call'>
  | Omit<Extract<ChatOrder, { do: 'cancel' }>, 'call'>;

/** The answer to `chat`. */
export interface OpenedChat {
  readonly pid: number;
  /** In which the person is spoken to. */
  readonly language: Language;
  readonly commands: readonly OfferedCommand[];
}

/** The answer to `said` and `pressed`. */
export interface ChatReceipt {
  readonly notice?: string;
  readonly language: Language;
}

/** The answer to `idle`, which comes when nothing is done in the chat any more. */
export interface ChatRest {
  /** How many questions and approvals wait there for a person. */
  readonly waiting: number;
}

const kinds: readonly string[] = ['send', 'edit', 'push', 'finish', 'cancel', 'typing', 'status', 'failure'];

/** Reads a line of the daemon. Undefined if it is no order, or one of a later version, which nothing waits for. */
export function readOrder(line: string): ChatOrder | undefined {
  const read: unknown = parseJson(line);
  return isOrder(read) ? read : undefined;
}

/** The daemon is of the same project: an order of a known kind has what its version of the protocol promises. */
function isOrder(value: unknown): value is ChatOrder {
  return isJsonObject(value) && typeof value.do === 'string' && kinds.includes(value.do);
}
