import type { Approval } from '../approval/approval.ts';
import type { OutboundMessage } from '../contract.ts';
import type { JsonObject, JsonValue } from '../lib/json.ts';
import { reveal } from '../lib/plain-text.ts';
import type { ApprovalRequestFrame } from './server-frames.ts';

/** What a message with buttons asks: the id of the approval, or its own, if it is about none. */
export function askedIn({ id: messageId, buttons = [] }: OutboundMessage): string {
  const [, id = messageId] = /^[a-z]+:([a-z0-9]+):/.exec(buttons.flat()[0]?.actionId ?? '') ?? [];
  return id;
}

/** The frame for a message that asks, with all that a client needs to make a card of its own. */
export function approvalFrame(
  message: OutboundMessage,
  approval: Approval | undefined,
  now: number,
): ApprovalRequestFrame {
  const { markdown, buttons = [] } = message;
  return {
    type: 'approval_request',
    id: askedIn(message),
    tool: approval?.toolName ?? '',
    message: markdown,
    choices: buttons.flat().map(({ actionId, label, style, asks }) => ({
      id: actionId,
      label,
      style,
      ...(asks === undefined ? {} : { asks }),
    })),
    ...(approval === undefined ? {} : factsOf(approval, now)),
  };
}

function factsOf(approval: Approval, now: number) {
  const { asked, description, requesterName, expiresAt } = approval;
  return {
    kind: kindOf(approval),
    description,
    requester: requesterName,
    expires_ms: Math.max(0, expiresAt - now),
    ...(asked === undefined
      ? {}
      : { category: asked.category, arguments: revealed(asked.arguments), reason: asked.reason }),
  };
}

function kindOf({ question, extension }: Approval): 'call' | 'question' | 'extension' {
  if (extension !== undefined) return 'extension';
  return question === undefined ? 'call' : 'question';
}

/** With hidden characters shown, as on every card: what is approved is what can be read. */
function revealed(args: JsonObject): JsonObject {
  const shown = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(args)) shown.set(freeName(reveal(key), shown), revealedValue(value));
  return Object.fromEntries(shown);
}

/** Two that look alike are two: neither takes the place of the other. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name;
  while (taken.has(free)) free += "'";
  return free;
}

function revealedValue(value: JsonValue): JsonValue {
  if (typeof value === 'string') return reveal(value);
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(revealedValue) : revealed(value);
}

function isList(value: JsonObject | readonly JsonValue[]): value is readonly JsonValue[] {
  return Array.isArray(value);
}
