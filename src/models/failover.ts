import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { InLanguage } from '../lib/words.ts';
import { isEmptyAnswer, type LanguageModel, ModelError, type ModelEvent, type ModelRequest } from './language-model.ts';
import { attempts, withoutPictures } from './retry.ts';
import { modelWords } from './words.ts';

/** A model and its name in the config. */
interface Candidate {
  readonly name: string;
  readonly model: LanguageModel;
}

/**
 * Puts fallbacks behind a model. The next one is asked when a model is unavailable, refuses the request, finds it too long
 * though it cannot be shortened, or gives an empty answer, as long as no text was shown. A model that is unavailable rests
 * for a while: it is then asked last, in every chain. If all fail, throws the failure of the first.
 */
export function createFailover(clock: Clock, log: Log): Failover {
  const context: FailoverContext = { rests: new Rests(clock), log };
  return (first, fallbacks) => modelOf({ first, fallbacks }, context);
}

/** A model with those that are asked when it cannot answer. */
export type Failover = (first: Candidate, fallbacks: readonly Candidate[]) => LanguageModel;

/** A model with those that stand in for it. */
interface Chain {
  readonly first: Candidate;
  readonly fallbacks: readonly Candidate[];
}

interface FailoverContext {
  readonly rests: Rests;
  readonly log: Log;
}

function modelOf(chain: Chain, context: FailoverContext): LanguageModel {
  const { model } = chain.first;
  const now = (): LanguageModel => (inOrder(chain, {}, context)[0] ?? chain.first).model;
  return {
    label: model.label,
    get seesImages() {
      return model.seesImages;
    },
    hasFallback: true,
    ownAbilities: () => model.abilities?.() ?? {},
    abilities: () => now().abilities?.() ?? {},
    ready: async (signal) => now().ready?.(signal),
    stream: (request) => answerOfChain(request, chain, context),
  };
}

function answerOfChain(request: ModelRequest, chain: Chain, context: FailoverContext): AsyncGenerator<ModelEvent> {
  const { first, fallbacks } = chain;
  const waiting = [...inOrder(chain, request, context)];
  const failures = new Map<Candidate, ModelError>();
  const askNext = (candidate: Candidate): AsyncGenerator<ModelEvent> =>
    (candidate === first ? ask : askStandIn)(candidate, { request, isLast: waiting.length === 0 }, context);
  let asked = waiting.shift() ?? first;
  return attempts(request.signal, askNext(asked), (error, { isShown }) => {
    const mayOther = error.fault !== 'too-long' || request.isShortest === true;
    if (isShown || !mayOther) throw asked === first ? error : byStandIn(error, asked.model.label);
    if (isOfModel(error)) context.rests.begin(asked, error.retryAfter);
    failures.set(asked, error);
    const { fault } = error;
    context.log.warn({ model: asked.name, fault }, 'a model cannot answer; the next one is asked, if there is one');
    const next = waiting.shift();
    if (next === undefined) throw allFailed(failures.get(first) ?? error, fallbacks, [...failures.values()]);
    asked = next;
    return askNext(asked);
  });
}

interface Asked {
  readonly request: ModelRequest;
  readonly isLast: boolean;
}

async function* ask(
  { name, model }: Candidate,
  { request, isLast }: Asked,
  { rests }: FailoverContext,
): AsyncGenerator<ModelEvent> {
  for await (const event of model.stream(asSeenBy(model, request))) {
    if (!isLast && event.type === 'finish' && isEmptyAnswer(event.answer))
      throw new ModelError('permanent', (language) => modelWords[language].nothingSaid, {
        usage: event.answer.usage,
      });
    // Nobody may read on behind it.
    if (event.type === 'finish') rests.end(name);
    yield event;
  }
}

/** Like `ask`. Throws `too-long` where the stand-in's window is smaller than the request, which may be shortened. */
async function* askStandIn(standIn: Candidate, asked: Asked, context: FailoverContext): AsyncGenerator<ModelEvent> {
  const { model } = standIn;
  const { signal, size = 0, isShortest = false } = asked.request;
  await model.ready?.(signal);
  const { window = Number.POSITIVE_INFINITY } = model.abilities?.() ?? {};
  if (size > window && !isShortest)
    throw new ModelError('too-long', (language) => modelWords[language].tooLongFor(model), { window });
  yield* ask(standIn, asked, context);
}

/** Those that may take the request, in the order in which they are asked. All of them, if none may. */
function inOrder(
  { first, fallbacks }: Chain,
  { tooLongFor = [] }: Partial<ModelRequest>,
  { rests }: FailoverContext,
): readonly Candidate[] {
  const candidates = [first, ...fallbacks];
  const able = candidates.filter(({ model }) => !tooLongFor.includes(model.label));
  return (able.length === 0 ? candidates : able).toSorted(
    (one, other) => Number(rests.has(one)) - Number(rests.has(other)),
  );
}

/** The models that rest, by name. */
class Rests {
  readonly #clock: Clock;
  readonly #rests = new Map<string, { readonly until: number; readonly failures: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has({ name }: Candidate): boolean {
    return (this.#rests.get(name)?.until ?? 0) > this.#clock.now();
  }

  /** Rests at least as long as the provider asks, up to the maximum. */
  begin({ name }: Candidate, retryAfter = 0): void {
    const failures = (this.#rests.get(name)?.failures ?? 0) + 1;
    const time = Math.min(longestRest, Math.max(firstRest * 2 ** (failures - 1), retryAfter));
    this.#rests.set(name, { until: this.#clock.now() + time, failures });
  }

  end(name: string): void {
    this.#rests.delete(name);
  }
}

/** How long a model rests after a failure, in ms: doubled with each further failure. */
const firstRest = 30_000;
const longestRest = 600_000;

function asSeenBy(model: LanguageModel, request: ModelRequest): ModelRequest {
  return model.seesImages ? request : withoutPictures(request, unseen);
}

const unseen = "[the pictures are not below after all: you can't see any]";

/** Whether the model or the connection to it failed, not just this request. */
function isOfModel({ fault }: ModelError): boolean {
  return fault === 'transient' || fault === 'faulty' || fault === 'auth' || fault === 'unavailable';
}

/** A fallback may accept less than the first model: its `too-long` says nothing about the first. */
function byStandIn(error: ModelError, standIn: string): ModelError {
  if (error.fault !== 'too-long') return error;
  const { usage, window, size } = error;
  return new ModelError(error.fault, error.saidIn, { cause: error, standIn, usage, window, size });
}

/** Reports the transient failure that can be retried soonest, in the words of the first model's. */
function allFailed(failure: ModelError, fallbacks: readonly Candidate[], failures: readonly ModelError[]): ModelError {
  const [soonest = failure] = failures
    .filter(({ fault }) => fault === 'transient')
    .toSorted((one, other) => (one.retryAfter ?? 0) - (other.retryAfter ?? 0));
  const names = fallbacks.map(({ name }) => name);
  const words: InLanguage = (language) =>
    modelWords[language].noneCanAnswer({ failure: failure.saidIn(language), names });
  const { fault, retryAfter } = soonest;
  return new ModelError(fault, words, { cause: failure, usage: failure.usage, retryAfter });
}
