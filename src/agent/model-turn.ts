import type { OutboxDraft } from '../approval/approval.ts';
import type { Clock } from '../lib/clock.ts';
import type { CrashPoint, CrashPoints } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { LanguageModel, ModelAnswer, ModelRequest } from '../model/language-model.ts';
import type { WorkspaceFactory } from '../tools/guard/workspace/workspace.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ToolScope } from '../tools/tool.ts';
import { type TranscriptEntry, unseen } from '../transcript.ts';
import { CallAnnouncer } from './call-announcer.ts';
import type { Surroundings } from './call-judge.ts';
import type { BegunCall } from './call-runner.ts';
import { LiveText } from './live-text.ts';
import { toModelMessages } from './messages.ts';
import type { News } from './news.ts';
import type { Ask } from './next-step.ts';
import { loadPictures, mostPictures, noPictures, type Pictures, picturesIn } from './pictures.ts';
import type { JudgedCall, Presenter } from './presenter.ts';
import type { CallDraft, RunState, RunStore, TurnDraft } from './run-store.ts';
import { isPersonsWish } from './stop-request.ts';
import { systemPrompt } from './system-prompt.ts';
import { messageIdsOf } from './taken-messages.ts';
import type { TurnCalls } from './turn-calls.ts';
import { fit } from './window.ts';

export interface ModelTurnDependencies {
  readonly store: RunStore;
  readonly model: LanguageModel;
  readonly registry: ToolRegistry;
  readonly turnCalls: TurnCalls;
  readonly presenter: Presenter;
  /** Where pictures are read that people have sent. */
  readonly workspaceAt: WorkspaceFactory;
  readonly clock: Clock;
  readonly log: Log;
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
  readonly announcer: CallAnnouncer;
}

/** Asks the model once, and stores its answer with everything that follows from it in one transaction. */
export class ModelTurn {
  readonly #dependencies: ModelTurnDependencies;

  constructor(dependencies: ModelTurnDependencies) {
    this.#dependencies = dependencies;
  }

  /** Throws `ModelError` if no answer can be had. */
  async take(state: RunState, ask: Ask, where: Surroundings, { signal, news }: TurnSignals): Promise<TurnOutcome> {
    const { presenter, registry, log } = this.#dependencies;
    this.#dependencies.crashPoint('run-begun');
    const live = new LiveText(() => presenter.openReply(state.conversationId, answering(state, ask)));
    const announcer = new CallAnnouncer({ presenter, registry, log, scope: where.scope });
    const shown: Shown = { live, announcer };
    const burst = this.#burst(state, ask, shown, news);
    try {
      const request = await this.#request(state, ask, where, AbortSignal.any([signal, burst.signal]));
      const answer = await this.#listen(request, shown);
      live.complete();
      if (burst.signal.aborted) return { type: 'outdated' };
      if (answer === undefined || signal.aborted) return { type: 'aborted' };
      if (isEmpty(answer)) return { type: 'empty' };
      return await this.#store(state, ask, answer, where, shown);
    } finally {
      burst.end();
      const isLeft = signal.aborted && !isPersonsWish(signal.reason);
      if (!isLeft) announcer.giveUp();
      await live.end(isLeft ? 'left' : 'given-up');
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

  async #request(state: RunState, ask: Ask, { scope }: Surroundings, signal: AbortSignal): Promise<ModelRequest> {
    const { registry, instructions, clock } = this.#dependencies;
    const seen = state.transcript.entries.filter(
      (entry) => (entry.type !== 'user' && entry.type !== 'event') || entry.seq <= ask.seenSeq,
    );
    const entries = fit({ entries: seen }, this.#roomForText(seen));
    return {
      system: systemPrompt(state.conversation, instructions, new Date(clock.now()).toISOString().slice(0, 10)),
      messages: toModelMessages(entries, state.conversation.kind === 'group', await this.#pictures(entries, scope)),
      tools: await registry.definitions(scope),
      signal,
    };
  }

  #roomForText(entries: readonly TranscriptEntry[]): number {
    const { model, contextCharacters } = this.#dependencies;
    const shown = model.seesImages ? Math.min(mostPictures, picturesIn(entries).length) : 0;
    return Math.max(0, contextCharacters - shown * charactersOfPicture);
  }

  async #pictures(entries: readonly TranscriptEntry[], { workspace }: ToolScope): Promise<Pictures> {
    const { model, workspaceAt } = this.#dependencies;
    if (picturesIn(entries).length === 0) return noPictures;
    return loadPictures(entries, workspaceAt(workspace), model.seesImages);
  }

  async #listen(request: ModelRequest, { live, announcer }: Shown): Promise<ModelAnswer | undefined> {
    const { model } = this.#dependencies;
    for await (const event of model.stream(request)) {
      switch (event.type) {
        case 'text':
          live.push(event.delta);
          break;
        case 'partial-call':
          await announcer.announce(event);
          break;
        case 'reasoning':
          break;
        case 'finish':
          return event.answer;
      }
    }
    return undefined;
  }

  async #store(
    state: RunState,
    ask: Ask,
    answer: ModelAnswer,
    where: Surroundings,
    { live, announcer }: Shown,
  ): Promise<TurnOutcome> {
    const { store, presenter, clock, crashPoint } = this.#dependencies;
    const { conversationId } = state;
    const judged = await this.#dependencies.turnCalls.draft(answer.parts, ask.run.runId, where, announcer.ids);
    const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const reply: readonly OutboxDraft[] =
      text.trim() === ''
        ? []
        : [
            {
              conversationId,
              message: { id: live.id ?? newId(20), kind: 'reply', markdown: text, ...answering(state, ask) },
            },
          ];
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
    if (reply.length > 0) live.keep();
    announcer.stored(draft.calls.map(judgedCall));
    crashPoint(crashPointOf(draft));
    presenter.deliver([conversationId, ...cardPlaces(draft)]);
    return {
      type: 'stored',
      callCount: judged.calls.length,
      ...(judged.begun === undefined ? {} : { begun: judged.begun }),
    };
  }
}

/** About as much room as providers count for one. */
const charactersOfPicture = 4000;

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
