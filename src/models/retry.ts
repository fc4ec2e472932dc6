import { createHash } from 'node:crypto';
import { type Clock, sleep } from '../lib/clock.ts';
import {
  type AnswerPart,
  type LanguageModel,
  type ModelAnswer,
  ModelError,
  type ModelEvent,
  type ModelImage,
  type ModelMessage,
  type ModelRequest,
  type ModelUsage,
  withStream,
} from './language-model.ts';

/** What people may have seen of an answer that failed. */
interface Heard {
  readonly text: string;
  /** Whether it can't be taken back. */
  readonly isShown: boolean;
}

/**
 * Streams an answer, and after a failure what `next` gives instead, whose calls replace those shown. `next` throws what
 * people are told if there is nothing else. Ends without `finish` when aborted.
 */
export async function* attempts(
  signal: AbortSignal,
  first: AsyncIterable<ModelEvent>,
  next: (error: ModelError, heard: Heard) => AsyncIterable<ModelEvent> | Promise<AsyncIterable<ModelEvent>>,
): AsyncGenerator<ModelEvent> {
  for (let events = first; ; ) {
    let [text, isFinished, hasCalls] = ['', false, false];
    try {
      for await (const event of events) {
        if (event.type === 'text') text += event.delta;
        if (event.type === 'text-withdrawn') text = '';
        isFinished ||= event.type === 'finish';
        hasCalls ||= event.type === 'partial-call';
        yield event;
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ModelError)) throw error;
      events = await next(error, { text, isShown: isFinished || text.trim() !== '' });
      if (signal.aborted) return;
    }
    if (hasCalls) yield { type: 'calls-withdrawn' };
  }
}

/**
 * Retries after a failure, as long as no text of the answer was shown. An incomplete call has not run.
 *
 * - After a transient failure or a faulty answer: at most twice, after 500 ms and 1 s, each up to half longer at random, and
 *   not before the provider's `retryAfter`. Fails at once if that is over 30 s, or after a minute of trying, because a person
 *   waits.
 * - After a refusal of a request with pictures, or a second fault of one: once, without them. Otherwise a picture that the
 *   provider cannot read would make it refuse every later request of the conversation. If that is answered, these pictures
 *   are not sent again.
 *
 * `random`: from 0 to below 1.
 */
export function withRetries(model: LanguageModel, { clock, random }: Timing): LanguageModel {
  const context: RetryContext = { model, clock, random, refused: new RefusedPictures() };
  return withStream(model, (asked) => retried(asked, context));
}

interface Timing {
  readonly clock: Clock;
  readonly random: () => number;
}

interface RetryContext extends Timing {
  readonly model: LanguageModel;
  readonly refused: RefusedPictures;
}

async function* retried(asked: ModelRequest, context: RetryContext): AsyncGenerator<ModelEvent> {
  const tries = new Tries(asked, context);
  for await (const event of attempts(asked.signal, tries.first(), (error, heard) => tries.next(error, heard))) {
    if (event.type === 'finish') tries.finished();
    yield event;
  }
}

/** One request, with what was changed of it after failures. */
class Tries {
  readonly #asked: ModelRequest;
  readonly #context: RetryContext;
  readonly #begun: number;
  #request: ModelRequest;
  #retries = 0;
  /** The request with pictures that may be to blame. */
  #suspect: ModelRequest | undefined;

  constructor(asked: ModelRequest, context: RetryContext) {
    this.#asked = asked;
    this.#context = context;
    this.#begun = context.clock.now();
    this.#request = context.refused.without(asked);
  }

  first(): AsyncIterable<ModelEvent> {
    return this.#context.model.stream(this.#request);
  }

  async next(error: ModelError, { isShown }: Heard): Promise<AsyncIterable<ModelEvent>> {
    if (isShown) throw error;
    switch (error.fault) {
      case 'transient':
        await this.#pause(error);
        break;
      case 'faulty':
        await this.#pause(error);
        // The server may not say that it is the pictures.
        if (this.#retries === maxRetries) this.#withdraw(this.#request);
        break;
      case 'permanent':
      case 'too-long':
        if (!this.#request.messages.some(hasPictures)) throw error;
        this.#withdraw(error.fault === 'permanent' ? this.#request : undefined);
        break;
      case 'auth':
      case 'unavailable':
        throw error;
    }
    return this.#context.model.stream(this.#request);
  }

  finished(): void {
    if (this.#suspect !== undefined) this.#context.refused.add(this.#suspect);
  }

  async #pause(error: ModelError): Promise<void> {
    const { clock, random } = this.#context;
    const wait = Math.max(firstWait * 2 ** this.#retries * (1 + random() / 2), error.retryAfter ?? 0);
    const isHopeless = this.#retries >= maxRetries || wait > longestWait || clock.now() - this.#begun > longestTrying;
    if (isHopeless) throw error;
    await sleep(clock, wait, this.#asked.signal);
    this.#retries += 1;
  }

  #withdraw(refusedWith: ModelRequest | undefined): void {
    this.#suspect = refusedWith;
    this.#request = withoutPictures(this.#request, withheld);
  }
}

const maxRetries = 2;
const firstWait = 500;
const longestWait = 30_000;
/** Since the first request. A request that ran into the silence timeout took longer. */
const longestTrying = 60_000;

function hasPictures(message: ModelMessage): boolean {
  return message.role === 'user' && message.images !== undefined;
}

/** Remembers pictures that the provider has refused, by what they show, as long as the model is open. */
class RefusedPictures {
  readonly #known = new Set<string>();

  add({ messages }: ModelRequest): void {
    for (const message of messages)
      if (message.role === 'user') for (const picture of message.images ?? []) this.#known.add(keyOf(picture));
  }

  /** The request without them; the words explain why they are missing. */
  without(request: ModelRequest): ModelRequest {
    if (this.#known.size === 0) return request;
    return { ...request, messages: request.messages.map((message) => this.#withoutIn(message)) };
  }

  #withoutIn(message: ModelMessage): ModelMessage {
    if (message.role !== 'user' || message.images === undefined) return message;
    const images = message.images.filter((image) => !this.#known.has(keyOf(image)));
    if (images.length === message.images.length) return message;
    const text = `${message.text}\n${withheld}`;
    return { role: 'user', text, ...(images.length === 0 ? {} : { images }) };
  }
}

function keyOf({ bytes }: ModelImage): string {
  return createHash('sha256').update(bytes).digest('base64');
}

const withheld = "[the pictures are not below after all: the provider refused them, so you can't see them]";

/** The request without its pictures; the words explain why they are missing. */
export function withoutPictures(request: ModelRequest, words: string): ModelRequest {
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role !== 'user' || message.images === undefined) return message;
    return { role: 'user', text: `${message.text}\n${words}` };
  });
  return { ...request, messages };
}

/**
 * Continues an interrupted answer, once, if some of its text was shown: the model gets what it has written and goes on
 * from there, so that nothing is shown twice. Throws the first failure if that fails too, or if the model starts over. A
 * call in the text that was being written is not shown, so it is written again: none is assembled from two answers.
 */
export function withContinuation(model: LanguageModel): LanguageModel {
  return withStream(model, (request) => {
    let failure: ModelError | undefined;
    return attempts(request.signal, model.stream(request), (error, { text, isShown }) => {
      const mayPass = error.fault === 'transient' || error.fault === 'faulty';
      if (failure !== undefined || !mayPass || !isShown) throw failure ?? error;
      failure = error;
      return behind(text, model.stream(toGoOn(request, text)), error);
    });
  });
}

/**
 * The continuation, without what repeats the text shown: models tend to repeat the end of what they wrote, or all of it.
 * Text that may be a repetition is held back until that is clear, and dropped if it is one. Throws the failure if the
 * model starts over, in other words.
 */
export async function* behind(
  before: string,
  more: AsyncIterable<ModelEvent>,
  failure: ModelError,
): AsyncGenerator<ModelEvent> {
  let shown = before;
  const end = shown.slice(-longestRepeat);
  /** Undefined once it is clear what is repeated. */
  let held: string | undefined = '';
  let startsLikeShown = true;
  let repeated = 0;
  for await (const event of more) {
    if (event.type === 'text-withdrawn') {
      // What was shown before it broke off was thoughts, too.
      [shown, held, repeated] = ['', undefined, 0];
    }
    if (held !== undefined && event.type === 'text') {
      startsLikeShown &&= shown.startsWith(event.delta, held.length);
      held += event.delta;
      if (startsLikeShown || (held.length <= longestRepeat && end.includes(held))) continue;
    }
    if (held !== undefined && event.type !== 'reasoning') {
      repeated = repetition(shown, held);
      const startsOver = held.length >= newBeginning && shown.startsWith(held.slice(0, newBeginning));
      if (repeated === 0 && startsOver) throw failure;
      const delta = held.slice(repeated);
      held = undefined;
      if (delta !== '') yield { type: 'text', delta };
      if (event.type === 'text') continue;
    }
    if (event.type !== 'finish') yield event;
    else yield { type: 'finish', answer: joined(event.answer, shown, repeated, failure.usage) };
  }
}

/** Ends with a user message, because not every provider lets a model continue its own. */
export function toGoOn(request: ModelRequest, shown: string): ModelRequest {
  const parts = [{ type: 'text', text: shown }] as const;
  return { ...request, messages: [...request.messages, { role: 'assistant', parts }, { role: 'user', text: words }] };
}

/** What people have read of the answer that the request goes on with; empty if it begins one. */
export function shownBefore({ messages }: Pick<ModelRequest, 'messages'>): string {
  const [cut, last] = messages.slice(-2);
  if (last?.role !== 'user' || last.text !== words || cut?.role !== 'assistant') return '';
  const text = cut.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return shownBefore({ messages: messages.slice(0, -2) }) + text;
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
  return { ...answer, parts, usage: cost === undefined ? answer.usage : together(answer.usage, cost) };
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
