import type { ToolStatus } from '../../contract.ts';
import type { JudgedCall, LiveTurn, TurnOptions } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { ModelEvent } from '../../models/language-model.ts';
import type { CallTools } from '../../tools/call-tools.ts';
import { argumentsSoFar } from '../../tools/status.ts';
import type { Tool, ToolScope } from '../../tools/tool.ts';
import type { LiveReply } from './live-message.ts';

/** Where the pieces of an answer are shown. */
interface TurnScreen {
  /** Undefined where the channel can't show a reply before it is finished. */
  openReply(conversationId: string, options: { readonly replyTo?: string | undefined }): LiveReply | undefined;
  showStatus(conversationId: string, status: ToolStatus): void;
  /** What the model thinks: adds to it. */
  showThinking(conversationId: string, delta: string): void;
  /** What becomes of the calls of a turn, now that it is stored; none, if it is given up. */
  showVerdicts(conversationId: string, calls: readonly JudgedCall[]): void;
}

/**
 * Shows one answer while the model writes it: its text from the first visible character on, its calls from their first
 * argument on. What a worker says or thinks is for the run that asked them: of that, the calls alone are shown.
 */
export function createLiveTurn(
  scope: ToolScope,
  tools: CallTools,
  options: TurnOptions,
  screen: TurnScreen,
  log: Log,
): LiveTurn {
  const { conversationId, within } = scope;
  const isShown = within === undefined && !options.isHidden;
  /** Under which the calls are shown, and will be stored, by the model's own ids. */
  const ids = new Map<string, string>();
  /** What was shown of each call last. */
  const shown = new Map<string, string | undefined>();
  let reply: LiveReply | undefined;
  let hasText = false;
  let isKept = false;
  let text = '';

  function write(delta: string): void {
    if (!hasText && delta.trim() === '') return;
    if (!hasText && isShown) reply = screen.openReply(conversationId, options);
    hasText = true;
    text += delta;
    reply?.push(delta);
  }

  /** A call has its own id from its first partial argument on. */
  function idOf(modelCallId: string): string {
    const id = ids.get(modelCallId) ?? newId(12);
    ids.set(modelCallId, id);
    return id;
  }

  /** Shows the arguments so far, unless they look as before. */
  async function announce(call: Extract<ModelEvent, { type: 'partial-call' }>): Promise<void> {
    const callId = idOf(call.modelCallId);
    const found = await tools.of(callId, call.name, scope);
    const tip = tipOf(found?.tool, call.arguments);
    if (shown.has(callId) && shown.get(callId) === tip) return;
    shown.set(callId, tip);
    screen.showStatus(conversationId, { callId, toolName: call.name, state: 'wait', tip });
  }

  /** A tool that can't say it does no harm by that: its arguments are shown. */
  function tipOf(tool: Tool | undefined, args: JsonValue): string | undefined {
    try {
      const tip = tool?.onPartial?.(args, scope);
      if (tip !== undefined) return tip;
    } catch (error) {
      log.debug({ err: error, tool: tool?.name }, 'a tool could not say what is being written for it');
    }
    return argumentsSoFar(args);
  }

  function stored(calls: readonly JudgedCall[]): void {
    const made = new Set(calls.flatMap(({ callId, fate }) => (fate === 'refused' ? [] : [callId])));
    for (const callId of shown.keys()) if (!made.has(callId)) tools.release(callId);
    if (calls.length > 0 || shown.size > 0) screen.showVerdicts(conversationId, calls);
    shown.clear();
  }

  return {
    get hasBegun() {
      return hasText || ids.size > 0;
    },
    get said() {
      return reply && { id: reply.id, text };
    },
    async hear(event) {
      switch (event.type) {
        case 'text':
          return write(event.delta);
        case 'partial-call':
          return announce(event);
        case 'calls-withdrawn':
          // The answer is asked for again.
          stored([]);
          return ids.clear();
        case 'reasoning':
          return isShown ? screen.showThinking(conversationId, event.delta) : undefined;
        case 'finish':
          return;
      }
    },
    complete: () => reply?.complete(),
    takeId(modelCallId) {
      const id = idOf(modelCallId);
      ids.delete(modelCallId);
      return id;
    },
    keep() {
      isKept = true;
    },
    stored,
    async end(as) {
      if (as === 'given-up') stored([]);
      if (!isKept) await (as === 'left' ? reply?.leave() : reply?.abandon());
    },
  };
}
