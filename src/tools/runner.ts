import { z } from 'zod';
import type { Clock } from '../lib/clock.ts';
import { oneLine } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import { failureNote } from './call-hooks.ts';
import { type CallTimer, startCallTimer } from './call-timer.ts';
import { BoundsError } from './guard/process/bounds.ts';
import { noRedaction, type Redactor } from './guard/redact/redact.ts';
import { WorkspaceError } from './guard/workspace/workspace-error.ts';
import { error, type ToolOutput } from './output.ts';
import { forPeople, type KeepResult, type KeptText, shapeOutput } from './shape-output.ts';
import { createCallStatistics, failuresToTell } from './statistics.ts';
import type { AskPerson, PreparedCall, ToolContext } from './tool.ts';

export interface RunnerSettings {
  /** How long a call may take, in milliseconds. Default 10 minutes. */
  readonly timeout?: number;
  /** How much of an output is kept, in characters, for the model and for people each. Default 50,000. */
  readonly maxOutput?: number;
  /** How long a call that was told to end may take to do so, in milliseconds. Default 800. */
  readonly grace?: number;
}

export interface CallEnding {
  readonly output: ToolOutput;
  /** In milliseconds, without the time that people were asked. */
  readonly duration: number;
}

/** How the race between the tool and what ends it went. */
type Ending =
  | { readonly type: 'answered'; readonly output: ToolOutput }
  | { readonly type: 'threw'; readonly cause: unknown }
  /** What it still said in the grace after it was told to end, if anything. */
  | { readonly type: 'timed-out' | 'stopped'; readonly last?: ToolOutput };

export type ToolRunner = ReturnType<typeof createToolRunner>;

/**
 * Executes prepared calls, and answers for every one of them: neither a throw, nor a tool that never ends, nor a giant
 * output gets through. Knows nothing of approvals, channels or the journal. `redact`: takes secrets out of all that
 * tools say. `keep`: keeps what is too long for the model; else it is lost.
 */
export function createToolRunner({
  clock,
  settings = {},
  redact = noRedaction,
  keep,
}: {
  readonly clock: Clock;
  readonly settings?: RunnerSettings;
  readonly redact?: Redactor;
  readonly keep?: KeepResult;
}) {
  const statistics = createCallStatistics();
  const said = (text: string): string => forPeople(text, redact);

  /** A full disk must not cost the rest of the result. */
  async function kept(text: string, context: ToolContext): Promise<KeptText | undefined> {
    try {
      return await keep?.(text, context);
    } catch (cause) {
      context.log.warn({ err: cause }, 'what a tool said is too long, and could not be kept');
      return undefined;
    }
  }

  /** `paused`: how long people were asked, in milliseconds. */
  function race(
    call: PreparedCall,
    context: ToolContext,
    timeout: number,
  ): Promise<{ readonly ending: Ending; readonly paused: number }> {
    const controller = new AbortController();
    const { signal } = controller;
    return new Promise((resolve) => {
      let told: 'timed-out' | 'stopped' | undefined;
      let cancelGrace = (): void => {};
      const finish = (ending: Ending): void => {
        timer.stop();
        cancelGrace();
        context.signal.removeEventListener('abort', stop);
        resolve(questions.end().then(() => ({ ending, paused: timer.paused() })));
      };
      const tell = (type: 'timed-out' | 'stopped', reason: unknown): void => {
        if (told !== undefined) return;
        told = type;
        cancelGrace = clock.after(settings.grace ?? 800, () => finish({ type }));
        controller.abort(reason);
      };
      const stop = (): void => tell('stopped', context.signal.reason);
      const timer = startCallTimer(clock, timeout, () =>
        tell('timed-out', new DOMException('The call took too long', 'TimeoutError')),
      );
      const questions = callQuestions(context.ask, timer, signal, said);
      context.signal.addEventListener('abort', stop, { once: true });
      const inner: ToolContext = {
        ...context,
        signal,
        // A call that was told to end has nothing to say in the chat any more.
        reply: async (text) => (signal.aborted ? undefined : context.reply(said(text))),
        progress: (status) => (signal.aborted ? undefined : context.progress(said(status))),
        ask: questions.ask,
      };
      void attempt(call, inner).then((ending) => {
        if (told === undefined) finish(ending);
        else finish({ type: told, last: ending.type === 'answered' ? ending.output : undefined });
      });
    });
  }

  return {
    /**
     * Runs the call once. Never rejects. When the time (in milliseconds) is over or the context's signal aborts, the tool's
     * own signal aborts; the call ends when the tool does, or after the grace, and what the tool does later is ignored.
     */
    async run(
      call: PreparedCall,
      context: ToolContext,
      { timeout = settings.timeout ?? 600_000 }: { readonly timeout?: number } = {},
    ): Promise<CallEnding> {
      const { toolName: name } = call;
      if (context.signal.aborted) return { output: error(`${name} did not run: it was stopped before.`), duration: 0 };
      const startedAt = clock.now();
      const { ending, paused } = await race(call, context, timeout);
      if (ending.type === 'threw') context.log.error({ err: ending.cause, tool: name }, 'a tool threw');
      const duration = clock.now() - startedAt - paused;
      const output = await shapeOutput(toOutput(ending, { name, timeout, said }), {
        limit: settings.maxOutput ?? 50_000,
        redact,
        keep: (text) => kept(text, context),
      });
      const isStopped = ending.type === 'stopped';
      statistics.add(name, { isError: output.isError, isStopped, duration });
      const times = statistics.of(name)?.failuresInRow ?? 0;
      if (isStopped || !output.isError || times < failuresToTell) return { output, duration };
      return { output: { ...output, forLlm: output.forLlm + failureNote(times) }, duration };
    },

    /** What became of the calls of a tool since the start; undefined where there was none. */
    statisticsOf: statistics.of,
  };
}

/**
 * What one call asks its person while it runs. Its time stands still meanwhile, and no question outlives it. `end` calls off
 * what is still asked.
 */
function callQuestions(
  ask: AskPerson | undefined,
  timer: CallTimer,
  told: AbortSignal,
  said: (text: string) => string,
) {
  const over = new AbortController();
  const open = new Set<Promise<unknown>>();
  const asked: AskPerson = async ({ text, options, ...rest }, signal) => {
    const resume = timer.pause();
    const ends = [told, over.signal, ...(signal === undefined ? [] : [signal])];
    const answer = ask?.({ ...rest, text: said(text), options: options.map(said) }, AbortSignal.any(ends));
    const waiting = Promise.resolve(answer);
    open.add(waiting);
    try {
      return await waiting;
    } finally {
      open.delete(waiting);
      resume();
    }
  };
  return {
    ask: ask && asked,
    end: () => {
      over.abort();
      return Promise.allSettled(open);
    },
  };
}

/**
 * Anything may come out of a tool: what it throws is told to the model and to the log. What a guard says against the call is
 * its answer.
 */
async function attempt(call: PreparedCall, context: ToolContext): Promise<Ending> {
  try {
    const output = await call.execute(context);
    const fault = outputFault(output);
    if (fault !== undefined) throw new TypeError(fault);
    return { type: 'answered', output };
  } catch (cause) {
    const isRefused = cause instanceof WorkspaceError || cause instanceof BoundsError;
    return isRefused ? { type: 'answered', output: error(cause.message) } : { type: 'threw', cause };
  }
}

function toOutput(
  ending: Ending,
  { name, timeout, said }: { readonly name: string; readonly timeout: number; readonly said: (text: string) => string },
): ToolOutput {
  switch (ending.type) {
    case 'answered':
      return ending.output;
    case 'threw': {
      const reason = ending.cause instanceof Error ? ending.cause.message : 'It threw something that is no error.';
      return error(
        `${name} failed: ${oneLine(said(reason), 300)}\nIt may have done a part of its work: look before you try again.`,
      );
    }
    case 'timed-out':
      return unfinished(`${name} did not end within ${durationWords(timeout)} and was ended.`, ending.last);
    case 'stopped':
      return unfinished(`${name} was stopped by a person or because the assistant stops.`, ending.last);
  }
}

function unfinished(what: string, last: ToolOutput | undefined): ToolOutput {
  const text = `${what} It may have done a part of its work.`;
  if (last === undefined) return error(text);
  return { ...error(`${text} It said at the end:\n${last.forLlm}`), untrusted: last.untrusted };
}

/** More than a model is ever shown at once; each is a line for it to read. */
const mostPictures = 100;
/** No system has longer ones, in UTF-16 units. */
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

/** What is wrong with what a tool has given, whose code may be anybody's; undefined if it is an output. */
function outputFault(output: unknown): string | undefined {
  const [fault] = outputForm.safeParse(output).error?.issues ?? [];
  if (fault === undefined) return undefined;
  const [key = 'forLlm'] = fault.path;
  return key === 'forLlm' ? 'It gave no output.' : `The "${String(key)}" of its output is not what it must be.`;
}
