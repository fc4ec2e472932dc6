/*
 * One turn: the model is asked once, and its answer is stored with everything that follows from it (its calls with
 * their verdicts, the reply, the cards) in one transaction, or not at all, if the conversation has been stopped or
 * something newer is there. A request that shows nothing yet is given up when the person says more; `News` tells of that.
 * What was paid for is written down, whether the answer is kept or not.
 */

import { sleep } from '../lib/clock.ts';
import type { CrashPoint } from '../lib/crash-points.ts';
import { newId } from '../lib/ids.ts';
import { type ModelAnswer, ModelError, type ModelUsage } from '../models/language-model.ts';
import { unseen } from '../transcript.ts';
import { askModel } from './ask.ts';
import { isPersonsWish, type JudgedCall, type LiveTurn, type RunScope, type Runtime, superseded } from './feature.ts';
import type { CallDraft, RunState, TurnDraft } from './journal.ts';
import type { BegunCall, CallJudge } from './judge.ts';
import type { OutboxDraft } from './message.ts';
import { type Ask, messageIdsOf } from './next.ts';

/** How a run is told to end: at once, or before it begins something new. */
export interface RunSignals {
  /** Aborts what is being done. */
  readonly signal: AbortSignal;
  /** Aborts a model's answer, which can be asked for again, but lets a tool end. */
  readonly ending: AbortSignal;
  /** What is said in the conversation meanwhile. */
  readonly news: News;
}

/** What may end a request early. */
export interface TurnSignals {
  readonly signal: AbortSignal;
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
  | { readonly type: 'outdated' | 'aborted' | 'empty' | 'silent' }
  /** There is no answer. `isHeard`: the model had begun to give one. */
  | {
      readonly type: 'failed';
      readonly error: ModelError;
      readonly isHeard: boolean;
      readonly said?: Said | undefined;
    };

/** What people had seen of an answer that broke off, and the message that shows it. */
export interface Said {
  readonly text: string;
  readonly reply: OutboxDraft;
}

export type TakeTurn = ReturnType<typeof createTurns>;

/** Asks the model once, and stores its answer with everything that follows from it in one transaction. */
export function createTurns(runtime: Runtime, judge: CallJudge) {
  const { runs, models, budget, context, view, clock, crashPoint, settings } = runtime;

  return async function takeTurn(
    state: RunState,
    ask: Ask,
    where: RunScope,
    { signal, news, heard }: TurnSignals,
  ): Promise<TurnOutcome> {
    if (await waitForQuiet(news, signal)) return { type: 'outdated' };
    crashPoint('run-begun');
    const live = view.openTurn(where.scope, runtime.callTools, {
      ...answering(state, ask),
      isHidden: where.withoutLinks !== undefined,
    });
    const change = whileUnchanged(state, ask, live, news);
    const asked = state.model ?? models.defaultName;
    let unpaid: ModelUsage | undefined;
    let isStored = false;
    let isHeard = false;
    try {
      const question = {
        ...{ state, ask, scope: where.scope, model: models.of(state.model) },
        signal: AbortSignal.any([signal, change.signal]),
        heard: (): void => {
          isHeard = true;
          heard?.();
        },
      };
      const answer = await askModel(question, {
        ...{ context, asked, live },
        begins: (inputTokens) => budget.begin(state, ask.run, asked, inputTokens),
        owes: (usage) => {
          unpaid = budget.note(asked, usage);
          return unpaid;
        },
      });
      live.complete();
      if (change.signal.aborted) return { type: 'outdated' };
      if (answer === undefined || signal.aborted) return await givenUp(state, ask, live, signal);
      if (isEmpty(answer)) return { type: 'empty' };
      const outcome = await store(state, ask, answer, where, live, signal);
      isStored = outcome.type === 'stored';
      return outcome;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      const said = interrupted(state, ask, live);
      if (said !== undefined) live.keep();
      return { type: 'failed', error, isHeard, said };
    } finally {
      change.end();
      const isLeft = signal.aborted && !isPersonsWish(signal.reason);
      await live.end(isLeft ? 'left' : 'given-up');
      if (!isStored && unpaid !== undefined) await budget.spend(state, ask.run, asked, unpaid);
      else if (!isStored) await budget.free(state);
    }
  };

  async function store(
    state: RunState,
    ask: Ask,
    answer: ModelAnswer,
    where: RunScope,
    live: LiveTurn,
    signal: AbortSignal,
  ): Promise<TurnOutcome> {
    const { conversationId, subRun, newestTurn: after } = state;
    const drafting = { takeId: live.takeId, signal };
    // Tools are asked what they would do, which may take its time.
    const drafted = await unlessAborted(judge.draftCalls(answer.parts, ask.run.runId, where, drafting), signal);
    if (drafted === undefined) return givenUp(state, ask, live, signal);
    const { parts, calls, messages, begun } = drafted;
    const text = answer.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const hasReply = text.trim() !== '' && subRun === undefined;
    const shown = unlikeCard(where.withoutLinks?.(text) ?? text);
    const reply = replyOf(state, ask, { id: live.said?.id ?? newId(20), text: shown });
    const draft: TurnDraft = {
      ...{ conversationId, countedIn: subRun?.rootId, after },
      ...ask.run,
      ...{ seenSeq: ask.seenSeq, read: readBy(state, ask) },
      ...{ parts, calls, messages: [...(hasReply ? [reply] : []), ...messages] },
      usage: answer.usage,
      model: answer.usage.model ?? state.model ?? models.defaultName,
      day: budget.today(),
      at: clock.now(),
    };
    if ((await runs.storeTurn(draft)) === 'outdated')
      return signal.aborted ? givenUp(state, ask, live, signal) : { type: 'outdated' };
    if (hasReply) live.keep();
    live.stored(calls.map(judgedCall));
    crashPoint(crashPointOf(calls));
    view.deliver([conversationId, ...calls.flatMap(({ approval }) => approval?.approval.places ?? [])]);
    return { type: 'stored', callCount: calls.length, begun };
  }

  /** What people have read stays, though they wanted no more of it. */
  async function givenUp(state: RunState, ask: Ask, live: LiveTurn, signal: AbortSignal): Promise<TurnOutcome> {
    const said = isPersonsWish(signal.reason) ? interrupted(state, ask, live) : undefined;
    if (said === undefined) return { type: 'aborted' };
    const { conversationId, newestTurn: after } = state;
    const draft = { conversationId, after, said: said.text, messages: [said.reply], at: clock.now() };
    if (await runs.keepSaid(draft)) {
      live.keep();
      view.deliver([conversationId]);
    }
    return { type: 'aborted' };
  }

  /** Waits for somebody who writes several messages in a row. Resolves with whether they did. */
  async function waitForQuiet(news: News, signal: AbortSignal): Promise<boolean> {
    const isWriting = settings.burst > 0 && news.quietAt > clock.now();
    while (isWriting && news.quietAt > clock.now() && !signal.aborted) {
      await sleep(clock, news.quietAt - clock.now(), signal);
    }
    return isWriting;
  }

  /**
   * Aborts when the person of the run changes what is being answered; or when they have said more soon after the first
   * request, nothing of an answer has come yet, and nobody else has spoken in between. Several messages in a row are
   * waited for.
   */
  function whileUnchanged(
    { transcript, newestTurn }: RunState,
    { run, seenSeq }: Ask,
    live: LiveTurn,
    news: News,
  ): { readonly signal: AbortSignal; readonly end: () => void } {
    const begun = news.firstAsked(newestTurn, run.principal, clock.now());
    const controller = new AbortController();
    let isAlone = unseen(transcript).every(({ seq }) => seq <= seenSeq);
    let cancel = (): void => {};
    const begin = (): void => {
      if (isAlone && !live.hasBegun) controller.abort(superseded);
    };
    const unlisten = news.listen((principal, doing) => {
      if (doing.type === 'changed') {
        // What the model was not asked about waits for its turn.
        if (principal === run.principal && doing.seq <= seenSeq) controller.abort(superseded);
        return;
      }
      isAlone &&= principal === run.principal;
      if (clock.now() - begun >= settings.burst) return;
      cancel();
      if (doing.type === 'said' && news.quietAt > clock.now()) cancel = clock.after(news.quietAt - clock.now(), begin);
      else begin();
    });
    const end = (): void => {
      cancel();
      unlisten();
    };
    return { signal: controller.signal, end };
  }
}

/** Undefined if the signal aborts before that has ended: then nobody waits for it. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const aborted = Promise.withResolvers<undefined>();
  const end = (): void => aborted.resolve(undefined);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  try {
    const result = await Promise.race([work, aborted.promise]);
    return signal.aborted ? undefined : result;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function interrupted(state: RunState, ask: Ask, { said }: LiveTurn): Said | undefined {
  if (said === undefined) return undefined;
  const { id, text } = said;
  return { text, reply: replyOf(state, ask, { id, text: `${text.trimEnd()}\n\n*(interrupted)*` }) };
}

function replyOf(state: RunState, ask: Ask, { id, text }: { readonly id: string; readonly text: string }): OutboxDraft {
  const { conversationId } = state;
  return { conversationId, message: { id, kind: 'reply', markdown: text, ...answering(state, ask) } };
}

/** What the model writes is not to look like what Keyturn asks. */
function unlikeCard(markdown: string): string {
  return markdown.replace(/^([ \t]*)(?=🔑|⏸️)/gmu, '$1💬 ');
}

/** Where several people talk, an answer says which message it answers. */
function answering(state: RunState, ask: Ask): { readonly replyTo?: string | undefined } {
  return { replyTo: state.conversation.kind === 'group' ? messageIdsOf(state, ask).at(-1) : undefined };
}

/** Which messages nobody has answered before. */
function readBy({ transcript }: RunState, { seenSeq }: Ask): TurnDraft['read'] {
  const read = unseen(transcript).filter((entry) => entry.type === 'user' && entry.seq <= seenSeq);
  const [first] = read;
  return first && { from: first.seq, count: read.length };
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

function crashPointOf(calls: readonly CallDraft[]): CrashPoint {
  if (calls.some((call) => call.state === 'awaiting')) return 'approval-open';
  return calls.length === 0 ? 'reply-stored' : 'turn-stored';
}

/** A person has said something, or has changed or taken back what nobody has answered yet. */
export type Doing =
  | { readonly type: 'said' | 'taken-back' }
  /** `seq`: where the message stood before. */
  | { readonly type: 'changed'; readonly seq: number };

/** Told what a person has done. */
type NewsListener = (principal: string, doing: Doing) => void;

/** A message that comes so soon after the one before is one of a burst, in milliseconds. */
const burstGap = 2_000;
/** Nobody reads an answer and writes the next message in less than that, in milliseconds: a program waits for nothing. */
const fastest = 200;
/** A burst is over when nothing has come for half as long again as between its last two messages, within these bounds, */
const shortestQuiet = 400;
const longestQuiet = 1_200;
/** or after that. */
const longestBurst = 3_000;

/** Tells those who write an answer in a conversation that more was said there. Nothing is kept for later listeners. */
export class News {
  readonly #listeners = new Set<NewsListener>();
  #asked: { readonly after: number; readonly at: number } | undefined;
  #burstAt: number;
  #lastAt: number;
  #quietAt = 0;
  /** The person who has spoken last. */
  #speaker: string | undefined;

  /** A run begins now, because of what somebody has said. */
  constructor(now: number, speaker?: string) {
    this.#lastAt = now;
    this.#burstAt = now;
    this.#speaker = speaker;
  }

  /** What comes now is no burst with what was said last. */
  isOver(now: number): boolean {
    return Math.abs(now - this.#lastAt) >= burstGap;
  }

  /** When somebody who writes several messages in a row seems to have done so; in the past if nobody does. */
  get quietAt(): number {
    return this.#quietAt;
  }

  /** When the model was first asked for what follows this turn, for that person, however often that was begun again. */
  firstAsked(after: number, principal: string, now: number): number {
    this.#speaker ??= principal;
    if (this.#asked?.after !== after) this.#asked = { after, at: now };
    return this.#asked.at;
  }

  /** Listens until the returned function is called. */
  listen(listener: NewsListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `isAnswered`: nothing that was said before waits for an answer. */
  tell(principal: string, doing: Doing, now: number, isAnswered: boolean): void {
    if (doing.type === 'said') this.#count(principal, now, isAnswered);
    for (const listener of [...this.#listeners]) listener(principal, doing);
  }

  #count(principal: string, now: number, isAnswered: boolean): void {
    const isSame = (this.#speaker ?? principal) === principal;
    this.#speaker = principal;
    const isProgram = isAnswered && now - this.#lastAt < fastest;
    if (isSame && !isProgram && !this.isOver(now)) {
      const quiet = Math.max(shortestQuiet, Math.min(longestQuiet, 1.5 * (now - this.#lastAt)));
      this.#quietAt = Math.min(now + quiet, this.#burstAt + longestBurst);
    } else this.#burstAt = now;
    this.#lastAt = now;
  }
}
