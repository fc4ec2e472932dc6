import { type LineProcess, type LineProcessEnding, lineProcess } from '../../extension-kit/line-process.ts';
import { type Clock, endsWithin, onAbort } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { wordsIn } from '../../lib/words.ts';
import type { LongLivedProcess } from '../../tools/guard/process/process.ts';
import { type CallOutcome, outcomeOf, type PluginCall, requestOf, rpcFault } from './plugin-means.ts';

/** In bytes. */
const longestLine = 2 ** 20;
/** How long it may take to answer a call that timed out, in ms. */
const timeoutGrace = 5_000;
/** How long it may take to answer a stopped call, in ms: stopping must end within a second. */
const stopGrace = 300;

/** The JSON-RPC code for an unknown method. */
const unknownMethod = -32_601;
/** Sent to plugins in `initialize`. Increase it when something changes that plugins rely on. */
const protocolVersion = 1;

/**
 * A plugin process that answers calls, several at a time. It speaks JSON-RPC 2.0, one message per line: requests and
 * notifications go out, answers and notifications come in.
 */
export interface PluginProcess {
  /** Resolves when it and everything it started are gone. Never rejects. */
  readonly over: Promise<ProcessEnd>;
  /** It takes no more calls, though it may not be over yet. */
  isGone(): boolean;
  /** Sends `initialize`. If the plugin cannot be used, ends it and resolves with the reason. */
  initialize(workspace: string, timeout: number): Promise<string | undefined>;
  execute(call: PluginCall): Promise<CallOutcome>;
  /** Lets it exit, and ends it if it does not. */
  stop(): Promise<void>;
}

interface ProcessEnd {
  /** It did not end as it should. */
  readonly isCrash: boolean;
  /** Half a sentence for the model. */
  readonly why: string;
}

interface ProcessState {
  readonly clock: Clock;
  readonly log: Log;
  readonly lines: LineProcess;
  /** The resolvers of open requests, by id. */
  readonly waiting: Map<number, (answer: JsonObject | undefined) => void>;
  /** Takes reports on calls, by their ids. */
  readonly progress: Map<string, (message: string) => void>;
  lastId: number;
  skipped: number;
  /** It has exited, though it may not be over yet. */
  isGone: boolean;
  /** It takes no more calls. */
  isClosed: boolean;
  /** How it must end; undefined while it may go on. */
  ending: 'crash' | 'wanted' | undefined;
}

export function pluginProcess(process: LongLivedProcess, clock: Clock, log: Log): PluginProcess {
  const state: ProcessState = {
    clock,
    log,
    lines: lineProcess(process, {
      clock,
      log,
      longestLine,
      received: (line) => received(line, state),
      failed() {
        state.ending ??= 'crash';
        close(state);
      },
    }),
    waiting: new Map(),
    progress: new Map(),
    lastId: 0,
    skipped: 0,
    isGone: false,
    isClosed: false,
    ending: undefined,
  };
  void process.exited.then(() => {
    state.isGone = true;
  });
  const over = state.lines.over.then((ending) => ended(ending, state));
  state.lines.begin();
  return {
    over,
    isGone: () => state.isGone || state.isClosed,
    initialize: (workspace, timeout) => initialize(workspace, timeout, over, state),
    execute: (call) => execute(call, over, state),
    async stop() {
      state.ending ??= 'wanted';
      // The answer does not matter.
      request('shutdown', {}, state);
      await state.lines.stop();
    },
  };
}

function ended({ exitCode, why }: LineProcessEnding, state: ProcessState): ProcessEnd {
  state.ending ??= state.waiting.size > 0 || exitCode !== 0 ? 'crash' : 'wanted';
  close(state);
  return { isCrash: state.ending === 'crash', why: wordsIn('en', why) };
}

function close(state: ProcessState): void {
  state.isClosed = true;
  for (const resolve of state.waiting.values()) resolve(undefined);
  state.waiting.clear();
}

async function initialize(
  workspace: string,
  timeout: number,
  over: Promise<ProcessEnd>,
  state: ProcessState,
): Promise<string | undefined> {
  const { clock, lines } = state;
  const { answer } = request('initialize', { protocol_version: protocolVersion, workspace }, state);
  const isInTime = await endsWithin(answer, { clock, milliseconds: timeout });
  const first = isInTime ? await answer : undefined;
  if (isInTime && first === undefined) return (await over).why;
  const fault = first && rpcFault(first);
  // A plugin without `initialize` needs no greeting.
  if (isInTime && (fault === undefined || fault.code === unknownMethod)) return undefined;
  const why =
    fault === undefined
      ? `it did not answer "initialize" within ${timeout / 1000} s`
      : `it answered "initialize" with an error: ${oneLine(fault.words, 300)}`;
  lines.fail(why);
  await over;
  return why;
}

async function execute(call: PluginCall, over: Promise<ProcessEnd>, state: ProcessState): Promise<CallOutcome> {
  const { callId, channel, chatId, workspace, signal, progress: report } = call.context;
  state.progress.set(callId, report);
  try {
    const { method, params } = requestOf(call, {
      call_id: callId,
      context: { channel, chat_id: chatId, workspace },
    });
    const outcome = await outcomeInTime(request(method, params, state), call, state);
    if (outcome !== undefined) return outcome;
    const { why } = await over;
    return signal.aborted ? { type: 'stopped' } : { type: 'lost', why };
  } finally {
    state.progress.delete(callId);
  }
}

/** `answer` resolves with the whole message, or undefined if none will come. */
interface SentRequest {
  readonly id: number;
  readonly answer: Promise<JsonObject | undefined>;
}

/** Undefined if the process ends first. */
function outcomeInTime(
  { id, answer }: SentRequest,
  call: PluginCall,
  state: ProcessState,
): Promise<CallOutcome | undefined> {
  const { signal, callId } = call.context;
  const { promise, resolve } = Promise.withResolvers<CallOutcome | undefined>();
  const callOff = state.clock.after(call.timeout, () => {
    cancel({ callId, id, grace: timeoutGrace, end: 'crash' }, state);
    unlisten();
    resolve({ type: 'timed-out' });
  });
  const unlisten = onAbort(signal, () => cancel({ callId, id, grace: stopGrace, end: 'wanted' }, state));
  void answer.then((got) => {
    callOff();
    unlisten();
    resolve(got && (signal.aborted ? { type: 'stopped' } : outcomeOf(got, call)));
  });
  return promise;
}

interface Cancelling {
  readonly callId: string;
  readonly id: number;
  /** In ms. */
  readonly grace: number;
  readonly end: 'crash' | 'wanted';
}

/** Cancels a call, and ends the process if it does not let go: a call reported as ended must not go on. */
function cancel({ callId, id, grace, end }: Cancelling, state: ProcessState): void {
  send({ method: '$/cancel', params: { call_id: callId } }, state);
  state.clock.after(grace, () => {
    if (!state.waiting.has(id)) return;
    state.ending ??= end;
    state.lines.fail('it did not let go of a call that was to end, and was ended');
  });
}

function request(method: string, params: JsonObject, state: ProcessState): SentRequest {
  state.lastId += 1;
  const id = state.lastId;
  if (state.isClosed) return { id, answer: Promise.resolve(undefined) };
  const { promise: answer, resolve } = Promise.withResolvers<JsonObject | undefined>();
  state.waiting.set(id, resolve);
  send({ id, method, params }, state);
  return { id, answer };
}

function send(message: JsonObject, { isClosed, lines }: ProcessState): void {
  if (!isClosed) lines.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

function received(line: string, state: ProcessState): void {
  const message = parseJson(line);
  if (!isJsonObject(message)) skip('it is no JSON object', state);
  else if (typeof message.method === 'string') asked(message.method, message, state);
  else answered(message, state);
}

function asked(method: string, { id, params }: JsonObject, state: ProcessState): void {
  if (typeof id === 'number' || typeof id === 'string')
    send({ id, error: { code: unknownMethod, message: 'Keyturn takes no requests.' } }, state);
  else if (id === undefined) notified(method, isJsonObject(params) ? params : {}, state);
}

function notified(method: string, { call_id, message }: JsonObject, state: ProcessState): void {
  if (method !== 'progress') skip('its method is not known', state);
  else if (typeof message === 'string' && typeof call_id === 'string')
    state.progress.get(call_id)?.(oneLine(message, 200));
}

function answered(message: JsonObject, state: ProcessState): void {
  const { waiting } = state;
  const id = Number(message.id);
  const resolve = waiting.get(id);
  waiting.delete(id);
  if (resolve === undefined) skip('nothing waits for an answer with its id', state);
  else resolve(message);
}

/** The line itself is not logged. */
function skip(why: string, state: ProcessState): void {
  state.skipped += 1;
  const level = state.skipped === 1 ? 'warn' : 'debug';
  state.log[level]({ why, lines: state.skipped }, 'a plugin said a line that means nothing: it was skipped');
}
