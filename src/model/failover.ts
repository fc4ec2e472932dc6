import type { Log } from '../lib/log.ts';
import type { CoolDown } from './cool-down.ts';
import {
  type LanguageModel,
  ModelError,
  type ModelEvent,
  type ModelFault,
  type ModelRequest,
  showsSomething,
} from './language-model.ts';
import { withoutPictures } from './picture-fallback.ts';

export interface FailoverDependencies {
  /** Shared by all that the models stand in for. */
  readonly coolDown: CoolDown;
  readonly log: Log;
}

/** A model that can be asked, and its name in the config. */
export interface Candidate {
  readonly name: string;
  readonly model: LanguageModel;
}

/**
 * Asks the next model when one cannot answer, as long as nothing of an answer was shown. One that has failed is left alone
 * for a while and asked last. What is wrong with the request itself is no reason to ask another. When all fail, throws the
 * failure of the first, which the person is told.
 */
export function withFailover(
  first: Candidate,
  fallbacks: readonly Candidate[],
  { coolDown, log }: FailoverDependencies,
): LanguageModel {
  const candidates = [first, ...fallbacks];
  return {
    label: first.model.label,
    seesImages: first.model.seesImages,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      const failures = new Map<string, ModelError>();
      for (const { name, model } of restedFirst(candidates, coolDown)) {
        let isShown = false;
        try {
          for await (const event of model.stream(asSeenBy(model, request))) {
            isShown ||= showsSomething(event);
            yield event;
          }
          if (!request.signal.aborted) coolDown.answered(name);
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          if (isShown || !isOfModel(error)) throw model === first.model ? error : byStandIn(error, model.label);
          coolDown.failed(name, error.retryAfter);
          failures.set(name, error);
          log.warn(
            { model: name, fault: error.fault },
            'a model cannot answer; the next one is asked, if there is one',
          );
        }
      }
      throw allFailed(candidates, failures);
    },
  };
}

function restedFirst(candidates: readonly Candidate[], coolDown: CoolDown): readonly Candidate[] {
  const resting = candidates.filter(({ name }) => coolDown.isResting(name));
  return [...candidates.filter((candidate) => !resting.includes(candidate)), ...resting];
}

function asSeenBy(model: LanguageModel, request: ModelRequest): ModelRequest {
  return model.seesImages ? request : withoutPictures(request, unseen);
}

const unseen = "[the pictures are not below after all: you can't see any]";

/** Another model may do better only where it is this one, or the way to it, that failed. */
function isOfModel(error: unknown): error is ModelError {
  const faults: readonly ModelFault[] = ['transient', 'auth', 'unavailable'];
  return error instanceof ModelError && faults.includes(error.fault);
}

/** One that stands in may take less than the first: what it refuses tells nothing of that. */
function byStandIn(error: unknown, standIn: string): unknown {
  if (!(error instanceof ModelError) || error.fault !== 'too-long') return error;
  const usage = error.usage === undefined ? {} : { usage: error.usage };
  return new ModelError(error.fault, error.message, { cause: error, standIn, ...usage });
}

function allFailed(candidates: readonly Candidate[], failures: ReadonlyMap<string, ModelError>): unknown {
  const [first, ...others] = candidates.flatMap(({ name }) => {
    const failure = failures.get(name);
    return failure === undefined ? [] : [{ name, failure }];
  });
  if (first === undefined) return new Error('there is no model to ask');
  const { fault, message, retryAfter, usage } = first.failure;
  const names = others.map(({ name }) => `'${name}'`).join(' and ');
  return new ModelError(fault, `${message} (${names} cannot answer either.)`, {
    cause: first.failure,
    ...(usage === undefined ? {} : { usage }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}
