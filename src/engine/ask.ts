/*
 * Asking a model once, showing its answer meanwhile, and paying for it however it ends. A request that is too long is retried
 * with less, as long as nothing was shown. A run waits for a model that cannot answer now with a stored row and a timer; an
 * answer that broke off waits in memory, since people see its beginning.
 */

import { escapeMarkdown } from '../lib/plain-text.ts';
import type { Reader } from '../lib/time-words.ts';
import type { InLanguage, Language } from '../lib/words.ts';
import {
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelRequest,
  type ModelUsage,
} from '../models/language-model.ts';
import type { Models } from '../models/open-models.ts';
import { firstPause, longestPause, withPatience } from '../models/patience.ts';
import type { Core, LiveTurn, Question, RequestContext, TurnRequest } from './feature.ts';
import { type RunState, shownIn } from './journal.ts';
import { type OutboxDraft, quietNoticeIn } from './message.ts';
import type { ModelWaitStore } from './model-wait-store.ts';
import type { RunOf } from './next.ts';
import { engineWords } from './words.ts';

/** What is stored about a request, and what people see of its answer. */
interface Asking extends Pick<Core, 'clock' | 'telemetry'> {
  readonly models: Pick<Models, 'sourceOf'>;
  readonly context: RequestContext;
  /** The model's name in the config. */
  readonly asked: string;
  /** Stores that the model is about to be asked, with an estimate in tokens. */
  readonly begins: (inputTokens: number) => Promise<void>;
  /** Called with the cost as soon as it is known, however the answer ends. Returns it with its price. */
  readonly owes: (usage: ModelUsage) => ModelUsage;
  readonly live: LiveTurn;
  /** Of those who read the answer. */
  readonly language: Language;
}

/**
 * Asks a model once, and shows its answer. A request that is too long is made smaller and retried, as long as nothing was shown;
 * what cannot be made smaller only a fallback gets. Undefined if aborted. Throws `ModelError`.
 */
export async function askModel(question: Question, asking: Asking): Promise<ModelAnswer | undefined> {
  const { context, live, language } = asking;
  let limit = Number.POSITIVE_INFINITY;
  let refused: Refused | undefined;
  for (let refusals = 0; ; refusals += 1) {
    const made = await context.requestFor({ ...question, refusals, limit });
    const isHopeless = refused !== undefined && cannotFit(made, refused);
    if (refused !== undefined && isHopeless && question.model.hasFallback !== true)
      throw tooLongError(made, refused, question);
    const isShortest = isHopeless || refusals >= mostShrinks;
    const tooLongFor = refused !== undefined && isHopeless ? [refused.label] : [];
    const request = { ...made, request: { ...made.request, isShortest, tooLongFor, size: made.size, language } };
    try {
      return await answerTo(request, question, asking);
    } catch (error) {
      if (!(error instanceof ModelError) || error.fault !== 'too-long') throw error;
      refused = { error, label: error.standIn ?? question.model.label, size: made.size, hadPictures: made.hasPictures };
      limit = Math.min(limit, limitOf(refused, made, question.model, context));
      if (isShortest || live.hasBegun) throw live.hasBegun ? error : tooLongError(made, refused, question);
    }
  }
}

/** How often a request is made smaller. */
const mostShrinks = 3;

/** The last request that was too long. */
interface Refused {
  readonly error: ModelError;
  /** Of the model that refused it. */
  readonly label: string;
  readonly size: number;
  readonly hadPictures: boolean;
}

/** Whether this request would be refused too: it is no smaller, or its instructions and tools alone are too long. */
function cannotFit({ size, fixedSize, hasPictures }: TurnRequest, refused: Refused): boolean {
  const isSame = size >= refused.size && hasPictures === refused.hadPictures;
  return isSame || fixedSize * countedMore(refused) > (refused.error.window ?? Number.POSITIVE_INFINITY);
}

/** By how much the server counts more than we estimate. */
function countedMore({ error, size }: Refused): number {
  return error.size === undefined ? 1 : Math.max(1, error.size / size);
}

/** In words that name the cause: a new conversation does not help if the instructions and tools alone are too long. */
function tooLongError({ size, fixedSize, toolsSize }: TurnRequest, refused: Refused, { model }: Question): ModelError {
  const { error } = refused;
  const { window, standIn, usage } = error;
  const isMostlyFixed = fixedSize > size * mostlyFixed || size - fixedSize < oneMessage;
  const isFixed = window === undefined ? isMostlyFixed : fixedSize * countedMore(refused) > window * mostlyFixed;
  if (!isFixed) return error;
  const fixed = {
    tokens: Math.round(fixedSize * countedMore(refused)),
    model: standIn ?? model.label,
    window,
    isMostlyTools: toolsSize * 2 > fixedSize,
  };
  const words: InLanguage = (language) => engineWords[language].fixedPartTooLong(fixed);
  return new ModelError('too-long', words, { cause: error, standIn, usage, window, size: error.size });
}

/** What is left holds no conversation. */
const mostlyFixed = 7 / 8;
/** A request with less than this holds but the newest message. In tokens. */
const oneMessage = 250;

/** The limit of the model that refused the request. */
function limitOf(
  { error, label }: Refused,
  { hasPictures, size }: TurnRequest,
  model: LanguageModel,
  context: RequestContext,
): number {
  const known = error.standIn === undefined ? model.abilities?.() : undefined;
  // A stand-in may have a smaller limit than the model that the request was made for.
  const isNews = error.standIn === undefined || size <= context.limitOf(label, known);
  // The pictures may be the reason: the next request has none.
  if (isNews && (!hasPictures || error.window !== undefined)) context.refused(label, size, error);
  return context.limitOf(label, known);
}

async function answerTo(
  { request, size, hasPictures }: TurnRequest,
  { state, ask, model, heard }: Question,
  asking: Asking,
): Promise<ModelAnswer | undefined> {
  const { context, asked, begins, owes, live } = asking;
  await begins(size);
  return paidAnswer(model, request, {
    ...asking,
    runId: ask.run.runId,
    conversationId: state.conversationId,
    inputTokens: size,
    pay: (owed) => owed && owes(owed),
    async hear(event) {
      heard?.();
      if (event.type !== 'finish') return live.hear(event);
      // As reported. A stand-in counts tokens differently, and pictures are not in the estimate.
      const { usage } = event.answer;
      const isOwn = usage.model === undefined || usage.model === asked;
      if (isOwn && !hasPictures) context.learn(model.label, size, usage);
    },
  });
}

interface Paying extends Pick<Core, 'clock' | 'telemetry'> {
  readonly models: Pick<Models, 'sourceOf'>;
  /** The model's name in the config. */
  readonly asked: string;
  /** The run that it is asked for, if any. */
  readonly runId: string | undefined;
  readonly conversationId: string;
  /** About as many as the request has. */
  readonly inputTokens: number;
  /** Called once, however the answer ends. Nothing may be owed. May return the usage with its price. */
  readonly pay: (owed: ModelUsage | undefined) => ModelUsage | undefined | Promise<undefined>;
  readonly hear?: (event: ModelEvent) => Promise<void>;
}

/** Streams an answer, and pays for what was written of it. Undefined if aborted. Throws `ModelError`. */
export async function paidAnswer(
  model: LanguageModel,
  request: ModelRequest,
  paying: Paying,
): Promise<ModelAnswer | undefined> {
  const { inputTokens, pay, hear, clock } = paying;
  const tally = new AnswerTally(request.signal, inputTokens);
  const begunAt = clock.now();
  let firstAt: number | undefined;
  let answer: ModelAnswer | undefined;
  try {
    for await (const event of model.stream(request)) {
      firstAt ??= clock.now();
      tally.hear(event);
      await hear?.(event);
      if (event.type === 'finish') {
        answer = event.answer;
        break;
      }
    }
  } catch (error) {
    const owed = tally.owed(error instanceof ModelError ? error.usage : undefined);
    const paid = await pay(owed);
    tellAsked(error instanceof ModelError ? error.fault : 'broken', paid ?? owed, { begunAt, firstAt }, paying);
    throw error;
  }
  const owed = tally.owed(answer?.usage);
  const usage = await pay(owed);
  tellAsked(answer === undefined ? 'stopped' : 'answered', usage ?? owed, { begunAt, firstAt }, paying);
  return answer && { ...answer, usage: usage ?? answer.usage };
}

function tellAsked(
  outcome: string,
  usage: ModelUsage | undefined,
  { begunAt, firstAt }: { readonly begunAt: number; readonly firstAt: number | undefined },
  { telemetry, clock, models, asked, runId = '', conversationId }: Paying,
): void {
  // A fallback may have answered.
  const { model = asked, inputTokens = 0, outputTokens = 0, cost = 0 } = usage ?? {};
  telemetry.tell({
    type: 'model_asked',
    runId,
    conversationId,
    model,
    ...models.sourceOf(model),
    outcome,
    duration: clock.now() - begunAt,
    firstPart: firstAt === undefined ? undefined : firstAt - begunAt,
    inputTokens,
    outputTokens,
    cost,
  });
}

/**
 * The usage of one answer, however it ends. Estimated where the provider reports none: an interrupted answer costs what
 * was written of it, and some servers never report usage. `signal`: of a person, or of the end of the process.
 */
class AnswerTally {
  readonly #signal: AbortSignal;
  readonly #inputTokens: number;
  readonly #calls = new Map<string, number>();
  #characters = 0;
  #hasBegun = false;

  constructor(signal: AbortSignal, inputTokens: number) {
    this.#signal = signal;
    this.#inputTokens = inputTokens;
  }

  hear(event: ModelEvent): void {
    this.#hasBegun = true;
    if (event.type === 'text' || event.type === 'reasoning') this.#characters += event.delta.length;
    if (event.type === 'partial-call') this.#calls.set(event.modelCallId, JSON.stringify(event.arguments).length);
  }

  /** The reported usage, or else an estimate. Undefined if nothing is owed. */
  owed(reported: ModelUsage | undefined): ModelUsage | undefined {
    const said = reported && inWholes(reported);
    // The offline model has no `model` name, and its zeros are real.
    const isSaid = said !== undefined && (said.inputTokens > 0 || said.outputTokens > 0 || said.model === undefined);
    if (isSaid) return said;
    // A request stopped before its answer began has been read by then. One that was refused or never sent is free.
    if (!this.#hasBegun && !this.#signal.aborted) return undefined;
    const written = [...this.#calls.values()].reduce((sum, length) => sum + length, this.#characters);
    const inputTokens = Math.ceil(this.#inputTokens);
    return { ...said, inputTokens, outputTokens: Math.ceil(written / charactersPerToken) };
  }
}

/** Servers may report anything. */
function inWholes(usage: ModelUsage): ModelUsage {
  const { inputTokens, cachedInputTokens, outputTokens, cost } = usage;
  return {
    ...usage,
    inputTokens: whole(inputTokens),
    cachedInputTokens: cachedInputTokens === undefined ? undefined : whole(cachedInputTokens),
    outputTokens: whole(outputTokens),
    cost: cost === undefined ? undefined : whole(cost),
  };
}

function whole(count: number): number {
  return Number.isFinite(count) ? Math.max(0, Math.ceil(count)) : 0;
}

const charactersPerToken = 3.5;

/**
 * Lets runs wait for a model that cannot answer now. The wait is stored: it survives a restart, /stop ends it, and new messages join
 * the run. A timer wakes the conversation for the next try.
 */
export interface ModelWaits {
  /** Continues the waits of an earlier process. */
  begin(): Promise<void>;
  stop(): void;
  /** Whether it is too early to ask. The timer may fire early if the clock was set back. */
  isWaiting(state: RunState): boolean;
  /**
   * False if the run has waited long enough, or the provider asks for more time than is left. A model that has not
   * answered in a month, or whose address is not known, is not waited for longer than a minute.
   */
  wait(state: RunState, run: RunOf, error: ModelError): Promise<boolean>;
  /** The model, waiting for itself where it breaks off in an answer that people see. */
  patient(state: RunState, model: LanguageModel, say: (draft: OutboxDraft) => Promise<void>): LanguageModel;
}

interface WaitParts extends Pick<Core, 'clock' | 'log' | 'deliver' | 'wake' | 'readerIn'> {
  readonly models: Pick<Models, 'defaultName'>;
}

interface WaitContext {
  readonly parts: WaitParts;
  readonly store: ModelWaitStore;
  /** How long a run waits at most, in ms. */
  readonly longest: () => number;
  /** Cancels the timer, by conversation. */
  readonly timers: Map<string, () => void>;
}

export function createModelWaits(parts: WaitParts, store: ModelWaitStore, longest: () => number): ModelWaits {
  const context: WaitContext = { parts, store, longest, timers: new Map() };
  return {
    begin: () => beginWaits(context),
    stop: () => stopWaits(context),
    isWaiting: (state) => isWaiting(state, parts.clock.now()),
    wait: (state, run, error) => waitForModel(state, run, error, context),
    patient: (state, model, say) => patientModel(state, model, say, context),
  };
}

async function beginWaits(context: WaitContext): Promise<void> {
  for (const { conversationId, retryAt } of await context.store.modelWaits())
    watchWait(conversationId, retryAt, context);
}

function stopWaits({ timers }: WaitContext): void {
  for (const cancel of timers.values()) cancel();
}

function watchWait(conversationId: string, at: number, { parts, timers }: WaitContext): void {
  const { clock, wake } = parts;
  timers.get(conversationId)?.();
  const cancel = clock.after(Math.max(0, at - clock.now()), () => {
    timers.delete(conversationId);
    wake([conversationId]);
  });
  timers.set(conversationId, cancel);
}

function isWaiting({ wait }: RunState, now: number): boolean {
  return wait !== undefined && wait.at <= now && now < wait.retryAt;
}

async function waitForModel(state: RunState, run: RunOf, error: ModelError, context: WaitContext): Promise<boolean> {
  if (error.fault !== 'transient') return false;
  const { parts, store, longest } = context;
  const { clock, log, deliver, readerIn, models } = parts;
  const { conversationId, newestTurn: after, model = models.defaultName } = state;
  const { retryAfter = 0 } = error;
  const at = clock.now();
  const number = state.wait?.number ?? 0;
  const isNew = number === 0 && (error.isDoubtful || !(await store.hasAnswered(model, dayOf(at - longestMemory))));
  const patience = isNew ? Math.min(longest(), longestDoubt) : longest();
  const until = Math.min(state.wait?.until ?? Number.POSITIVE_INFINITY, at + patience);
  if (at >= until || at + retryAfter > until) return false;
  const pause = Math.max(Math.min(longestPause, firstPause * 2 ** number), retryAfter);
  const retryAt = Math.min(until, at + pause);
  const root = shownIn(state);
  const messages = number === 0 ? [quietNoticeIn(root, waitWords(error, until, readerIn(root)))] : [];
  if (number === 0)
    log.warn({ conversation: conversationId, model, reason: error.wordsIn('en') }, 'a run waits for its model');
  await store.waitForModel({ conversationId, after, ...run, number: number + 1, retryAt, until, messages, at });
  watchWait(conversationId, retryAt, context);
  deliver([root]);
  return true;
}

function patientModel(
  state: RunState,
  model: LanguageModel,
  say: (draft: OutboxDraft) => Promise<void>,
  { parts, longest }: WaitContext,
): LanguageModel {
  const { clock, log, readerIn } = parts;
  const { conversationId: conversation, subRun } = state;
  return withPatience(model, {
    clock,
    longest,
    async waiting(error, until) {
      log.warn({ conversation, reason: error.wordsIn('en') }, 'an answer broke off, and waits for its model');
      if (subRun === undefined) await say(quietNoticeIn(conversation, waitWords(error, until, readerIn(conversation))));
    },
  });
}

function waitWords({ wordsIn }: ModelError, until: number, reader: Reader): string {
  return engineWords[reader.language].waitsForModel({ why: escapeMarkdown(wordsIn(reader.language)), until, reader });
}

function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

/** A model that has not answered for so long counts as new, in ms. */
const longestMemory = 30 * 86_400_000;

/** How long something that may never work is waited for, in ms. */
const longestDoubt = 60_000;
