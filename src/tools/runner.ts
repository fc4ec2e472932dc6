import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { messageOf, oneLine } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import { type CallTimer, startCallTimer } from './call-timer.ts';
import { BoundsError } from './guard/process/bounds.ts';
import { noRedaction, type Redactor } from './guard/redact/redact.ts';
import { WorkspaceError } from './guard/workspace/workspace-error.ts';
import { error, forPeople, type KeepResult, type KeptText, shapeOutput, type ToolOutput } from './output.ts';
import type { AskPerson, PersonQuestion, PreparedCall, ToolContext } from './tool.ts';

export interface RunnerSettings {
  /** The time limit of a call, in ms. Default 10 minutes. */
  readonly timeout?: number;
  /** The limit of an output, in characters, for the model and for people each. Default 50,000. */
  readonly maxOutput?: number;
  /** How long an aborted call may take to end, in ms. Default 800. */
  readonly grace?: number;
}

export interface CallEnding {
  readonly output: ToolOutput;
  /** In ms, without the time that people were asked. */
  readonly duration: number;
}

/**
 * Executes prepared calls, and always returns an output, even if a tool throws, never ends or writes too much. Knows
 * nothing of approvals, channels or the journal.
 */
export interface ToolRunner {
  /**
   * Runs the call once. Never rejects. On timeout, or if the context's signal aborts, the tool's own signal
   * aborts; the call ends with the tool or after the grace period, and later output is ignored.
   */
  run(call: PreparedCall, context: ToolContext): Promise<CallEnding>;
  /** The statistics of a tool since the start; undefined if it was not called. */
  statisticsOf(name: string): ToolStatistics | undefined;
}

interface RunnerParts {
  readonly clock: Clock;
  readonly settings?: RunnerSettings;
  /** Removes secrets from all that tools say. */
  readonly redact?: Redactor;
  /** Keeps output that is too long for the model; without it, the rest is lost. */
  readonly keep?: KeepResult;
}

interface RunnerContext {
  readonly clock: Clock;
  readonly settings: RunnerSettings;
  readonly redact: Redactor;
  readonly keep: KeepResult | undefined;
  /** The results of each tool since the start. */
  readonly statistics: Map<string, ToolStatistics>;
}

export function createToolRunner({ clock, settings = {}, redact = noRedaction, keep }: RunnerParts): ToolRunner {
  const runner: RunnerContext = { clock, settings, redact, keep, statistics: new Map() };
  return {
    run: (call, context) => runCall(call, context, runner),
    statisticsOf: (name) => runner.statistics.get(name),
  };
}

async function runCall(call: PreparedCall, context: ToolContext, runner: RunnerContext): Promise<CallEnding> {
  const { clock, redact, statistics } = runner;
  const { toolName: name } = call;
  const { timeout = 600_000, maxOutput: limit = 50_000 } = runner.settings;
  if (context.signal.aborted) return { output: error(`${name} did not run: it was stopped before.`), duration: 0 };
  const startedAt = clock.now();
  const { cut, output: raw, paused } = await attempt(call, context, timeout, runner);
  const duration = clock.now() - startedAt - paused;
  const whole = cut === undefined && raw !== undefined ? raw : unfinished(name, cut, timeout, raw);
  const output = await shapeOutput(whole, { limit, redact, keep: (text) => kept(text, context, runner) });
  const counted = counting(statistics.get(name) ?? none, output.isError, cut === 'stopped', duration);
  statistics.set(name, counted);
  const times = counted.failuresInRow;
  if (cut === 'stopped' || !output.isError || times < failuresToTell) return { output, duration };
  return { output: { ...output, forLlm: output.forLlm + failureNote(times) }, duration };
}

/** A full disk must not cost the rest of the result. */
async function kept(text: string, context: ToolContext, { keep }: RunnerContext): Promise<KeptText | undefined> {
  try {
    return await keep?.(text, context);
  } catch (cause) {
    context.log.warn({ err: cause }, 'what a tool said is too long, and could not be kept');
    return undefined;
  }
}

/** How a tool ended. */
interface Attempted {
  /** Why the call had to end before. */
  readonly cut?: Cut | undefined;
  /** The output, or what it said at the end, if anything. */
  readonly output?: ToolOutput;
  /** How long it was paused, in ms. */
  readonly paused: number;
}

async function attempt(
  call: PreparedCall,
  context: ToolContext,
  timeout: number,
  { clock, settings, redact }: RunnerContext,
): Promise<Attempted> {
  const { signal: stopped } = context;
  const ending = new AttemptEnding(clock, settings.grace ?? 800);
  const stop = (): void => ending.cut('stopped', stopped.reason);
  const timer = startCallTimer(clock, timeout, () =>
    ending.cut('timed-out', new DOMException('The call took too long', 'TimeoutError')),
  );
  const { signal } = ending;
  const questions = new CallQuestions(context.ask, { timer, told: signal, redact });
  stopped.addEventListener('abort', stop, { once: true });
  outputOf(call, toldContext(context, signal, questions.asking, redact)).then(
    (output) => ending.ended(output),
    (cause: unknown) => ending.broke(() => failed(call.toolName, cause, context, redact)),
  );
  const ended = await ending.over;
  timer.stop();
  ending.stop();
  stopped.removeEventListener('abort', stop);
  await questions.end();
  return { ...ended, paused: timer.paused() };
}

/** Ends a call once: with its tool, or, if it is cut, after a grace period. */
class AttemptEnding {
  readonly #clock: Clock;
  readonly #grace: number;
  readonly #own = new AbortController();
  readonly #ended = Promise.withResolvers<Omit<Attempted, 'paused'>>();
  #cut: Cut | undefined;
  #cancelGrace = (): void => {};

  constructor(clock: Clock, grace: number) {
    this.#clock = clock;
    this.#grace = grace;
  }

  /** Aborts when the call is cut. */
  get signal(): AbortSignal {
    return this.#own.signal;
  }

  get over(): Promise<Omit<Attempted, 'paused'>> {
    return this.#ended.promise;
  }

  cut(why: Cut, reason: unknown): void {
    if (this.#cut !== undefined) return;
    this.#cut = why;
    this.#cancelGrace = this.#clock.after(this.#grace, () => this.#ended.resolve({ cut: why }));
    this.#own.abort(reason);
  }

  ended(output: ToolOutput): void {
    this.#ended.resolve({ cut: this.#cut, output });
  }

  /** The tool threw: that is its failure, unless the call was cut. */
  broke(output: () => ToolOutput): void {
    const cut = this.#cut;
    this.#ended.resolve(cut === undefined ? { output: output() } : { cut });
  }

  stop(): void {
    this.#cancelGrace();
  }
}

/** What the tool gets: an aborted call can no longer speak in the chat. */
function toldContext(
  context: ToolContext,
  signal: AbortSignal,
  ask: AskPerson | undefined,
  redact: Redactor,
): ToolContext {
  return {
    ...context,
    signal,
    reply: async (text) => (signal.aborted ? undefined : context.reply(forPeople(text, redact))),
    progress: (status) => (signal.aborted ? undefined : context.progress(forPeople(status, redact))),
    ask,
  };
}

/** What a tool throws goes to the model and the log. */
function failed(name: string, cause: unknown, { log }: ToolContext, redact: Redactor): ToolOutput {
  log.error({ err: cause, tool: name }, 'a tool threw');
  return error(
    `${name} failed: ${oneLine(forPeople(messageOf(cause), redact), 300)}\nIt may have done a part of its work: look before you try again.`,
  );
}

/** Why a call ended before its tool did. */
type Cut = 'timed-out' | 'stopped';

function unfinished(name: string, cut: Cut | undefined, timeout: number, last: ToolOutput | undefined): ToolOutput {
  const why =
    cut === 'stopped'
      ? 'was stopped by a person or because the assistant stops'
      : `did not end within ${durationWords(timeout)} and was ended`;
  const text = `${name} ${why}. It may have done a part of its work.`;
  if (last === undefined) return error(text);
  return { ...error(`${text} It said at the end:\n${last.forLlm}`), untrusted: last.untrusted };
}

/** Appended for the model to the result of a tool that failed several times in a row. */
export function failureNote(times: number): string {
  return `\n[This tool has failed ${times} times in a row. Find another way, or tell the person what is wrong.]`;
}

/** The result without the note, so that equal failures have equal results. */
export function withoutFailureNote(text: string): string {
  return text.replace(/\n\[This tool has failed \d+ times in a row\. [^\]\n]*\]$/, '');
}

interface QuestionParts {
  readonly timer: CallTimer;
  /** Aborts when the call is cut. */
  readonly told: AbortSignal;
  readonly redact: Redactor;
}

/** The questions of a running call to its person. The call's timer pauses meanwhile, and no question outlives the call. */
class CallQuestions {
  readonly #ask: AskPerson | undefined;
  readonly #parts: QuestionParts;
  readonly #over = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(ask: AskPerson | undefined, parts: QuestionParts) {
    this.#ask = ask;
    this.#parts = parts;
  }

  /** Asks, if anybody can be asked. */
  get asking(): AskPerson | undefined {
    const ask = this.#ask;
    return ask && ((question, signal) => this.#put(ask, question, signal));
  }

  /** Cancels open questions. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#open);
  }

  async #put(ask: AskPerson, { text, options, ...rest }: PersonQuestion, signal: AbortSignal | undefined) {
    const { timer, told, redact } = this.#parts;
    const resume = timer.pause();
    const ends = [told, this.#over.signal, ...(signal === undefined ? [] : [signal])];
    const shown = { ...rest, text: forPeople(text, redact), options: options.map((one) => forPeople(one, redact)) };
    const waiting = Promise.resolve(ask(shown, AbortSignal.any(ends)));
    this.#open.add(waiting);
    try {
      return await waiting;
    } finally {
      this.#open.delete(waiting);
      resume();
    }
  }
}

/** A guard's refusal is an output. */
async function outputOf(call: PreparedCall, context: ToolContext): Promise<ToolOutput> {
  try {
    const output = await call.execute(context);
    const fault = outputFault(output);
    if (fault !== undefined) throw new TypeError(fault);
    return output;
  } catch (cause) {
    if (cause instanceof WorkspaceError || cause instanceof BoundsError) return error(cause.message);
    throw cause;
  }
}

/** More than a model is shown at once; each adds a line of text. */
const mostPictures = 100;
/** The longest path on any system, in UTF-16 units. */
const longestPath = 4096;

const outputForm = z.object({
  forLlm: z.string(),
  forUser: z.string().optional(),
  untrusted: z.string().optional(),
  files: z.object({ messageId: z.string(), files: z.array(z.unknown()) }).optional(),
  pictures: z
    .array(z.object({ path: z.string().max(longestPath) }))
    .max(mostPictures)
    .optional(),
  subRun: z
    .object({ worker: z.object({ name: z.string(), type: z.string() }), title: z.string(), task: z.string() })
    .optional(),
  effect: z.object({ apply: z.custom((value) => typeof value === 'function') }).optional(),
});

/** What is wrong with the output of a tool, whose code may be foreign; undefined if it is valid. */
function outputFault(output: unknown): string | undefined {
  const [fault] = outputForm.safeParse(output).error?.issues ?? [];
  if (fault === undefined) return undefined;
  const [key = 'forLlm'] = fault.path;
  return key === 'forLlm' ? 'It gave no output.' : `The "${String(key)}" of its output is not what it must be.`;
}

/** The results of a tool's calls since the start. */
export interface ToolStatistics {
  readonly count: number;
  readonly failure: number;
  /** In ms. */
  readonly averageDuration: number;
  /** Failures since the last success. */
  readonly failuresInRow: number;
  /** Whether each of the last calls failed, but for those that were stopped. */
  readonly recent: readonly boolean[];
  /** Failed three times in a row, or in more than half of its last calls, if there are at least six. */
  readonly isFailing: boolean;
}

/** From how many failures in a row a tool counts as failing. */
const failuresToTell = 3;

/** How many of the last calls are judged. */
const mostRecent = 10;
const fewestToJudge = 6;

const none: ToolStatistics = {
  count: 0,
  failure: 0,
  averageDuration: 0,
  failuresInRow: 0,
  recent: [],
  isFailing: false,
};

/** The statistics with one more call. `isStopped`: it was aborted, which says nothing about the tool. */
function counting(so: ToolStatistics, isError: boolean, isStopped: boolean, duration: number): ToolStatistics {
  const count = so.count + 1;
  const recent = isStopped ? so.recent : [...so.recent, isError].slice(-mostRecent);
  const failuresInRow = isStopped ? so.failuresInRow : isError ? so.failuresInRow + 1 : 0;
  const failsOften = recent.length >= fewestToJudge && recent.filter(Boolean).length > recent.length / 2;
  return {
    count,
    failure: so.failure + (isError ? 1 : 0),
    averageDuration: so.averageDuration + (duration - so.averageDuration) / count,
    failuresInRow,
    recent,
    isFailing: failuresInRow >= failuresToTell || failsOften,
  };
}
