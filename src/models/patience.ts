import { type Clock, sleep } from '../lib/clock.ts';
import {
  type LanguageModel,
  type ModelError,
  type ModelEvent,
  type ModelRequest,
  withStream,
} from './language-model.ts';
import { attempts, behind, toGoOn } from './retry.ts';

export interface Patience {
  readonly clock: Clock;
  /** How long an answer may wait for its model, in ms. */
  readonly longest: () => number;
  /** Called once, when the wait begins. */
  readonly waiting: (error: ModelError, until: number) => Promise<void>;
}

/**
 * Waits for a model that is gone while people read the beginning of its answer, and lets it go on from there. A model that
 * comes back and breaks off again is asked at most three times: each part is paid for. Throws the first failure if it does not
 * come back in time, or starts over.
 */
export function withPatience(model: LanguageModel, patience: Patience): LanguageModel {
  return withStream(model, (request) => patientStream(model, request, patience));
}

async function* patientStream(
  model: LanguageModel,
  request: ModelRequest,
  { clock, longest, waiting }: Patience,
): AsyncGenerator<ModelEvent> {
  const { signal } = request;
  let shown = '';
  let isFinished = false;
  let first: ModelError | undefined;
  let last: ModelError | undefined;
  let until = Number.POSITIVE_INFINITY;
  /** How long the text was at the last failure, and how often it has grown before one. */
  let length = 0;
  let breaks = 0;
  let tries = 0;

  async function next(error: ModelError): Promise<AsyncIterable<ModelEvent>> {
    // The model has started over, in other words.
    if (error === last) throw first ?? error;
    if (isFinished || shown.trim() === '' || error.fault !== 'transient') throw first ?? error;
    if (first === undefined) until = clock.now() + longest();
    first ??= error;
    last = error;
    if (shown.length > length) [length, breaks, tries] = [shown.length, breaks + 1, 0];
    const wait = Math.max(Math.min(longestPause, firstPause * 2 ** tries), error.retryAfter ?? 0);
    if (breaks > mostBreaks || clock.now() + wait > until) throw first;
    if (error === first) await waiting(error, until);
    tries += 1;
    await sleep(clock, wait, signal);
    return behind(shown, model.stream(toGoOn(request, shown)), error);
  }

  for await (const event of attempts(signal, model.stream(request), next)) {
    if (event.type === 'text') shown += event.delta;
    if (event.type === 'text-withdrawn') shown = '';
    isFinished ||= event.type === 'finish';
    yield event;
  }
}

/** The pause between tries, in ms; it doubles. */
export const firstPause = 5_000;
export const longestPause = 60_000;

const mostBreaks = 3;
