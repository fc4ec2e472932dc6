/*
 * One turn: asks the model once, and stores the answer with everything that follows from it (calls with verdicts, the
 * reply, the cards) in one transaction; or stores nothing if the conversation was stopped or has something newer. A request
 * that shows nothing yet is dropped when the person writes more; `Activity` tells of that. Costs are stored either way.
 */

import { sleep, untilAborted } from '../lib/clock.ts';
import type { CrashPoint } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import { isEmptyAnswer, type ModelAnswer, ModelError, type ModelUsage } from '../models/language-model.ts';
import { type CallState, type DaemonEvent, type UserMessage, unseen } from '../transcript.ts';
import { withEnding } from '../words/answer-ending.ts';
import { askModel, type ModelWaits } from './ask.ts';
import type { Approvals } from './decide.ts';
import { isPersonsWish, type JudgedCall, type LiveTurn, type RunScope, type Runtime, superseded } from './feature.ts';
import type { CallDraft, RunState, TurnDraft } from './journal.ts';
import { type BegunCall, draftCalls } from './judge.ts';
import type { OutboxDraft } from './message.ts';
import { type Ask, isAskedByVoice, messageIdsOf } from './next.ts';
import { asAnswer } from './request.ts';

/** How a run is told to end. */
export interface RunSignals {
  /** Aborts everything. */
  readonly signal: AbortSignal;
  /** Aborts the model's answer, which can be asked for again, but lets tools finish. */
  readonly ending: AbortSignal;
  /** What people say there meanwhile. */
  readonly activity: Activity;
}

/** What may end a request early. */
interface TurnSignals {
  readonly signal: AbortSignal;
  readonly activity: Activity;
  /** Called on each sign of life from the model. */
  readonly heard?: () => void;
}

/**
 * The outcome. `empty`: no text and no calls · `outdated`: the question has changed · `silent`: the model said nothing for
 * too long.
 */
export type TurnOutcome =
  | { readonly type: 'stored'; readonly callCount: number; readonly begun: readonly BegunCall[] }
  | { readonly type: 'outdated' | 'aborted' | 'silent' }
  /** `thoughts`: what the model thought before: `none`, `whole`, or `cut` at its limit of tokens. */
  | { readonly type: 'empty'; readonly thoughts: 'none' | 'whole' | 'cut' }
  /** No answer. `isHeard`: the model had begun one. */
  | {
      readonly type: 'failed';
      readonly error: ModelError;
      readonly isHeard: boolean;
      readonly said?: Said | undefined;
    };

/** The part of an interrupted answer that people saw, and the message that shows it. */
export interface Said {
  readonly text: string;
  readonly reply: OutboxDraft;
}

/** What turns are taken with. */
export interface TurnContext {
  readonly runtime: Runtime;
  readonly approvals: Approvals;
  readonly modelWaits: ModelWaits;
}

/** What is asked, and where. */
export interface TurnQuestion {
  readonly state: RunState;
  readonly ask: Ask;
  readonly where: RunScope;
}

/** A turn in progress. */
interface TurnWork extends TurnQuestion {
  readonly signal: AbortSignal;
  /** What the model has not read before. */
  readonly news: readonly (UserMessage | DaemonEvent)[];
  /** The message that it replies to. */
  readonly replyTo: string | undefined;
  /** The model's name in the config. */
  readonly asked: string;
  readonly live: LiveTurn;
}

/** Asks the model once, and stores its answer with everything that follows from it in one transaction. */
export async function takeTurn(
  question: TurnQuestion,
  { signal, activity, heard }: TurnSignals,
  context: TurnContext,
): Promise<TurnOutcome> {
  const { runtime, modelWaits } = context;
  const { models, budget, view } = runtime;
  if (await waitForQuiet(activity, signal, runtime)) return { type: 'outdated' };
  runtime.crashPoint?.('run-begun');
  const { state, ask, where } = question;
  const news = unseen(state.transcript);
  // In a group, an answer replies to the message it answers.
  const replyTo = state.conversation.kind === 'group' ? messageIdsOf(state, ask).at(-1) : undefined;
  const isHidden = where.withoutLinks !== undefined;
  const live = view.openTurn(where.scope, runtime.callTools, { replyTo, isHidden });
  const asked = state.model ?? models.defaultName;
  const work: TurnWork = { state, ask, where, signal, news, replyTo, asked, live };
  const change = new ChangeWatch(work, activity, runtime);
  let unpaid: ModelUsage | undefined;
  let isStored = false;
  let isHeard = false;
  try {
    const request = {
      state,
      ask,
      scope: where.scope,
      model: modelWaits.patient(state, models.of(state.model), runtime.say),
      signal: AbortSignal.any([signal, change.signal]),
      heard: (): void => {
        isHeard = true;
        heard?.();
      },
    };
    const answer = await askModel(request, {
      ...runtime,
      context: runtime.context,
      asked,
      live,
      language: runtime.readerIn(state.conversationId).language,
      begins: (inputTokens) => budget.begin(state, ask.run, asked, inputTokens),
      owes: (usage) => {
        unpaid = budget.note(state, asked, usage);
        return unpaid;
      },
    });
    live.complete();
    if (change.signal.aborted) return { type: 'outdated' };
    if (answer === undefined || signal.aborted) return await givenUp(work, runtime);
    if (isEmptyAnswer(answer)) return emptyOutcome(answer);
    const outcome = await storeAnswer(answer, work, context);
    isStored = outcome.type === 'stored';
    return outcome;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    const said = interrupted(work, runtime);
    if (said !== undefined) live.keep();
    return { type: 'failed', error, isHeard, said };
  } finally {
    change.end();
    const isLeft = signal.aborted && !isPersonsWish(signal.reason);
    await live.end(isLeft ? 'left' : 'given-up');
    if (!isStored) await budget.pay(state, ask.run, asked, unpaid);
  }
}

/** Waits for the end of a burst of messages. Resolves with whether there was one. */
async function waitForQuiet(
  activity: Activity,
  signal: AbortSignal,
  { clock, settings }: Pick<Runtime, 'clock' | 'settings'>,
): Promise<boolean> {
  const isWriting = settings.burst > 0 && activity.quietAt > clock.now();
  while (isWriting && activity.quietAt > clock.now() && !signal.aborted) {
    await sleep(clock, activity.quietAt - clock.now(), signal);
  }
  return isWriting;
}

/**
 * Aborts when the person changes what is being answered; or when they write more soon after the first request, before
 * any of the answer was shown and before anybody else spoke. Waits for the end of a burst.
 */
class ChangeWatch {
  readonly #work: Pick<TurnWork, 'ask' | 'live'>;
  readonly #activity: Activity;
  readonly #runtime: Pick<Runtime, 'clock' | 'settings'>;
  readonly #controller = new AbortController();
  readonly #firstAskedAt: number;
  readonly #unlisten: () => void;
  /** Nobody else spoke. */
  #isAlone: boolean;
  #cancel = (): void => {};

  constructor(
    work: Pick<TurnWork, 'state' | 'ask' | 'live' | 'news'>,
    activity: Activity,
    runtime: Pick<Runtime, 'clock' | 'settings'>,
  ) {
    const { run, seenSeq } = work.ask;
    this.#work = work;
    this.#activity = activity;
    this.#runtime = runtime;
    this.#firstAskedAt = activity.firstAsked(work.state.newestTurn, run.principal, runtime.clock.now());
    this.#isAlone = work.news.every(({ seq }) => seq <= seenSeq);
    this.#unlisten = activity.listen((principal, speech) => this.#hear(principal, speech));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  end(): void {
    this.#cancel();
    this.#unlisten();
  }

  #hear(principal: string, speech: Speech): void {
    const { run, seenSeq } = this.#work.ask;
    const { clock, settings } = this.#runtime;
    if (speech.type === 'changed') {
      // A message outside this request waits for its turn.
      if (principal === run.principal && speech.seq <= seenSeq) this.#controller.abort(superseded);
      return;
    }
    this.#isAlone &&= principal === run.principal;
    if (clock.now() - this.#firstAskedAt >= settings.burst) return;
    this.#cancel();
    const { quietAt } = this.#activity;
    if (speech.type === 'said' && quietAt > clock.now())
      this.#cancel = clock.after(quietAt - clock.now(), () => this.#restart());
    else this.#restart();
  }

  #restart(): void {
    if (this.#isAlone && !this.#work.live.hasBegun) this.#controller.abort(superseded);
  }
}

async function storeAnswer(
  answer: ModelAnswer,
  work: TurnWork,
  { runtime, approvals }: TurnContext,
): Promise<TurnOutcome> {
  const { state, ask, where, signal, live, asked } = work;
  const { conversationId, subRun, newestTurn: after } = state;
  const { runs, budget, clock, crashPoint, deliver } = runtime;
  const drafting = { runId: ask.run.runId, takeId: live.takeId, signal };
  // Tools describe their calls, which may take time.
  const drafted = await untilAborted(draftCalls(answer.parts, drafting, { runtime, approvals, where }), signal);
  if (drafted === undefined || signal.aborted) return givenUp(work, runtime);
  const { parts, calls, messages, begun } = drafted;
  // Where a call was cut, its tool tells the model, and nobody else needs to know.
  const ending = parts.at(-1)?.type === 'call' ? undefined : answer.ending;
  const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const hasReply = (text.trim() !== '' || ending !== undefined) && subRun === undefined;
  const shown = asAnswer(text, where);
  const { language } = runtime.readerIn(conversationId);
  const markdown = ending === undefined ? shown : withEnding(shown, ending, language);
  // After calls, the answer is yet to come.
  const reply = replyOf({ id: live.said?.id ?? newId(20), markdown, isSilent: calls.length > 0 || undefined }, work);
  const read = work.news.filter((entry) => entry.type === 'user' && entry.seq <= ask.seenSeq);
  const draft: TurnDraft = {
    conversationId,
    countedIn: subRun?.rootId,
    after,
    ...ask.run,
    seenSeq: ask.seenSeq,
    read: read[0] && { from: read[0].seq, count: read.length },
    parts,
    ending,
    calls,
    messages: [...(hasReply ? [reply] : []), ...messages],
    usage: answer.usage,
    model: answer.usage.model ?? asked,
    day: budget.today(),
    at: clock.now(),
  };
  if ((await runs.storeTurn(draft)) === 'outdated')
    return signal.aborted ? givenUp(work, runtime) : { type: 'outdated' };
  if (hasReply) live.keep();
  live.stored(calls.map(({ id: callId, name: toolName, state }) => ({ callId, toolName, fate: fateOf[state] })));
  crashPoint?.(crashPointOf(calls));
  deliver([conversationId, ...calls.flatMap(({ approval }) => approval?.approval.cardConversationIds ?? [])]);
  if (hasReply && calls.length === 0) tellAnswered(reply.message.id, text, work, runtime);
  return { type: 'stored', callCount: calls.length, begun };
}

function tellAnswered(messageId: string, markdown: string, { state, ask }: TurnQuestion, runtime: Runtime): void {
  const { conversationId, conversation } = state;
  const byVoice = isAskedByVoice(state, ask);
  runtime.answered({ conversationId, conversation, messageId, markdown, isAskedByVoice: byVoice });
}

/** What people have read stays, even if they stopped it. */
async function givenUp(work: TurnWork, runtime: Runtime): Promise<TurnOutcome> {
  const { runs, clock, deliver } = runtime;
  const { state, signal, live } = work;
  const { conversationId, newestTurn: after } = state;
  const said = isPersonsWish(signal.reason) ? interrupted(work, runtime) : undefined;
  if (said === undefined) return { type: 'aborted' };
  const draft = { conversationId, after, said: said.text, messages: [said.reply], at: clock.now() };
  if (await runs.keepSaid(draft)) {
    live.keep();
    deliver([conversationId]);
  }
  return { type: 'aborted' };
}

function interrupted(work: TurnWork, { readerIn }: Pick<Runtime, 'readerIn'>): Said | undefined {
  const { said } = work.live;
  if (said === undefined) return undefined;
  const { language } = readerIn(work.state.conversationId);
  const markdown = withEnding(said.text, 'interrupted', language);
  // What has ended it says so aloud.
  return { text: said.text, reply: replyOf({ id: said.id, markdown, isSilent: true }, work) };
}

function replyOf(said: Pick<OutboxDraft['message'], 'id' | 'markdown' | 'isSilent'>, work: TurnWork): OutboxDraft {
  return { conversationId: work.state.conversationId, message: { ...said, kind: 'reply', replyTo: work.replyTo } };
}

function emptyOutcome({ ending, parts }: ModelAnswer): TurnOutcome {
  const hasThoughts = parts.some(({ type }) => type === 'reasoning');
  return { type: 'empty', thoughts: !hasThoughts ? 'none' : ending === 'cut' ? 'cut' : 'whole' };
}

/** What people are shown of a call by its state. */
export const fateOf: Readonly<Record<CallState, JudgedCall['fate']>> = {
  ready: 'runs',
  begun: 'runs',
  awaiting: 'asks',
  done: 'refused',
};

function crashPointOf(calls: readonly CallDraft[]): CrashPoint {
  if (calls.some((call) => call.state === 'awaiting')) return 'approval-open';
  return calls.length === 0 ? 'reply-stored' : 'turn-stored';
}

/** A person said something, or changed or took back something unanswered. */
export type Speech =
  | { readonly type: 'said' | 'taken-back' }
  /** `seq`: where the message was before. */
  | { readonly type: 'changed'; readonly seq: number };

type ActivityListener = (principal: string, speech: Speech) => void;

/** A message within this time of the last one may belong to a burst, in ms, if that one is not answered yet. */
const burstGap = 2_000;
/** A burst ends after half as long again as the gap between its last two messages, within these bounds in ms, */
const shortestQuiet = 400;
const longestQuiet = 1_200;
/** or after this. */
const longestBurst = 3_000;

/** What people say in a conversation while it is being answered: tells listeners, and knows when a burst ends. */
export class Activity {
  readonly #listeners = new Set<ActivityListener>();
  #asked: { readonly after: number; readonly at: number } | undefined;
  #burstAt = 0;
  /** When somebody last said something. */
  #lastAt: number | undefined;
  #quietAt = 0;
  /** The last speaker. */
  #speaker: string | undefined;

  /** Whether a message now would be no part of the last burst. */
  isOver(now: number): boolean {
    return this.#lastAt === undefined || Math.abs(now - this.#lastAt) >= burstGap;
  }

  /** When the current burst ends; in the past if there is none. */
  get quietAt(): number {
    return this.#quietAt;
  }

  /** When the model was first asked for this turn and person, however often the request was restarted. */
  firstAsked(after: number, principal: string, now: number): number {
    this.#speaker ??= principal;
    if (this.#asked?.after !== after) this.#asked = { after, at: now };
    return this.#asked.at;
  }

  /** Returns a function that ends listening. */
  listen(listener: ActivityListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `isAnswered`: no earlier message waits for an answer. */
  tell(principal: string, speech: Speech, now: number, isAnswered: boolean): void {
    if (speech.type === 'said') this.#count(principal, now, isAnswered);
    for (const listener of [...this.#listeners]) listener(principal, speech);
  }

  /** A message opens a burst only behind one of the same person that still waits for its answer. */
  #count(principal: string, now: number, isAnswered: boolean): void {
    const isSame = (this.#speaker ?? principal) === principal;
    this.#speaker = principal;
    if (!isSame || isAnswered || this.#lastAt === undefined || this.isOver(now)) {
      this.#burstAt = now;
      this.#quietAt = now;
    } else {
      const quiet = Math.max(shortestQuiet, Math.min(longestQuiet, 1.5 * (now - this.#lastAt)));
      this.#quietAt = Math.min(now + quiet, this.#burstAt + longestBurst);
    }
    this.#lastAt = now;
  }
}
