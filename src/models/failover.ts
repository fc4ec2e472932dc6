import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelRequest,
} from './language-model.ts';
import { Heard, withoutPictures } from './retry.ts';

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
  const coolDown = createCoolDown(clock);

  async function* ask(candidates: readonly Candidate[], request: ModelRequest): AsyncGenerator<ModelEvent> {
    const failures = new Map<string, ModelError>();
    const order = [
      ...candidates.filter(({ name }) => !coolDown.isResting(name)),
      ...candidates.filter(({ name }) => coolDown.isResting(name)),
    ];
    const last = order.at(-1);
    for (const { name, model } of order) {
      const heard = new Heard();
      const isLast = model === last?.model;
      try {
        for await (const event of model.stream(asSeenBy(model, request))) {
          if (!isLast && !heard.isShown && event.type === 'finish' && isEmpty(event.answer))
            throw new ModelError('permanent', nothingSaid, { usage: event.answer.usage });
          yield heard.hear(event);
        }
        if (!request.signal.aborted) coolDown.answered(name);
        return;
      } catch (error) {
        if (request.signal.aborted) return;
        const mayOther = error instanceof ModelError && (error.fault !== 'too-long' || request.isShortest === true);
        if (heard.isShown || !mayOther) throw name === candidates[0]?.name ? error : byStandIn(error, model.label);
        if (isOfModel(error)) coolDown.failed(name, error.retryAfter);
        failures.set(name, error);
        log.warn({ model: name, fault: error.fault }, 'a model cannot answer; the next one is asked, if there is one');
        if (!isLast) yield* heard.withdrawn();
      }
    }
    throw allFailed(candidates, failures);
  }

  return (first: Candidate, fallbacks: readonly Candidate[]): LanguageModel => {
    return { ...first.model, stream: (request) => ask([first, ...fallbacks], request) };
  };
}

function asSeenBy(model: LanguageModel, request: ModelRequest): ModelRequest {
  return model.seesImages ? request : withoutPictures(request, unseen);
}

const unseen = "[the pictures are not below after all: you can't see any]";

/** Whether the model or the connection to it failed, not just this request. */
function isOfModel({ fault }: ModelError): boolean {
  return fault === 'transient' || fault === 'auth' || fault === 'unavailable';
}

function isEmpty({ parts }: ModelAnswer): boolean {
  return parts.every((part) => part.type === 'reasoning' || (part.type === 'text' && part.text.trim() === ''));
}

const nothingSaid = 'The model gave an empty answer. Please ask again, or in other words.';

/** A fallback may accept less than the first model: its `too-long` says nothing about the first. */
function byStandIn(error: unknown, standIn: string): unknown {
  if (!(error instanceof ModelError) || error.fault !== 'too-long') return error;
  return new ModelError(error.fault, error.message, { cause: error, standIn, usage: error.usage });
}

function allFailed(candidates: readonly Candidate[], failures: ReadonlyMap<string, ModelError>): unknown {
  const [first, ...others] = candidates.filter(({ name }) => failures.has(name));
  const failure = first && failures.get(first.name);
  if (failure === undefined) return new Error('there is no model to ask');
  // Report the transient failure that can be retried soonest.
  const [soonest] = [...failures.values()]
    .filter(({ fault }) => fault === 'transient')
    .toSorted((one, other) => (one.retryAfter ?? 0) - (other.retryAfter ?? 0));
  const { fault, retryAfter } = soonest ?? failure;
  const names = others.map(({ name }) => `'${name}'`).join(' and ');
  const words = `${failure.message} (${names} cannot answer either.)`;
  return new ModelError(fault, words, { cause: failure, usage: failure.usage, retryAfter });
}

/** How long a model rests after a failure, in ms: doubled with each further failure. */
const firstRest = 30_000;
const longestRest = 600_000;

/** Models that failed lately, so that not every message waits for them. One entry per model. */
function createCoolDown(clock: Clock) {
  const rests = new Map<string, { readonly until: number; readonly failures: number }>();

  function isResting(name: string): boolean {
    return (rests.get(name)?.until ?? 0) > clock.now();
  }

  /** Rests at least as long as the provider asks, up to the maximum. */
  function failed(name: string, retryAfter = 0): void {
    const failures = (rests.get(name)?.failures ?? 0) + 1;
    const rest = Math.min(longestRest, Math.max(firstRest * 2 ** (failures - 1), retryAfter));
    rests.set(name, { until: clock.now() + rest, failures });
  }

  function answered(name: string): void {
    rests.delete(name);
  }

  return { isResting, failed, answered };
}
