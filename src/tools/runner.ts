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

/** The outcome of the race between the tool and its time limit or a stop. */
type Ending =
  | { readonly type: 'answered'; readonly output: ToolOutput }
  | { readonly type: 'threw'; readonly cause: unknown }
  /** `last`: the output that came within the grace period, if any. */
  | { readonly type: 'timed-out' | 'stopped'; readonly last?: ToolOutput };

export type ToolRunner = ReturnType<typeof createToolRunner>;

/**
 * Executes prepared calls, and always returns an output, even if a tool throws, never ends or writes too much. Knows
 * nothing of approvals, channels or the journal. `redact`: removes secrets from all that tools say. `keep`: keeps
 * output that is too long for the model; without it, the rest is lost.
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

  /** `paused`: how long people were asked, in ms. */
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
        // An aborted call can no longer speak in the chat.
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
     * Runs the call once. Never rejects. On timeout (in ms), or if the context's signal aborts, the tool's own signal
     * aborts; the call ends with the tool or after the grace period, and later output is ignored.
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

    /** The statistics of a tool since the start; undefined if it was not called. */
    statisticsOf: statistics.of,
  };
}

/**
 * The questions of a running call to its person. The call's timer pauses meanwhile, and no question outlives the call.
 * `end` cancels open questions.
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

/** Executes the call. What it throws goes to the model and the log; a guard's refusal becomes the output. */
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
