import type { Clock } from '../lib/clock.ts';
import type { CrashPoints } from '../lib/crash-points.ts';
import { error, type ToolOutput } from '../tools/output.ts';
import type { SubRunRequest, SubRunWorker } from '../tools/sub-run-request.ts';
import { type CallResult, lastTurn } from '../transcript.ts';
import type { Surroundings } from './call-judge.ts';
import { subRunTask } from './daemon-event.ts';
import type { Presenter } from './presenter.ts';
import type { RunState, RunStore } from './run-store.ts';
import type { FindWorker, SubRun, SubRunLimits, Worker } from './sub-run.ts';
import { cardNoteOf, goneWords, inForm, outcomeOf } from './sub-run-result.ts';

export interface SubRunDependencies {
  readonly store: Pick<RunStore, 'beginSubRun' | 'endSubRun'>;
  readonly presenter: Pick<Presenter, 'deliver' | 'showStatus'>;
  readonly findWorker: FindWorker;
  readonly limits: SubRunLimits;
  readonly clock: Clock;
  readonly crashPoint: CrashPoints;
  /** There is something to do in these conversations. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** A call that hands over what it is to do. */
export interface HandingCall {
  readonly id: string;
  readonly toolName: string;
}

/** Begins runs for calls of other runs, and brings what they come to back to those calls, once. */
export class SubRuns {
  readonly #dependencies: SubRunDependencies;

  constructor(dependencies: SubRunDependencies) {
    this.#dependencies = dependencies;
  }

  /** Lets the call wait for a run of its own. `stopped`: its run was; otherwise what the call comes to instead. */
  async begin(
    call: HandingCall,
    request: SubRunRequest,
    where: Surroundings,
  ): Promise<ToolOutput | 'begun' | 'stopped'> {
    const { store, findWorker, limits, clock, crashPoint, wake } = this.#dependencies;
    const worker = findWorker(request.worker);
    if (worker === undefined) return error(goneWords(request));
    const depth = (where.scope.within?.depth ?? 0) + 1;
    if (depth > limits.maxDepth) {
      return error(`Not begun: at most ${limits.maxDepth} runs may stand within each other. Do it yourself.`);
    }
    const conversationId = `sub:${call.id}`;
    const { principal, name: principalName } = where.scope.sender;
    const model = worker.model ?? where.model;
    const begun = await store.beginSubRun({
      conversationId,
      conversation: placeOf(where),
      subRun: subRunOf(call, request, where),
      principal,
      principalName,
      task: subRunTask(principalName, request.task),
      ...(model === undefined ? {} : { model }),
      inBackground: request.inBackground,
      mostRunning: limits.maxRunning,
      at: clock.now(),
    });
    if (begun === 'too-many') {
      return error(`Not begun: ${limits.maxRunning} others work for this conversation. Wait for one of them to end.`);
    }
    if (begun === 'outdated') return 'stopped';
    crashPoint('sub-run-begun');
    wake([conversationId]);
    return 'begun';
  }

  /** Somebody who works on a sub-run, as he is now: undefined if there is none any more. */
  workerOf(worker: SubRunWorker): Worker | undefined {
    return this.#dependencies.findWorker(worker);
  }

  /** Why nobody goes on with it, if that is so: who works on it is gone, or somebody who works on a run that waits for it. */
  goneWords({ above, worker }: SubRun): string | undefined {
    const gone = [...above, worker].find((one) => this.workerOf(one) === undefined);
    return gone === undefined ? undefined : goneWords({ worker: gone });
  }

  /** Its model has nothing to do: it is over, unless something goes on that it will be told of. */
  async rest(state: RunState, subRun: SubRun): Promise<void> {
    if (!isWaiting(state)) await this.end(state, subRun);
  }

  /** How long the model of a sub-run may say nothing, in milliseconds. */
  get stall(): number {
    return this.#dependencies.limits.stall;
  }

  /** Brings what the sub-run came to, or why it came to nothing, to the call that waits for it. */
  async end(state: RunState, subRun: SubRun, failure?: string): Promise<void> {
    const { store, presenter, clock, crashPoint, wake } = this.#dependencies;
    const outcome = failure === undefined ? outcomeOf(state) : ({ outcome: 'error', text: failure } as const);
    const result: CallResult = { outcome: outcome.outcome, text: inForm(outcome, subRun) };
    const { conversationId } = state;
    const cardNote = cardNoteOf(outcome.outcome);
    const { toWake, places } = await store.endSubRun({ conversationId, subRun, result, cardNote, at: clock.now() });
    crashPoint('sub-run-ended');
    const { callId, toolName, rootId } = subRun;
    const shown = outcome.outcome === 'success' ? 'success' : 'error';
    if (toWake.length > 0) presenter.showStatus(rootId, { callId, toolName, state: shown });
    presenter.deliver([...places, rootId]);
    wake(toWake);
  }
}

function subRunOf(call: HandingCall, request: SubRunRequest, where: Surroundings): SubRun {
  const { scope, runsIn, workers = [] } = where;
  return {
    callId: call.id,
    toolName: call.toolName,
    parentId: runsIn ?? scope.conversationId,
    rootId: scope.conversationId,
    worker: request.worker,
    above: workers,
    title: request.title,
    form: request.form,
  };
}

/** A run that was ended early waits for nothing. */
function isWaiting({ transcript, journal, summary }: RunState): boolean {
  if (lastTurn(transcript)?.type !== 'turn') return false;
  return (summary?.waiting.length ?? 0) > 0 || [...journal.values()].some(({ state }) => state !== 'done');
}

function placeOf({ scope: { channel, tenant, chatId, threadId, kind } }: Surroundings) {
  return {
    channel,
    chatId,
    kind,
    ...(tenant === undefined ? {} : { tenant }),
    ...(threadId === undefined ? {} : { threadId }),
  };
}
