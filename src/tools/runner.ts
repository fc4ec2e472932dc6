import type { Clock } from '../lib/clock.ts';
import { oneLine } from '../lib/plain-text.ts';
import { failureNote } from './call-hooks.ts';
import { CallTimer } from './call-timer.ts';
import type { PersonQuestion } from './category.ts';
import { noRedaction, type Redactor } from './guard/redact/redact.ts';
import { error, type ToolOutput } from './output.ts';
import { forPeople, type KeepResult, type KeptText, shapeOutput } from './shape-output.ts';
import { CallStatistics, failuresToTell, type ToolStatistics } from './statistics.ts';
import type { AskPerson, PreparedCall, ToolContext } from './tool.ts';

export interface RunnerSettings {
  /** How long a call may take, in milliseconds. Default 10 minutes. */
  readonly timeout?: number;
  /** How much of an output is kept, in characters, for the model and for people each. Default 50,000. */
  readonly maxOutput?: number;
  /** How long a call that was told to end may take to do so, in milliseconds. Default 800. */
  readonly grace?: number;
}

export interface RunnerDependencies {
  readonly clock: Clock;
  readonly settings?: RunnerSettings;
  /** Takes secrets out of all that tools say. Left out: they stay. */
  readonly redact?: Redactor;
  /** Keeps what is too long for the model. Left out: it is lost. */
  readonly keep?: KeepResult;
}

export interface CallEnding {
  readonly output: ToolOutput;
  /** In milliseconds. */
  readonly duration: number;
}

/** How the race between the tool and what ends it went. */
type Ending =
  | { readonly type: 'answered'; readonly output: ToolOutput }
  | { readonly type: 'threw'; readonly cause: unknown }
  /** What it still said in the grace after it was told to end, if anything. */
  | { readonly type: 'timed-out' | 'stopped'; readonly last?: ToolOutput };

interface Race {
  readonly ending: Ending;
  /** How long people were asked, in milliseconds. */
  readonly paused: number;
}

interface Voices {
  readonly said: Pick<ToolContext, 'reply' | 'progress' | 'ask'>;
  /** Calls off what is still asked. */
  end(): Promise<void>;
}

/**
 * Executes prepared calls, and answers for every one of them: neither a throw, nor a tool that never ends, nor a giant
 * output gets through. Knows nothing of approvals, channels or the journal.
 */
export class ToolRunner {
  readonly #clock: Clock;
  readonly #settings: Required<RunnerSettings>;
  readonly #redact: Redactor;
  readonly #keep: KeepResult | undefined;
  readonly #statistics = new CallStatistics();

  constructor({ clock, settings, redact = noRedaction, keep }: RunnerDependencies) {
    this.#clock = clock;
    this.#settings = { timeout: 600_000, maxOutput: 50_000, grace: 800, ...settings };
    this.#redact = redact;
    this.#keep = keep;
  }

  /**
   * Runs the call once. Never rejects. When the time (in milliseconds) is over or the context's signal aborts, the tool's
   * own signal aborts; the call ends when the tool does, or after the grace, and what the tool does later is ignored.
   */
  async run(
    call: PreparedCall,
    context: ToolContext,
    options: { readonly timeout?: number } = {},
  ): Promise<CallEnding> {
    if (context.signal.aborted)
      return { output: error(`${call.toolName} did not run: it was stopped before.`), duration: 0 };
    const { timeout = this.#settings.timeout } = options;
    const startedAt = this.#clock.now();
    const { ending, paused } = await this.#race(call, context, timeout);
    if (ending.type === 'threw') context.log.error({ err: ending.cause, tool: call.toolName }, 'a tool threw');
    const duration = this.#clock.now() - startedAt - paused;
    const output = await shapeOutput(toOutput(ending, { name: call.toolName, timeout, redact: this.#redact }), {
      limit: this.#settings.maxOutput,
      redact: this.#redact,
      keep: (text) => this.#kept(text, context),
    });
    const isStopped = ending.type === 'stopped';
    this.#statistics.add(call.toolName, { isError: output.isError, isStopped, duration });
    return { output: isStopped ? output : this.#noted(output, call.toolName), duration };
  }

  /** What became of the calls of all tools, or of one, since the start or the last reset. Sorted by name. */
  stats(name?: string): readonly ToolStatistics[] {
    return this.#statistics.read(name);
  }

  resetStats(name?: string): void {
    this.#statistics.reset(name);
  }

  #noted(output: ToolOutput, name: string): ToolOutput {
    const times = this.#statistics.failuresInRow(name);
    if (!output.isError || times < failuresToTell) return output;
    return { ...output, forLlm: output.forLlm + failureNote(times) };
  }

  /** A full disk must not cost the rest of the result. */
  async #kept(text: string, context: ToolContext): Promise<KeptText | undefined> {
    try {
      return await this.#keep?.(text, context);
    } catch (cause) {
      context.log.warn({ err: cause }, 'what a tool said is too long, and could not be kept');
      return undefined;
    }
  }

  #race(call: PreparedCall, context: ToolContext, timeout: number): Promise<Race> {
    const controller = new AbortController();
    return new Promise((resolve) => {
      let told: 'timed-out' | 'stopped' | undefined;
      let cancelGrace = (): void => {};
      const finish = (ending: Ending): void => {
        timer.stop();
        cancelGrace();
        context.signal.removeEventListener('abort', stop);
        resolve(voices.end().then(() => ({ ending, paused: timer.paused })));
      };
      const tell = (type: 'timed-out' | 'stopped', reason: unknown): void => {
        if (told !== undefined) return;
        told = type;
        cancelGrace = this.#clock.after(this.#settings.grace, () => finish({ type }));
        controller.abort(reason);
      };
      const stop = (): void => tell('stopped', context.signal.reason);
      const tooLate = (): void => tell('timed-out', new DOMException('The call took too long', 'TimeoutError'));
      const timer = new CallTimer({ clock: this.#clock, milliseconds: timeout, over: tooLate });
      const voices = this.#voices(context, timer, controller.signal);
      context.signal.addEventListener('abort', stop, { once: true });
      void attempt(call, { ...context, ...voices.said, signal: controller.signal }).then((ending) => {
        if (told === undefined) finish(ending);
        else finish({ type: told, ...(ending.type === 'answered' ? { last: ending.output } : {}) });
      });
    });
  }

  /** What it says while it runs. A call that was told to end has nothing to say in the chat any more. */
  #voices(context: ToolContext, timer: CallTimer, signal: AbortSignal): Voices {
    const said = (text: string): string => forPeople(text, this.#redact);
    const { ask } = context;
    const questions = ask === undefined ? undefined : new CallQuestions({ ask, timer, signal, said });
    return {
      said: {
        reply: async (text) => (signal.aborted ? undefined : context.reply(said(text))),
        progress: (status) => (signal.aborted ? undefined : context.progress(said(status))),
        ask: questions?.ask,
      },
      end: async () => questions?.end(),
    };
  }
}

/** Anything may come out of a tool: what it throws is told to the model and to the log. */
async function attempt(call: PreparedCall, context: ToolContext): Promise<Ending> {
  try {
    const output = await call.execute(context);
    const fault = outputFault(output);
    if (fault !== undefined) throw new TypeError(fault);
    return { type: 'answered', output };
  } catch (cause) {
    return { type: 'threw', cause };
  }
}

interface EndedCall {
  readonly name: string;
  readonly timeout: number;
  readonly redact: Redactor;
}

function toOutput(ending: Ending, { name, timeout, redact }: EndedCall): ToolOutput {
  switch (ending.type) {
    case 'answered':
      return ending.output;
    case 'threw': {
      const reason = ending.cause instanceof Error ? ending.cause.message : 'It threw something that is no error.';
      return error(
        `${name} failed: ${oneLine(forPeople(reason, redact), 300)}\nIt may have done a part of its work: look before you try again.`,
      );
    }
    case 'timed-out':
      return unfinished(`${name} did not end within ${formatDuration(timeout)} and was ended.`, ending.last);
    case 'stopped':
      return unfinished(`${name} was stopped by a person or because the assistant stops.`, ending.last);
  }
}

function unfinished(what: string, last: ToolOutput | undefined): ToolOutput {
  const text = `${what} It may have done a part of its work.`;
  const { untrusted } = last ?? {};
  return {
    ...error(last === undefined ? text : `${text} It said at the end:\n${last.forLlm}`),
    untrusted,
  };
}

function formatDuration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 1) return `${milliseconds} ms`;
  return seconds < 120 || seconds % 60 !== 0 ? `${seconds} s` : `${seconds / 60} minutes`;
}

/** More than a model is ever shown at once; each is a line for it to read. */
const mostPictures = 100;
/** No system has longer ones, in UTF-16 units. */
const longestPath = 4096;

/** What is wrong with what a tool has given, whose code may be anybody's; undefined if it is an output. */
function outputFault(output: Readonly<Partial<Record<keyof ToolOutput, unknown>>>): string | undefined {
  const { forLlm, forUser, untrusted, pictures = [] } = output;
  if (typeof forLlm !== 'string') return 'It gave no output.';
  if (!isTextIfAny(forUser)) return 'The "forUser" of its output is no text.';
  if (!isTextIfAny(untrusted)) return 'The "untrusted" of its output is no text.';
  if (!Array.isArray(pictures) || !pictures.every(isPicture))
    return 'The "pictures" of its output are no list of objects with a "path".';
  return pictures.length > mostPictures ? `It gave more than ${mostPictures} pictures.` : undefined;
}

function isTextIfAny(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isPicture(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !('path' in value)) return false;
  return typeof value.path === 'string' && value.path.length <= longestPath;
}

export interface CallQuestionsDependencies {
  readonly ask: AskPerson;
  readonly timer: Pick<CallTimer, 'pause'>;
  /** Aborts when the call is told to end. */
  readonly signal: AbortSignal;
  /** Takes out what people may not read. */
  readonly said: (text: string) => string;
}

/** What one call asks its person while it runs. Its time stands still meanwhile, and no question outlives it. */
class CallQuestions {
  readonly #dependencies: CallQuestionsDependencies;
  readonly #over = new AbortController();
  readonly #open = new Set<Promise<unknown>>();

  constructor(dependencies: CallQuestionsDependencies) {
    this.#dependencies = dependencies;
  }

  readonly ask: AskPerson = async (question, signal) => {
    const { timer } = this.#dependencies;
    const resume = timer.pause();
    const answer = this.#asked(question, signal);
    this.#open.add(answer);
    try {
      return await answer;
    } finally {
      this.#open.delete(answer);
      resume();
    }
  };

  /** Calls off what is still asked. Resolves when nothing is. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#open);
  }

  #asked({ text, options, ...rest }: PersonQuestion, signal: AbortSignal | undefined): Promise<string | undefined> {
    const { ask, signal: told, said } = this.#dependencies;
    const ends = [told, this.#over.signal, ...(signal === undefined ? [] : [signal])];
    return ask({ ...rest, text: said(text), options: options.map(said) }, AbortSignal.any(ends));
  }
}
