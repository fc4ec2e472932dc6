import { z } from 'zod';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import type { EndedCall, HookDecision, HookedCall } from '../../call-hooks.ts';
import { deepestArguments, isDeeperThan } from '../../depth.ts';

/** What a hook is told of a call that has not been judged yet. */
export function beforeEvent(call: HookedCall): JsonObject {
  return { event: 'before_tool_call', ...eventOf(call) };
}

/** What a hook is told of a call that has run. */
export function afterEvent(call: HookedCall, { outcome, text }: EndedCall): JsonObject {
  return { event: 'after_tool_call', ...eventOf(call), outcome, result: text };
}

function eventOf({ callId, toolName, source, category, arguments: args, scope }: HookedCall): JsonObject {
  const { channel, tenant, chatId, threadId, kind, sender, workspace } = scope;
  return {
    call_id: callId,
    tool: toolName,
    source: { ...source },
    category,
    arguments: args,
    conversation: {
      channel,
      ...(tenant === undefined ? {} : { tenant }),
      chat_id: chatId,
      ...(threadId === undefined ? {} : { thread_id: threadId }),
      kind,
    },
    principal: sender.principal,
    workspace,
  };
}

const answer = z.discriminatedUnion('decision', [
  z.object({ decision: z.literal('continue') }),
  z.object({ decision: z.literal('cancel'), reason: z.string().optional() }),
  z.object({ decision: z.literal('modify'), arguments: z.record(z.string(), z.json()) }),
]);

/** The decision that a hook's answer is. Undefined if it is none. */
export function readDecision(value: JsonValue | undefined): HookDecision | undefined {
  if (value !== undefined && isDeeperThan(value, deepestArguments)) return undefined;
  const read = answer.safeParse(value);
  if (!read.success) return undefined;
  switch (read.data.decision) {
    case 'continue':
      return { type: 'continue' };
    case 'cancel':
      return { type: 'cancel', reason: read.data.reason ?? '' };
    case 'modify':
      return { type: 'modify', arguments: read.data.arguments };
  }
}
