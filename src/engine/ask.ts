/*
 * Asking a model once, and showing its answer meanwhile. A request that is too long is retried with less, as long as nothing
 * was shown. A run waits for an unreachable model with a stored row and a timer.
 */

import { clockTime } from '../lib/time-words.ts';
import { AnswerTally } from '../models/answer-tally.ts';
import { type LanguageModel, type ModelAnswer, ModelError, type ModelUsage } from '../models/language-model.ts';
import { type Core, type LiveTurn, type Question, type RequestContext, shownIn, type TurnRequest } from './feature.ts';
import type { ModelWaitStore, RunState } from './journal.ts';
import { noticeIn } from './message.ts';
import type { RunOf } from './next.ts';

/** What is stored about a request, and what people see of its answer. */
interface Asking {
  readonly context: RequestContext;
  /** The model's name in the config. */
  readonly asked: string;
  /** Stores that the model is about to be asked, with an estimate in tokens. */
  readonly begins: (inputTokens: number) => Promise<void>;
  /** Called with the cost as soon as it is known, however the answer ends. Returns it with its price. */
  readonly owes: (usage: ModelUsage) => ModelUsage;
  readonly live: LiveTurn;
}

/**
 * Asks a model once, and shows its answer. A request that is too long is halved and retried, as long as nothing was shown.
 * Undefined if aborted. Throws `ModelError`.
 */
export async function askModel(question: Question, asking: Asking): Promise<ModelAnswer | undefined> {
  const { context, live } = asking;
  let limit = Number.POSITIVE_INFINITY;
  for (let refusals = 0; ; refusals += 1) {
    const made = await context.requestFor({ ...question, refusals, limit });
    const request = { ...made, request: { ...made.request, isShortest: refusals >= mostShrinks } };
    try {
      return await answerTo(request, question, asking);
    } catch (error) {
      if (!(error instanceof ModelError) || error.fault !== 'too-long') throw error;
      limit = Math.min(limit, await limitOf(error, request, question.model, context));
      if (refusals >= mostShrinks || live.hasBegun) throw error;
    }
  }
}

/** How often a request is halved. */
const mostShrinks = 3;

/** The limit of the model that refused the request. */
async function limitOf(
  { standIn }: ModelError,
  { hasPictures, measured }: TurnRequest,
  model: LanguageModel,
  context: RequestContext,
): Promise<number> {
  const label = standIn ?? model.label;
  const size = await measured();
  // A stand-in may have a smaller limit than the model that the request was made for.
  const isNews = standIn === undefined || size <= context.limitOf(label);
  // The pictures may be the reason: the next request has none.
  if (isNews && !hasPictures) context.refused(label, size);
  return context.limitOf(label);
}

async function answerTo(
  { request, size, guess, measured }: TurnRequest,
  { model, heard }: Question,
  asking: Asking,
): Promise<ModelAnswer | undefined> {
  const { context, asked, begins, owes } = asking;
  const tally = new AnswerTally(request.signal);
  const pay = async (error?: unknown): Promise<ModelUsage | undefined> => {
    const owed = await tally.owed(measured, error);
    return owed && owes(owed);
  };
  await begins(guess);
  try {
    const answer = await listen(model.stream(request), tally, asking.live, heard);
    const owed = await pay();
    if (answer === undefined) return undefined;
    // A stand-in counts tokens differently.
    const isOwn = answer.usage.model === undefined || answer.usage.model === asked;
    if (size !== undefined && isOwn) context.learn(model.label, size, answer.usage);
    return { ...answer, usage: owed ?? answer.usage };
  } catch (error) {
    await pay(error);
    throw error;
  }
}

async function listen(
  events: ReturnType<LanguageModel['stream']>,
  tally: AnswerTally,
  live: LiveTurn,
  heard: Question['heard'],
): Promise<ModelAnswer | undefined> {
  for await (const event of events) {
    tally.hear(event);
    heard?.();
    if (event.type === 'finish') return event.answer;
    await live.hear(event);
  }
  return undefined;
}

export type ModelWaits = ReturnType<typeof createModelWaits>;

/**
 * Lets runs wait for an unreachable model. The wait is stored: it survives a restart, /stop ends it, and new messages join
 * the run. A timer wakes the conversation for the next try.
 */
export function createModelWaits({ clock, deliver, wake }: Core, store: ModelWaitStore, longest: () => number) {
  /** Cancels the timer, by conversation. */
  const timers = new Map<string, () => void>();

  function watch(conversationId: string, at: number): void {
    timers.get(conversationId)?.();
    const cancel = clock.after(Math.max(0, at - clock.now()), () => {
      timers.delete(conversationId);
      wake([conversationId]);
    });
    timers.set(conversationId, cancel);
  }

  return {
    /** Continues the waits of an earlier process. */
    async begin(): Promise<void> {
      for (const { conversationId, retryAt } of await store.modelWaits()) watch(conversationId, retryAt);
    },

    stop(): void {
      for (const cancel of timers.values()) cancel();
    },

    /** Whether it is too early to ask. The timer may fire early if the clock was set back. */
    isWaiting: ({ wait }: RunState): boolean =>
      wait !== undefined && wait.at <= clock.now() && clock.now() < wait.retryAt,

    /** False if the run has waited long enough, or the provider asks for more time than is left. */
    async wait(state: RunState, run: RunOf, { fault, retryAfter = 0 }: ModelError): Promise<boolean> {
      const { conversationId, newestTurn: after } = state;
      const at = clock.now();
      const { number, until: last } = { number: 0, until: Number.POSITIVE_INFINITY, ...state.wait };
      const until = Math.min(last, at + longest());
      if (fault !== 'transient' || at >= until || at + retryAfter > until) return false;
      const pause = Math.max(Math.min(longestPause, firstPause * 2 ** number), retryAfter);
      const retryAt = Math.min(until, at + pause);
      const words = `⏳ The model is unreachable; I keep trying until ${clockTime(until)}. /stop ends it.`;
      const messages = number === 0 ? [noticeIn(shownIn(state), words)] : [];
      await store.waitForModel({ conversationId, after, ...run, number: number + 1, retryAt, until, messages, at });
      watch(conversationId, retryAt);
      deliver([shownIn(state)]);
      return true;
    },
  };
}

/** The pause between tries, in ms; it doubles. */
const firstPause = 5_000;
const longestPause = 60_000;
