import type { JsonValue } from '../../src/lib/json.ts';
import type {
  AnswerPart,
  LanguageModel,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelUsage,
} from '../../src/models/language-model.ts';
import type { AnswerEnding } from '../../src/transcript.ts';
import { withoutTimes } from './time-lines.ts';
import { Changes } from './wait-for.ts';
import { WrittenAnswer } from './written-answer.ts';

export type ScriptedRequest = Omit<ModelRequest, 'signal'>;
type Answer = readonly AnswerPart[] | string;
type Script = (request: ScriptedRequest, signal: AbortSignal) => Answer | Promise<Answer>;
export type Scripted = Answer | Script | Preface | WrittenAnswer;
/** A text that is written before the rest is thought of. */
type Preface = { readonly early: string; readonly rest: Script };

/** A model in this process that answers as a test says, and writes down what it was asked. */
export class ScriptedModel implements LanguageModel {
  readonly label: string;
  /** Whether it sees pictures. */
  seesImages = true;
  /** What each answer takes. */
  usage: ModelUsage = { inputTokens: 1, outputTokens: 1 };
  /** How each answer ends, if it is not whole. */
  ending: AnswerEnding | undefined;
  readonly changes = new Changes();
  readonly requests: ScriptedRequest[] = [];
  /** The same as they came, with the lines that tell when messages were sent. */
  readonly timed: ScriptedRequest[] = [];
  readonly #answers: (Answer | Script | Preface | WrittenAnswer)[] = [];
  #otherwise: Script = ({ messages }) => `echo: ${lastWords(messages)}`;

  constructor(label = 'scripted') {
    this.label = label;
  }

  /** What it answers next, one after the other. */
  next(...answers: readonly Scripted[]): void {
    this.#answers.push(...answers);
  }

  /** What it answers when nothing is left to say. Without this, it repeats what it was told last. */
  otherwise(script: Script): void {
    this.#otherwise = script;
  }

  async *stream({ signal, ...asked }: ModelRequest): AsyncIterable<ModelEvent> {
    const request = { ...asked, messages: asked.messages.map(timeless) };
    this.timed.push(structuredClone(asked));
    this.requests.push(structuredClone(request));
    const answer = this.#answers.shift() ?? this.#otherwise;
    this.changes.notify();
    if (answer instanceof WrittenAnswer) return yield* answer.events(signal);
    const early = typeof answer === 'object' && 'early' in answer ? [text(answer.early)] : [];
    for (const part of early) yield { type: 'text', delta: part.text };
    const script = typeof answer === 'object' && 'early' in answer ? answer.rest : answer;
    const said = typeof script === 'function' ? await script(request, signal) : script;
    if (signal.aborted) return;
    const late = typeof said === 'string' ? [text(said)] : said;
    for (const part of late) if (part.type === 'text') yield { type: 'text', delta: part.text };
    yield* late.flatMap(partialCalls);
    const parts = [...early, ...late];
    yield { type: 'finish', answer: { parts, usage: this.usage, ending: this.ending } };
  }

  /** What it was asked last. */
  get last(): ScriptedRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('the model was not asked');
    return last;
  }

  /** Resolves when it has been asked so often. */
  async asked(times: number): Promise<ScriptedRequest> {
    return this.changes.waitFor(() => this.requests[times - 1], {
      what: `request ${times} to the model`,
      describe: () => JSON.stringify(this.requests.map(({ messages }) => messages)),
    });
  }
}

function timeless(message: ModelMessage): ModelMessage {
  return message.role === 'user' ? { ...message, text: withoutTimes(message.text) } : message;
}

/** A call while it is written: known by its name first, and then with all that it says. */
function partialCalls(part: AnswerPart): readonly ModelEvent[] {
  if (part.type !== 'call') return [];
  const { modelCallId, name, arguments: all } = part;
  return [{}, all].map((args) => ({ type: 'partial-call', modelCallId, name, arguments: args }));
}

/** What the model says. */
export function text(words: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: words };
}

/** A call that the model makes. */
export function call(name: string, args: JsonValue, modelCallId = `m-${crypto.randomUUID()}`): AnswerPart {
  return { type: 'call', modelCallId, name, arguments: args };
}

/** An answer that comes when the returned function says so. It ends early when the run is told to end. */
export function held(answer: Answer): { readonly script: Script; readonly release: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const script: Script = (_request, signal) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
    return promise.then(() => answer);
  };
  return { script, release: resolve };
}

/** All that people and events said in a request, in one text. */
export function wordsOf(request: ScriptedRequest): string {
  return request.messages.flatMap((message) => (message.role === 'user' ? [message.text] : [])).join('\n');
}

/** The results in a request, in their order. */
export function resultsOf(request: ScriptedRequest): readonly string[] {
  return request.messages.flatMap((message) =>
    message.role === 'results' ? message.results.map(({ text }) => text) : [],
  );
}

function lastWords(messages: readonly ModelMessage[]): string {
  const last = messages.at(-1);
  if (last?.role === 'user') return last.text;
  return last?.role === 'results' ? last.results.map(({ text }) => text).join(' ') : '';
}
