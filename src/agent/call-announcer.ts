import type { JsonValue } from '../lib/json.ts';
import type { Log } from '../lib/log.ts';
import type { ModelEvent } from '../model/language-model.ts';
import type { Tool, ToolScope } from '../tools/tool.ts';
import { CallIds } from './call-ids.ts';
import type { CallTools } from './call-tools.ts';
import type { JudgedCall, Presenter } from './presenter.ts';

export interface CallAnnouncerDependencies {
  readonly presenter: Presenter;
  readonly callTools: CallTools;
  readonly scope: ToolScope;
  readonly log: Log;
}

/** How much of the arguments is shown, in UTF-16 units. */
const mostArguments = 200;

/** Shows the calls of one answer from their first argument on, while the model still writes them. */
export class CallAnnouncer {
  /** Under which they are shown, and will be stored. */
  readonly ids = new CallIds();
  readonly #dependencies: CallAnnouncerDependencies;
  /** What was shown last, by call. */
  readonly #shown = new Map<string, string | undefined>();

  constructor(dependencies: CallAnnouncerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Shows the arguments so far, unless they look as before. */
  async announce(call: Extract<ModelEvent, { type: 'partial-call' }>): Promise<void> {
    const { presenter, callTools, scope } = this.#dependencies;
    const callId = this.ids.announce(call.modelCallId);
    const found = await callTools.of(callId, call.name, scope);
    const tip = this.#tipOf(found?.tool, call.arguments);
    if (this.#shown.has(callId) && this.#shown.get(callId) === tip) return;
    this.#shown.set(callId, tip);
    const shown = tip === undefined ? {} : { tip };
    presenter.showStatus(scope.conversationId, { callId, toolName: call.name, state: 'wait', ...shown });
  }

  /** Shows what the model thinks. What a worker thinks is for nobody. */
  think(delta: string): void {
    const { presenter, scope } = this.#dependencies;
    if (scope.within === undefined) presenter.showThinking(scope.conversationId, delta);
  }

  /** They are stored, with what becomes of them. */
  stored(calls: readonly JudgedCall[]): void {
    const { presenter, callTools, scope } = this.#dependencies;
    const made = new Set(calls.flatMap(({ callId, fate }) => (fate === 'refused' ? [] : [callId])));
    for (const callId of this.#shown.keys()) if (!made.has(callId)) callTools.release(callId);
    if (calls.length > 0 || this.#shown.size > 0) presenter.showVerdicts(scope.conversationId, calls);
    this.#shown.clear();
  }

  /** None of them is made, unless they were stored before. */
  giveUp(): void {
    this.stored([]);
  }

  /** A tool that can't say it does no harm by that: its arguments are shown. */
  #tipOf(tool: Tool | undefined, args: JsonValue): string | undefined {
    const { scope, log } = this.#dependencies;
    try {
      const tip = tool?.onPartial?.(args, scope);
      if (tip !== undefined) return tip;
    } catch (error) {
      log.debug({ err: error, tool: tool?.name }, 'a tool could not say what is being written for it');
    }
    return argumentsSoFar(args);
  }
}

/** The arguments as JSON on one line, cut at the end. Undefined as long as there are none. */
export function argumentsSoFar(args: JsonValue): string | undefined {
  // A long text is cut before it is written out: it grows with every word of the model.
  const json = JSON.stringify(args, (_key, part: unknown) => (typeof part === 'string' ? cut(part) : part));
  return json === '{}' || json === '""' ? undefined : cut(json);
}

function cut(text: string): string {
  if (text.length <= mostArguments) return text;
  const end = mostArguments - 1;
  const isSplit = (text.codePointAt(end - 1) ?? 0) > 0xffff;
  return `${text.slice(0, isSplit ? end - 1 : end)}…`;
}
