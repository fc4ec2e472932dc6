import type { JudgedCall, LiveTurn, TurnOptions } from '../../engine/feature.ts';
import { newId } from '../../lib/ids.ts';
import type { JsonValue } from '../../lib/json.ts';
import type { ModelEvent } from '../../models/language-model.ts';
import { argumentsSoFar } from '../../tools/call-status.ts';
import type { RedactedStream } from '../../tools/guard/redact/redacted-output.ts';
import type { CallTools } from '../../tools/operator-rules.ts';
import type { Tool, ToolScope } from '../../tools/tool.ts';
import { openReply, redactedStream, showJudged, showStatus, showThinking, type ViewContext } from './chat-view.ts';
import type { LiveReply } from './live-replies.ts';

interface TurnState {
  readonly view: ViewContext;
  readonly scope: ToolScope;
  readonly tools: CallTools;
  readonly options: TurnOptions;
  /** The ids under which calls are shown and will be stored, by the model's own ids. */
  readonly ids: Map<string, string>;
  /** The tip shown last, by call. */
  readonly shown: Map<string, string | undefined>;
  reply: LiveReply | undefined;
  /** The text on its way to the reply. */
  words: RedactedStream | undefined;
  isKept: boolean;
  text: string;
}

/**
 * Shows one answer while the model writes it: its text from the first visible character, its calls from their first
 * argument. The text and reasoning of a worker are for the run that asked: only its calls are shown.
 */
export function openTurn(
  view: ViewContext,
  { scope, tools, options }: Pick<TurnState, 'scope' | 'tools' | 'options'>,
): LiveTurn {
  const turn: TurnState = {
    view,
    scope,
    tools,
    options,
    ids: new Map(),
    shown: new Map(),
    reply: undefined,
    words: undefined,
    isKept: false,
    text: '',
  };
  return {
    get hasBegun() {
      return turn.text !== '' || turn.ids.size > 0;
    },
    get said() {
      return turn.reply && { id: turn.reply.id, text: turn.text };
    },
    hear: (event) => hear(event, turn),
    complete() {
      turn.words?.end();
      turn.reply?.complete();
    },
    takeId(modelCallId) {
      const id = idOf(modelCallId, turn);
      turn.ids.delete(modelCallId);
      return id;
    },
    keep() {
      turn.isKept = true;
    },
    stored: (calls) => showStored(calls, turn),
    async end(as) {
      if (as === 'given-up') showStored([], turn);
      if (!turn.isKept) await (as === 'left' ? turn.reply?.leave() : turn.reply?.abandon());
    },
  };
}

async function hear(event: ModelEvent, turn: TurnState): Promise<void> {
  switch (event.type) {
    case 'text':
      return write(event.delta, turn);
    case 'partial-call':
      return announce(event, turn);
    case 'calls-withdrawn':
      // The model is asked again.
      showStored([], turn);
      return turn.ids.clear();
    case 'text-withdrawn':
      return withdrawText(turn);
    case 'reasoning':
      return isShown(turn) ? showThinking(turn.scope, event.delta, turn.view) : undefined;
    case 'finish':
      return;
  }
}

function isShown({ scope, options }: TurnState): boolean {
  return scope.within === undefined && !options.isHidden;
}

function write(delta: string, turn: TurnState): void {
  if (turn.text === '' && delta.trim() === '') return;
  if (turn.text === '' && isShown(turn)) {
    turn.reply = openReply(turn.scope, turn.options.replyTo, turn.view);
    turn.words = turn.reply && redactedStream(turn.view, turn.reply.push);
  }
  turn.text += delta;
  turn.words?.push(delta);
}

async function withdrawText(turn: TurnState): Promise<void> {
  const withdrawn = turn.reply;
  turn.reply = undefined;
  turn.words = undefined;
  turn.text = '';
  showStored([], turn);
  turn.ids.clear();
  await withdrawn?.abandon();
}

/** Made at the first partial argument of the call. */
function idOf(modelCallId: string, { ids }: TurnState): string {
  const id = ids.get(modelCallId) ?? newId(12);
  ids.set(modelCallId, id);
  return id;
}

/** Shows the arguments so far, unless their tip is unchanged. */
async function announce(call: Extract<ModelEvent, { type: 'partial-call' }>, turn: TurnState): Promise<void> {
  const { scope, tools, shown, options } = turn;
  const callId = idOf(call.modelCallId, turn);
  const found = await tools.of(callId, call.name, scope);
  const tip = options.isHidden ? undefined : tipOf(found?.tool, call.arguments, turn);
  if (shown.has(callId) && shown.get(callId) === tip) return;
  shown.set(callId, tip);
  showStatus(scope, { callId, toolName: call.name, state: 'wait', tip }, turn.view);
}

/** If the tool fails to describe its arguments, shows the arguments. */
function tipOf(tool: Tool | undefined, args: JsonValue, { scope, view }: TurnState): string | undefined {
  try {
    const tip = tool?.onPartial?.(args, scope);
    if (tip !== undefined) return tip;
  } catch (error) {
    view.parts.log.debug({ err: error, tool: tool?.name }, 'a tool could not say what is being written for it');
  }
  return argumentsSoFar(args);
}

/** Shows what happens to the calls, now that the turn is stored; none if it is abandoned. */
function showStored(calls: readonly JudgedCall[], { scope, tools, shown, view }: TurnState): void {
  const made = new Set(calls.filter(({ fate }) => fate !== 'refused').map(({ callId }) => callId));
  for (const callId of shown.keys()) if (!made.has(callId)) tools.release(callId);
  if (calls.length > 0 || shown.size > 0) showJudged(scope, calls, view);
  shown.clear();
}
