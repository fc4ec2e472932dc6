import type { OutboxDraft } from '../approval/approval.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoint, CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { LanguageModel, ModelAnswer, ModelEvent, ModelRequest } from '../model/language-model.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import { unseen } from '../transcript.ts';
import { CallIds } from './call-ids.ts';
import type { Surroundings } from './call-judge.ts';
import type { BegunCall } from './call-runner.ts';
import { LiveText } from './live-text.ts';
import { toModelMessages } from './messages.ts';
import type { News } from './news.ts';
import type { Ask } from './next-step.ts';
import type { Presenter } from './presenter.ts';
import type { RunState, RunStore, TurnDraft } from './run-store.ts';
import { systemPrompt } from './system-prompt.ts';
import type { TurnCalls } from './turn-calls.ts';
import { fit } from './window.ts';

export interface ModelTurnDependencies {
  readonly store: RunStore;
  readonly model: LanguageModel;
  readonly registry: ToolRegistry;
  readonly turnCalls: TurnCalls;
  readonly presenter: Presenter;
  readonly clock: Clock;
  readonly crashPoint: CrashPoints;
  /** Added to the system prompt. */
  readonly instructions: string;
  /** How much of a conversation a request holds, in characters. */
  readonly contextCharacters: number;
  /** How long after a request more words of the same person may begin it anew, in milliseconds. */
  readonly burst: number;
}

/** What may end a request early. */
export interface TurnSignals {
  readonly signal: AbortSignal;
  /** What is said meanwhile. */
  readonly news: News;
}

/**
 * What came of asking the model. `empty`: it said nothing and called nothing · `outdated`: what was asked is no longer what
 * is to be answered.
 */
export type TurnOutcome =
  | { readonly type: 'stored'; readonly callCount: number; readonly begun?: BegunCall }
  | { readonly type: 'outdated' | 'aborted' | 'empty' };

/** What people see of an answer before it is stored. */
interface Shown {
  readonly live: LiveText;
  readonly ids: CallIds;
}

/** Asks the model once, and stores its answer with everything that follows from it in one transaction. */
export class ModelTurn {
  readonly #dependencies: ModelTurnDependencies;

  constructor(dependencies: ModelTurnDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `ModelError` if no answer can be had. */
  async take(state: RunState, ask: Ask, where: Surroundings, { signal, news }: TurnSignals): Promise<TurnOutcome> {
    const { presenter } = this.#dependencies;
    this.#dependencies.crashPoint('run-begun');
    const live = new LiveText(() => presenter.openReply(state.conversationId));
    const shown: Shown = { live, ids: new CallIds() };
    const burst = this.#burst(state, ask, shown, news);
    try {
      const request = await this.#request(state, ask, where, AbortSignal.any([signal, burst.signal]));
      const answer = await this.#listen(request, state.conversationId, shown);
      if (burst.signal.aborted) return { type: 'outdated' };
      if (answer === undefined || signal.aborted) return { type: 'aborted' };
      if (isEmpty(answer)) return { type: 'empty' };
      return await this.#store(state, ask, answer, where, shown);
    } finally {
      burst.end();
      await live.abandonUnlessKept();
    }
  }

  /**
   * Aborts when the person of the run says more soon after, nothing of an answer has come yet, and nobody else has spoken
   * in between.
   */
  #burst(
    { transcript }: RunState,
    { run, seenSeq }: Ask,
    { live, ids }: Shown,
    news: News,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    const { clock, burst } = this.#dependencies;
    const begun = clock.now();
    const controller = new AbortController();
    let isAlone = unseen(transcript).every(({ seq }) => seq <= seenSeq);
    const end = news.listen((principal) => {
      isAlone &&= principal === run.principal;
      const isSilent = !live.hasText && ids.isEmpty;
      if (isAlone && isSilent && clock.now() - begun < burst) controller.abort();
    });
    return { signal: controller.signal, end };
  }

  async #request(state: RunState, ask: Ask, { scope }: Surroundings, signal: AbortSignal): Promise<ModelRequest> {
    const { registry, instructions, contextCharacters, clock } = this.#dependencies;
    const seen = state.transcript.entries.filter(
      (entry) => (entry.type !== 'user' && entry.type !== 'event') || entry.seq <= ask.seenSeq,
    );
    return {
      system: systemPrompt(state.conversation, instructions, new Date(clock.now()).toISOString().slice(0, 10)),
      messages: toModelMessages(fit({ entries: seen }, contextCharacters), state.conversation.kind === 'group'),
      tools: await registry.definitions(scope),
      signal,
    };
  }

  async #listen(request: ModelRequest, conversationId: string, { live, ids }: Shown): Promise<ModelAnswer | undefined> {
    const { model } = this.#dependencies;
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case 'text':
          live.push(event.delta);
          break;
        case 'partial-call':
          this.#announce(conversationId, event, ids);
          break;
        case 'reasoning':
          break;
        case 'finish':
          return event.answer;
      }
    }
    return undefined;
  }

  #announce(conversationId: string, call: Extract<ModelEvent, { type: 'partial-call' }>, ids: CallIds): void {
    const { id: callId, isNew } = ids.announce(call.modelCallId);
    if (isNew) this.#dependencies.presenter.showStatus(conversationId, { callId, toolName: call.name, state: 'wait' });
  }

  async #store(
    state: RunState,
    ask: Ask,
    answer: ModelAnswer,
    where: Surroundings,
    { live, ids }: Shown,
  ): Promise<TurnOutcome> {
    const { store, presenter, clock, crashPoint } = this.#dependencies;
    const { conversationId } = state;
    const judged = await this.#dependencies.turnCalls.draft(answer.parts, ask.run.runId, where, ids);
    const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const reply: readonly OutboxDraft[] =
      text.trim() === ''
        ? []
        : [{ conversationId, message: { id: live.id ?? newId(20), kind: 'reply', markdown: text } }];
    const draft: TurnDraft = {
      conversationId,
      ...ask.run,
      after: state.newestTurn,
      seenSeq: ask.seenSeq,
      parts: judged.parts,
      usage: answer.usage,
      calls: judged.calls,
      messages: [...reply, ...judged.messages],
      at: clock.now(),
    };
    if ((await store.storeTurn(draft)) === 'outdated') return { type: 'outdated' };
    live.keep();
    crashPoint(crashPointOf(draft));
    presenter.deliver([conversationId, ...cardPlaces(draft)]);
    return {
      type: 'stored',
      callCount: judged.calls.length,
      ...(judged.begun === undefined ? {} : { begun: judged.begun }),
    };
  }
}

function isEmpty(answer: ModelAnswer): boolean {
  return answer.parts.every((part) => part.type !== 'call' && (part.type === 'reasoning' || part.text.trim() === ''));
}

function crashPointOf(draft: TurnDraft): CrashPoint {
  if (draft.calls.some((call) => call.state === 'awaiting')) return 'approval-open';
  return draft.calls.length === 0 ? 'reply-stored' : 'turn-stored';
}

function cardPlaces(draft: TurnDraft): readonly string[] {
  return draft.calls.flatMap((call) => call.approval?.approval.places ?? []);
}
