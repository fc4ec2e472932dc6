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
export function createFailover(clock: Clock, log: Log) {
  const rests = new Map<string, { readonly until: number; readonly failures: number }>();
  const isResting = ({ name }: Candidate): boolean => (rests.get(name)?.until ?? 0) > clock.now();

  /** Rests at least as long as the provider asks, up to the maximum. */
  function rest({ name }: Candidate, retryAfter = 0): void {
    const failures = (rests.get(name)?.failures ?? 0) + 1;
    const time = Math.min(longestRest, Math.max(firstRest * 2 ** (failures - 1), retryAfter));
    rests.set(name, { until: clock.now() + time, failures });
  }

  async function* ask({ name, model }: Candidate, request: ModelRequest, isLast: boolean): AsyncGenerator<ModelEvent> {
    for await (const event of model.stream(asSeenBy(model, request))) {
      if (!isLast && event.type === 'finish' && isEmptyAnswer(event.answer))
        throw new ModelError('permanent', (language) => modelWords[language].nothingSaid, {
          usage: event.answer.usage,
        });
      // Nobody may read on behind it.
      if (event.type === 'finish') rests.delete(name);
      yield event;
    }
  }

  /** Like `ask`. Throws `too-long` where the stand-in's window is smaller than the request, which may be shortened. */
  async function* askStandIn(standIn: Candidate, request: ModelRequest, isLast: boolean): AsyncGenerator<ModelEvent> {
    const { model } = standIn;
    await model.ready?.(request.signal);
    const { window = Number.POSITIVE_INFINITY } = model.abilities?.() ?? {};
    const { size = 0, isShortest = false } = request;
    if (size > window && !isShortest)
      throw new ModelError('too-long', (language) => modelWords[language].tooLongFor(model), { window });
    yield* ask(standIn, request, isLast);
  }

  /** Those that may take the request, in the order in which they are asked. All of them, if none may. */
  function inOrder(candidates: readonly Candidate[], { tooLongFor = [] }: Partial<ModelRequest>): readonly Candidate[] {
    const able = candidates.filter(({ model }) => !tooLongFor.includes(model.label));
    return (able.length === 0 ? candidates : able).toSorted(
      (one, other) => Number(isResting(one)) - Number(isResting(other)),
    );
  }

  return (first: Candidate, fallbacks: readonly Candidate[]): LanguageModel => ({
    label: first.model.label,
    get seesImages() {
      return first.model.seesImages;
    },
    hasFallback: true,
    ownAbilities: () => first.model.abilities?.() ?? {},
    abilities: () => (inOrder([first, ...fallbacks], {})[0] ?? first).model.abilities?.() ?? {},
    ready: async (signal) => (inOrder([first, ...fallbacks], {})[0] ?? first).model.ready?.(signal),
    stream(request: ModelRequest) {
      const waiting = [...inOrder([first, ...fallbacks], request)];
      const failures = new Map<Candidate, ModelError>();
      const askNext = (candidate: Candidate): AsyncGenerator<ModelEvent> =>
        (candidate === first ? ask : askStandIn)(candidate, request, waiting.length === 0);
      let asked = waiting.shift() ?? first;
      return attempts(request.signal, askNext(asked), (error, { isShown }) => {
        const mayOther = error.fault !== 'too-long' || request.isShortest === true;
        if (isShown || !mayOther) throw asked === first ? error : byStandIn(error, asked.model.label);
        if (isOfModel(error)) rest(asked, error.retryAfter);
        failures.set(asked, error);
        const { fault } = error;
        log.warn({ model: asked.name, fault }, 'a model cannot answer; the next one is asked, if there is one');
        const next = waiting.shift();
        if (next === undefined) throw allFailed(failures.get(first) ?? error, fallbacks, [...failures.values()]);
        asked = next;
        return askNext(asked);
      });
    },
  });
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
