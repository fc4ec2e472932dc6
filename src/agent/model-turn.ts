import type { OutboxDraft } from '../approval/approval.ts';
import type { CrashPoint, CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { ModelAnswer, ModelUsage } from '../model/language-model.ts';
import type { Models } from '../model/models.ts';
import { unseen } from '../transcript.ts';
import { askModel, type Shown } from './ask-model.ts';
import type { Budget } from './budget.ts';
import { CallAnnouncer } from './call-announcer.ts';
import type { Surroundings } from './call-judge.ts';
import type { BegunCall } from './call-runner.ts';
import type { CallTools } from './call-tools.ts';
import { LiveText } from './live-text.ts';
import type { News } from './news.ts';
import type { Ask } from './next-step.ts';
import type { JudgedCall, Presenter } from './presenter.ts';
import type { CallDraft, RunState, RunStore, TurnDraft } from './run-store.ts';
import { isPersonsWish } from './stop-request.ts';
import { messageIdsOf } from './taken-messages.ts';
import type { TurnCalls } from './turn-calls.ts';
import type { TurnRequestDependencies } from './turn-request.ts';

export interface ModelTurnDependencies extends TurnRequestDependencies {
  readonly store: RunStore;
  readonly models: Models;
  readonly budget: Pick<Budget, 'today' | 'spend' | 'noteSize'>;
  readonly turnCalls: TurnCalls;
  readonly callTools: CallTools;
  readonly presenter: Presenter;
  readonly log: Log;
  readonly crashPoint: CrashPoints;
  /** How long after a request more words of the same person may begin it anew, in milliseconds. */
  readonly burst: number;
}

/** What may end a request early. */
export interface TurnSignals {
  readonly signal: AbortSignal;
  /** What is said meanwhile. */
  readonly news: News;
  /** Told of each sign of life of the model. */
  readonly heard?: () => void;
}

/**
 * What came of asking the model. `empty`: it said nothing and called nothing · `outdated`: what was asked is no longer what
 * is to be answered · `silent`: it said nothing for too long.
 */
export type TurnOutcome =
  | { readonly type: 'stored'; readonly callCount: number; readonly begun: readonly BegunCall[] }
  | { readonly type: 'outdated' | 'aborted' | 'empty' | 'silent' };

/** Asks the model once, and stores its answer with everything that follows from it in one transaction. */
export class ModelTurn {
  readonly #dependencies: ModelTurnDependencies;

  constructor(dependencies: ModelTurnDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `ModelError` if no answer can be had. */
  async take(
    state: RunState,
    ask: Ask,
    where: Surroundings,
    { signal, news, heard }: TurnSignals,
  ): Promise<TurnOutcome> {
    const { presenter, callTools, log } = this.#dependencies;
    this.#dependencies.crashPoint('run-begun');
    const live = new LiveText(() =>
      // What a worker says is for the run that asked him.
      state.subRun === undefined ? presenter.openReply(state.conversationId, answering(state, ask)) : undefined,
    );
    const announcer = new CallAnnouncer({ presenter, callTools, log, scope: where.scope });
    const shown: Shown = { live, announcer };
    const burst = this.#burst(state, ask, shown, news);
    let unpaid: ModelUsage | undefined;
    try {
      const model = this.#dependencies.models.of(state.model);
      const wanted = AbortSignal.any([signal, burst.signal]);
      const owes = (usage: ModelUsage): void => {
        unpaid = usage;
        this.#dependencies.budget.noteSize(usage);
      };
      const question = { state, ask, scope: where.scope, model, signal: wanted, heard };
      const answer = await askModel(question, shown, { ...this.#dependencies, asked: this.#nameOf(state), owes });
      live.complete();
      if (burst.signal.aborted) return { type: 'outdated' };
      if (answer === undefined || signal.aborted) return { type: 'aborted' };
      if (isEmpty(answer)) return { type: 'empty' };
      const outcome = await this.#store(state, ask, answer, where, { ...shown, signal });
      if (outcome.type === 'stored') unpaid = undefined;
      return outcome;
    } finally {
      burst.end();
      const isLeft = signal.aborted && !isPersonsWish(signal.reason);
      if (!isLeft) announcer.giveUp();
      await live.end(isLeft ? 'left' : 'given-up');
      if (unpaid !== undefined) await this.#dependencies.budget.spend(state, ask.run, this.#nameOf(state), unpaid);
    }
  }

  /**
   * Aborts when the person of the run says more soon after the first request, nothing of an answer has come yet, and
   * nobody else has spoken in between.
   */
  #burst(
    { transcript, newestTurn }: RunState,
    { run, seenSeq }: Ask,
    { live, announcer: { ids } }: Shown,
    news: News,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    const { clock, burst } = this.#dependencies;
    const begun = news.firstAsked(newestTurn, clock.now());
    const controller = new AbortController();
    let isAlone = unseen(transcript).every(({ seq }) => seq <= seenSeq);
    const end = news.listen((principal) => {
      isAlone &&= principal === run.principal;
      const isSilent = !live.hasText && ids.isEmpty;
      if (isAlone && isSilent && clock.now() - begun < burst) controller.abort();
    });
    return { signal: controller.signal, end };
  }

  async #store(
    state: RunState,
    ask: Ask,
    answer: ModelAnswer,
    where: Surroundings,
    { live, announcer, signal }: Shown & { readonly signal: AbortSignal },
  ): Promise<TurnOutcome> {
    const { store, presenter, clock, crashPoint } = this.#dependencies;
    const { conversationId } = state;
    const judging = { ids: announcer.ids, signal };
    const judged = await this.#dependencies.turnCalls.draft(answer.parts, ask.run.runId, where, judging);
    if (signal.aborted) return { type: 'aborted' };
    const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const reply: readonly OutboxDraft[] =
      text.trim() === '' || state.subRun !== undefined
        ? []
        : [
            {
              conversationId,
              message: { id: live.id ?? newId(20), kind: 'reply', markdown: text, ...answering(state, ask) },
            },
          ];
    const draft: TurnDraft = {
      conversationId,
      ...(state.subRun === undefined ? {} : { countedIn: state.subRun.rootId }),
      ...ask.run,
      after: state.newestTurn,
      seenSeq: ask.seenSeq,
      parts: judged.parts,
      usage: answer.usage,
      model: answer.usage.model ?? this.#nameOf(state),
      day: this.#dependencies.budget.today(),
      calls: judged.calls,
      messages: [...reply, ...judged.messages],
      at: clock.now(),
    };
    if ((await store.storeTurn(draft)) === 'outdated') return { type: 'outdated' };
    if (reply.length > 0) live.keep();
    announcer.stored(draft.calls.map(judgedCall));
    crashPoint(crashPointOf(draft));
    presenter.deliver([conversationId, ...cardPlaces(draft)]);
    return { type: 'stored', callCount: judged.calls.length, begun: judged.begun };
  }

  #nameOf({ model }: RunState): string {
    return model ?? this.#dependencies.models.defaultName;
  }
}

/** Where several people talk, an answer says which message it answers. */
function answering(state: RunState, ask: Ask): { readonly replyTo?: string } {
  const replyTo = state.conversation.kind === 'group' ? messageIdsOf(state, ask).at(-1) : undefined;
  return replyTo === undefined ? {} : { replyTo };
}

function isEmpty(answer: ModelAnswer): boolean {
  return answer.parts.every((part) => part.type !== 'call' && (part.type === 'reasoning' || part.text.trim() === ''));
}

function judgedCall({ id: callId, name: toolName, state }: CallDraft): JudgedCall {
  switch (state) {
    case 'ready':
    case 'begun':
      return { callId, toolName, fate: 'runs' };
    case 'awaiting':
      return { callId, toolName, fate: 'asks' };
    case 'done':
      return { callId, toolName, fate: 'refused' };
  }
}

function crashPointOf(draft: TurnDraft): CrashPoint {
  if (draft.calls.some((call) => call.state === 'awaiting')) return 'approval-open';
  return draft.calls.length === 0 ? 'reply-stored' : 'turn-stored';
}

function cardPlaces(draft: TurnDraft): readonly string[] {
  return draft.calls.flatMap((call) => call.approval?.approval.places ?? []);
}
