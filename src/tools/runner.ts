import { z } from 'zod';
import type { ToolStatus } from '../contract.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonValue } from '../lib/json.ts';
import { messageOf, oneLine, shortened } from '../lib/plain-text.ts';
import { durationWords } from '../lib/time-words.ts';
import { BoundsError } from './guard/process/bounds.ts';
import { noRedaction, type Redactor } from './guard/redact/redact.ts';
import { WorkspaceError } from './guard/workspace/workspace-error.ts';
import { error, forPeople, type KeepResult, type KeptText, shapeOutput, type ToolOutput } from './output.ts';
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

  /** The output of a call, unless it had to end before: why, and what it said at the end, if anything. */
  async function attempt(call: PreparedCall, context: ToolContext, timeout: number) {
    const { signal: stopped } = context;
    const own = new AbortController();
    const ended = Promise.withResolvers<{ readonly cut?: Cut; readonly output?: ToolOutput }>();
    let cut: Cut | undefined;
    let cancelGrace = (): void => {};
    const end = (why: Cut, reason: unknown): void => {
      if (cut !== undefined) return;
      cut = why;
      cancelGrace = clock.after(settings.grace ?? 800, () => ended.resolve({ cut: why }));
      own.abort(reason);
    };
    const stop = (): void => end('stopped', stopped.reason);
    const timer = startCallTimer(clock, timeout, () =>
      end('timed-out', new DOMException('The call took too long', 'TimeoutError')),
    );
    const questions = callQuestions(context.ask, timer, own.signal, said);
    stopped.addEventListener('abort', stop, { once: true });
    const inner: ToolContext = {
      ...context,
      signal: own.signal,
      // An aborted call can no longer speak in the chat.
      reply: async (text) => (own.signal.aborted ? undefined : context.reply(said(text))),
      progress: (status) => (own.signal.aborted ? undefined : context.progress(said(status))),
      ask: questions.ask,
    };
    outputOf(call, inner).then(
      (output) => ended.resolve({ cut, output }),
      (cause: unknown) =>
        ended.resolve(cut === undefined ? { output: failed(call.toolName, cause, context) } : { cut }),
    );
    const ending = await ended.promise;
    timer.stop();
    cancelGrace();
    stopped.removeEventListener('abort', stop);
    await questions.end();
    return { ...ending, paused: timer.paused() };
  }

  /** What a tool throws goes to the model and the log. */
  function failed(name: string, cause: unknown, { log }: ToolContext): ToolOutput {
    log.error({ err: cause, tool: name }, 'a tool threw');
    return error(
      `${name} failed: ${oneLine(said(messageOf(cause)), 300)}\nIt may have done a part of its work: look before you try again.`,
    );
  }

  return {
    /**
     * Runs the call once. Never rejects. On timeout, or if the context's signal aborts, the tool's own signal
     * aborts; the call ends with the tool or after the grace period, and later output is ignored.
     */
    async run(call: PreparedCall, context: ToolContext): Promise<CallEnding> {
      const { toolName: name } = call;
      const { timeout = 600_000, maxOutput: limit = 50_000 } = settings;
      if (context.signal.aborted) return { output: error(`${name} did not run: it was stopped before.`), duration: 0 };
      const startedAt = clock.now();
      const { cut, output: raw, paused } = await attempt(call, context, timeout);
      const duration = clock.now() - startedAt - paused;
      const whole = cut === undefined && raw !== undefined ? raw : unfinished(name, cut, timeout, raw);
      const output = await shapeOutput(whole, { limit, redact, keep: (text) => kept(text, context) });
      statistics.add(name, output.isError, cut === 'stopped', duration);
      const times = statistics.of(name)?.failuresInRow ?? 0;
      if (cut === 'stopped' || !output.isError || times < failuresToTell) return { output, duration };
      return { output: { ...output, forLlm: output.forLlm + failureNote(times) }, duration };
    },

    /** The statistics of a tool since the start; undefined if it was not called. */
    statisticsOf: statistics.of,
  };
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

export type CallTimer = ReturnType<typeof startCallTimer>;

/** Starts a call's timeout, in ms. It pauses while a person is asked. Calls `over` once, unless stopped before. */
export function startCallTimer(clock: Clock, milliseconds: number, over: () => void) {
  let left = milliseconds;
  let since = clock.now();
  let cancel = clock.after(left, over);
  let pauses = 0;
  let paused = 0;

  function goOn(): void {
    since = clock.now();
    cancel = clock.after(left, over);
  }

  return {
    /** How long it was paused, in ms. */
    paused: () => paused,
    /** Pauses until the returned function is called. Several pauses end with the last one. */
    pause(): () => void {
      if (pauses++ === 0) {
        cancel();
        left -= clock.now() - since;
        since = clock.now();
      }
      return () => {
        if (--pauses > 0) return;
        paused += clock.now() - since;
        goOn();
      };
    },
    /** Resets it to the full time. */
    restart(): void {
      left = milliseconds;
      if (pauses > 0) return;
      cancel();
      goOn();
    },
    stop(): void {
      pauses = Number.POSITIVE_INFINITY;
      cancel();
    },
  };
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

/** Counts each call once, when it ends. */
function createCallStatistics() {
  const tools = new Map<string, ToolStatistics>();
  return {
    /** `isStopped`: it was aborted, which says nothing about the tool. */
    add(name: string, isError: boolean, isStopped: boolean, duration: number): void {
      const so = tools.get(name) ?? none;
      const count = so.count + 1;
      const recent = isStopped ? so.recent : [...so.recent, isError].slice(-mostRecent);
      const failuresInRow = isStopped ? so.failuresInRow : isError ? so.failuresInRow + 1 : 0;
      const failsOften = recent.length >= fewestToJudge && recent.filter(Boolean).length > recent.length / 2;
      tools.set(name, {
        count,
        failure: so.failure + (isError ? 1 : 0),
        averageDuration: so.averageDuration + (duration - so.averageDuration) / count,
        failuresInRow,
        recent,
        isFailing: failuresInRow >= failuresToTell || failsOften,
      });
    },
    /** Undefined if it was not called yet. */
    of: (name: string) => tools.get(name),
  };
}

type State = ToolStatus['state'];

const rank = { wait: 0, doing: 1, success: 2, error: 2 } as const satisfies Record<State, number>;

/** Whether a call may go from `current` to `state`: only forward, and never after the end. */
export function mayFollow(state: State, current: State): boolean {
  return rank[current] < rank.success && rank[state] >= rank[current];
}

/**
 * Tracks the status of a call: wait, doing, then success or error. Drops steps back and repetitions. A tip stays until
 * the next one.
 */
export function trackStatus(
  call: { readonly id: string; readonly prepared: { readonly toolName: string } },
  listener: (status: ToolStatus) => void,
) {
  let current: ToolStatus | undefined;
  const go = (state: State, tip: string | undefined, end: Pick<ToolStatus, 'duration' | 'isStopped'> = {}): void => {
    const shown = tip ?? current?.tip;
    if (current !== undefined && !mayFollow(state, current.state)) return;
    if (current?.state === state && current.tip === shown) return;
    current = { callId: call.id, toolName: call.prepared.toolName, state, tip: shown, ...end };
    listener(current);
  };
  return {
    wait: (tip?: string) => go('wait', tip),
    doing: (tip?: string) => go('doing', tip),
    /** The duration in ms. `isStopped`: somebody called it off. */
    end: (succeeded: boolean, duration: number, isStopped = false) =>
      go(succeeded ? 'success' : 'error', undefined, { duration, isStopped: isStopped || undefined }),
  };
}

/** The arguments as JSON on one line, cut at the end. Undefined if there are none yet. */
export function argumentsSoFar(args: JsonValue): string | undefined {
  // Long texts are cut before they are serialised: the arguments grow with every token.
  const json = JSON.stringify(args, (_key, part: unknown) =>
    typeof part === 'string' ? shortened(part, mostArguments) : part,
  );
  return json === '{}' || json === '""' ? undefined : shortened(json, mostArguments);
}

/** How much of the arguments is shown, in UTF-16 units. */
const mostArguments = 200;
