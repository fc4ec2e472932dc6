import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { HookFailure } from '../hooks/hook-voice.ts';
import type { PluginExecution } from './plugin-means.ts';
import type { HookMethod } from './protocol.ts';

/** Longer than any hook may take: the signal ends it. In milliseconds. */
const timeout = 86_400_000;

/** Asks a plugin as a hook, by the method that the event is called. Rejects with `HookFailure` if it gives no answer. */
export async function askHook(
  execution: PluginExecution,
  event: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const method: HookMethod = event.event === 'after_tool_call' ? 'after_tool_call' : 'before_tool_call';
  const { channel, chat_id: chatId } = isJsonObject(event.conversation) ? event.conversation : {};
  const [callId, workspace] = [String(event.call_id), String(event.workspace)];
  const place = { channel: String(channel), chatId: String(chatId) };
  const context = { ...place, callId, workspace, signal, progress: () => {} };
  const outcome = await execution.execute({ method, tool: method, args: event, context, timeout });
  switch (outcome.type) {
    case 'answered':
      if (outcome.answer.isError) throw new HookFailure(`the plugin answered with an error: ${outcome.answer.output}`);
      return parseJson(outcome.answer.output);
    case 'lost':
    case 'not-run':
      throw new HookFailure(`the plugin gave no answer: ${outcome.why}`);
    case 'timed-out':
    case 'stopped':
      throw new HookFailure('the plugin was ended before it answered');
  }
}
