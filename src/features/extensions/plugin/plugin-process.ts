import { type Clock, endsWithin, onAbort } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedProcess } from '../../../tools/guard/process/process.ts';
import { lineProcess } from '../line-process.ts';
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

/** `answer` resolves with the whole message, or undefined if none will come. */
interface SentRequest {
  readonly id: number;
  readonly answer: Promise<JsonObject | undefined>;
}

export type PluginProcess = ReturnType<typeof pluginProcess>;

/**
 * A plugin process that answers calls, several at a time. It speaks JSON-RPC 2.0, one message per line: requests and
 * notifications go out, answers and notifications come in.
 */
export function pluginProcess(process: LongLivedProcess, clock: Clock, log: Log) {
  /** The resolvers of open requests, by id. */
  const waiting = new Map<number, (answer: JsonObject | undefined) => void>();
  const progress = new Map<string, (message: string) => void>();
  let lastId = 0;
  let skipped = 0;
  /** It has exited, though it may not be over yet. */
  let isGone = false;
  /** It takes no more calls. */
  let isClosed = false;
  /** How it must end; undefined while it may go on. */
  let ending: 'crash' | 'wanted' | undefined;

  const lines = lineProcess(process, {
    ...{ clock, log, longestLine, received },
    failed() {
      ending ??= 'crash';
      close();
    },
  });
  void process.exited.then(() => {
    isGone = true;
  });
  const over = lines.over.then(({ exitCode, why }) => {
    ending ??= waiting.size > 0 || exitCode !== 0 ? 'crash' : 'wanted';
    close();
    return { isCrash: ending === 'crash', why };
  });
  lines.begin();

  function close(): void {
    isClosed = true;
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  }

  function send(message: JsonObject): void {
    if (!isClosed) lines.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  function request(method: string, params: JsonObject): SentRequest {
    lastId += 1;
    const id = lastId;
    if (isClosed) return { id, answer: Promise.resolve(undefined) };
    const { promise: answer, resolve } = Promise.withResolvers<JsonObject | undefined>();
    waiting.set(id, resolve);
    send({ id, method, params });
    return { id, answer };
  }

  function received(line: string): void {
    const message = parseJson(line);
    if (!isJsonObject(message)) skip('it is no JSON object');
    else if (typeof message.method === 'string') asked(message.method, message);
    else answered(message);
  }

  function asked(method: string, { id, params }: JsonObject): void {
    if (typeof id === 'number' || typeof id === 'string')
      send({ id, error: { code: unknownMethod, message: 'Keyturn takes no requests.' } });
    else if (id === undefined) notified(method, isJsonObject(params) ? params : {});
  }

  function notified(method: string, { call_id, message }: JsonObject): void {
    if (method !== 'progress') skip('its method is not known');
    else if (typeof message === 'string' && typeof call_id === 'string') progress.get(call_id)?.(oneLine(message, 200));
  }

  function answered(message: JsonObject): void {
    const id = Number(message.id);
    const resolve = waiting.get(id);
    waiting.delete(id);
    if (resolve === undefined) skip('nothing waits for an answer with its id');
    else resolve(message);
  }

  /** The line itself is not logged. */
  function skip(why: string): void {
    skipped += 1;
    const level = skipped === 1 ? 'warn' : 'debug';
    log[level]({ why, lines: skipped }, 'a plugin said a line that means nothing: it was skipped');
  }

  /** Cancels a call, and ends the process if it does not let go: a call reported as ended must not go on. */
  function cancel(callId: string, id: number, grace: number, end: 'crash' | 'wanted'): void {
    send({ method: '$/cancel', params: { call_id: callId } });
    clock.after(grace, () => {
      if (!waiting.has(id)) return;
      ending ??= end;
      lines.fail('it did not let go of a call that was to end, and was ended');
    });
  }

  /** Undefined if the process ends first. */
  function outcomeInTime({ id, answer }: SentRequest, call: PluginCall): Promise<CallOutcome | undefined> {
    const { signal, callId } = call.context;
    return new Promise((resolve) => {
      const finish = (outcome: CallOutcome | undefined): void => {
        callOff();
        unlisten();
        resolve(outcome);
      };
      const callOff = clock.after(call.timeout, () => {
        cancel(callId, id, timeoutGrace, 'crash');
        finish({ type: 'timed-out' });
      });
      const unlisten = onAbort(signal, () => cancel(callId, id, stopGrace, 'wanted'));
      void answer.then((got) => finish(got && (signal.aborted ? { type: 'stopped' } : outcomeOf(got, call))));
    });
  }

  return {
    /** Resolves when it and everything it started are gone. `isCrash`: it did not end as it should. Never rejects. */
    over,
    /** It takes no more calls, though it may not be over yet. */
    isGone: (): boolean => isGone || isClosed,
    /** Sends `initialize`. If the plugin cannot be used, ends it and resolves with the reason. */
    async initialize(workspace: string, timeout: number): Promise<string | undefined> {
      const { answer } = request('initialize', { protocol_version: protocolVersion, workspace });
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
    },
    async execute(call: PluginCall): Promise<CallOutcome> {
      const { callId, channel, chatId, workspace, signal, progress: report } = call.context;
      progress.set(callId, report);
      try {
        const { method, params } = requestOf(call, {
          call_id: callId,
          context: { channel, chat_id: chatId, workspace },
        });
        const outcome = await outcomeInTime(request(method, params), call);
        if (outcome !== undefined) return outcome;
        const { why } = await over;
        return signal.aborted ? { type: 'stopped' } : { type: 'lost', why };
      } finally {
        progress.delete(callId);
      }
    },
    /** Lets it exit, and ends it if it does not. */
    async stop(): Promise<void> {
      ending ??= 'wanted';
      // The answer does not matter.
      request('shutdown', {});
      await lines.stop();
    },
  };
}
