import { type Clock, sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type AnswerPart,
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
} from './language-model.ts';

/**
 * Retries after a failure, as long as no text of the answer was shown. An incomplete call has not run.
 *
 * - After a transient failure: at most twice, after 500 ms and 1 s, each up to half longer at random, and not before the
 *   provider's `retryAfter`. Fails at once if that is over 30 s, or after a minute of trying, because a person waits.
 * - After a refusal of a request with pictures: once, without them. Otherwise a picture that the provider cannot read
 *   would make it refuse every later request of the conversation.
 *
 * Ends without `finish` when aborted. `random`: from 0 to below 1.
 */
export function withRetries(
  model: LanguageModel,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): LanguageModel {
  return {
    ...model,
    async *stream(asked: ModelRequest): AsyncGenerator<ModelEvent> {
      const begun = clock.now();
      let request = asked;
      for (let retries = 0; ; ) {
        const heard = new Heard();
        try {
          for await (const event of model.stream(request)) yield heard.hear(event);
          return;
        } catch (error) {
          if (request.signal.aborted) return;
          if (!(error instanceof ModelError) || heard.isShown) throw error;
          if (error.fault === 'transient') {
            if (retries >= maxRetries || clock.now() - begun > longestTrying) throw error;
            const wait = Math.max(firstWait * 2 ** retries * (1 + random() / 2), error.retryAfter ?? 0);
            if (wait > longestWait) throw error;
            await sleep(clock, wait, request.signal);
            if (request.signal.aborted) return;
            retries += 1;
          } else {
            const isRefused = error.fault === 'permanent' || error.fault === 'too-long';
            if (!isRefused || !request.messages.some(hasPictures)) throw error;
            request = withoutPictures(request, withheld);
          }
          yield* heard.withdrawn();
        }
      }
    },
  };
}

const maxRetries = 2;
const firstWait = 500;
const longestWait = 30_000;
/** Since the first request. A request that ran into the silence timeout took longer. */
const longestTrying = 60_000;

/** What was received of an answer that may have to be requested again. */
class Heard {
  #isShown = false;
  #hasCalls = false;

  /** Whether people may have seen something that can't be taken back. Then the request must not be retried. */
  get isShown(): boolean {
    return this.#isShown;
  }

  hear(event: ModelEvent): ModelEvent {
    this.#isShown ||= event.type === 'finish' || (event.type === 'text' && event.delta.trim() !== '');
    this.#hasCalls ||= event.type === 'partial-call';
    return event;
  }

  /** The events to send before a retry: they withdraw the calls shown. */
  withdrawn(): readonly ModelEvent[] {
    const events = this.#hasCalls ? [{ type: 'calls-withdrawn' } as const] : [];
    this.#hasCalls = false;
    return events;
  }
}

function hasPictures(message: ModelMessage): boolean {
  return message.role === 'user' && message.images !== undefined;
}

const withheld = "[the pictures are not below after all: the provider refused them, so you can't see them]";

/** The request without its pictures; the words explain why they are missing. */
function withoutPictures(request: ModelRequest, words: string): ModelRequest {
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'user' || message.images === undefined) return message;
    return { role: 'user', text: `${message.text}\n${words}` };
  });
  return { ...request, messages };
}

/**
 * Continues an interrupted answer, once, if some of its text was shown: the model gets what it has written and goes on
 * from there, so that nothing is shown twice. Throws the first failure if that fails too, if the model starts over, or
 * if a call is or begins in the text: a call is never assembled from two answers.
 */
export function withContinuation(model: LanguageModel, writtenCall = /<tool_call/i): LanguageModel {
  return {
    ...model,
    async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
      let shown = '';
      const heard = new Heard();
      let failure: ModelError;
      try {
        for await (const event of model.stream(request)) {
          if (event.type === 'text') shown += event.delta;
          yield heard.hear(event);
        }
        return;
      } catch (error) {
        if (request.signal.aborted) return;
        const isCut = error instanceof ModelError && error.fault === 'transient';
        if (!isCut || writtenCall.test(shown) || shown.trim() === '') throw error;
        failure = error;
      }
      yield* heard.withdrawn();
      yield* goOn(model, request, { shown, failure });
    },
  };
}

interface Cut {
  readonly shown: string;
  readonly failure: ModelError;
}

async function* goOn(model: LanguageModel, request: ModelRequest, { shown, failure }: Cut): AsyncGenerator<ModelEvent> {
  const seam = seamBehind(shown);
  const textEvents = (text: string | undefined): readonly ModelEvent[] => {
    if (text === undefined) throw failure;
    return text === '' ? [] : [{ type: 'text', delta: text }];
  };
  try {
    for await (const event of model.stream(toGoOn(request, shown))) {
      if (event.type === 'partial-call' || event.type === 'finish') yield* textEvents(seam.close());
      if (event.type === 'text') yield* textEvents(seam.take(event.delta));
      else if (event.type !== 'finish') yield event;
      else yield { type: 'finish', answer: joined(event.answer, shown, seam.repeated(), failure.usage) };
    }
  } catch (error) {
    throw error instanceof ModelError ? failure : error;
  }
}

/** Ends with a user message, because not every provider lets a model continue its own. */
function toGoOn(request: ModelRequest, shown: string): ModelRequest {
  const parts = [{ type: 'text', text: shown }] as const;
  return { ...request, messages: [...request.messages, { role: 'assistant', parts }, { role: 'user', text: words }] };
}

const words = [
  '<keyturn_event kind="answer_cut">',
  'The connection was lost while you wrote the answer above; the person sees it as far as it stands there.',
  'Go on exactly where it breaks off, in the middle of a word if it does, as if nothing had happened.',
  'Repeat nothing of it, and do not speak of this.',
  '</keyturn_event>',
].join('\n');

/** The whole answer. Thoughts come before the text, as in any answer. */
function joined(answer: ModelAnswer, shown: string, repeated: number, cost: ModelUsage | undefined): ModelAnswer {
  const rest = withoutBeginning(answer.parts, repeated);
  const begins = rest.findIndex(({ type }) => type !== 'reasoning');
  const thoughts = begins === -1 ? rest : rest.slice(0, begins);
  const parts = [...thoughts, { type: 'text', text: shown } as const, ...rest.slice(thoughts.length)];
  return { parts, usage: cost === undefined ? answer.usage : together(answer.usage, cost) };
}

function together(one: ModelUsage, other: ModelUsage): ModelUsage {
  const cached = (one.cachedInputTokens ?? 0) + (other.cachedInputTokens ?? 0);
  return {
    ...one,
    inputTokens: one.inputTokens + other.inputTokens,
    ...(cached === 0 ? {} : { cachedInputTokens: cached }),
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Removes this many characters from the start of the texts. */
function withoutBeginning(parts: readonly AnswerPart[], characters: number): readonly AnswerPart[] {
  let left = characters;
  return parts.flatMap((part) => {
    if (part.type !== 'text' || left === 0) return [part];
    const text = part.text.slice(left);
    left -= part.text.length - text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

/** In characters: how much of the end the model may repeat when it continues. */
const longestRepeat = 500;
/** A shorter match may be intended. */
const shortestRepeat = 12;
/** The same if it is all that was shown. */
const shortestWhole = 4;
/** This many characters equal to the beginning show that the model starts over. */
const newBeginning = 24;

/**
 * Joins an interrupted text and its continuation. Models tend to repeat the end of what they wrote, or all of it: text
 * that may be a repetition is held back until that is clear, and dropped if it is one.
 */
function seamBehind(shown: string) {
  let held = '';
  let startsLikeShown = true;
  let isOpen = false;
  let repeated = 0;
  const end = shown.slice(-longestRepeat);

  /** The new text. Undefined if the model is writing the whole text again, in other words. */
  function take(delta: string): string | undefined {
    if (isOpen) return delta;
    startsLikeShown &&= shown.startsWith(delta, held.length);
    held += delta;
    const mayRepeat = startsLikeShown || (held.length <= longestRepeat && end.includes(held));
    return mayRepeat ? '' : close();
  }

  /** The text held back, once nothing or something else follows. Undefined as in `take`. */
  function close(): string | undefined {
    if (isOpen) return '';
    isOpen = true;
    repeated = repetition(shown, held);
    const startsOver = repeated === 0 && held.length >= newBeginning && shown.startsWith(held.slice(0, newBeginning));
    return startsOver ? undefined : held.slice(repeated);
  }

  return {
    take,
    close,
    /** The length of the repetition at the start of the continuation. */
    repeated: () => repeated,
  };
}

/** The length of the overlap between the end of the shown text and the start of the continuation. */
function repetition(shown: string, written: string): number {
  if (shown.length >= shortestWhole && written.startsWith(shown)) return shown.length;
  for (let length = Math.min(longestRepeat, shown.length, written.length); length >= shortestRepeat; length -= 1) {
    if (shown.endsWith(written.slice(0, length))) return length;
  }
  // An interrupted word is often repeated as a whole.
  const cutWord = /[\p{L}\p{N}]{2,40}$/u.exec(shown.slice(-longestWord))?.[0] ?? '';
  const isWhole = written.startsWith(cutWord) && /^[\p{L}\p{N}]/u.test(written.slice(cutWord.length));
  return isWhole ? cutWord.length : 0;
}

const longestWord = 40;

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
          // Nobody may read on behind it.
          if (event.type === 'finish') coolDown.answered(name);
          yield heard.hear(event);
        }
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
