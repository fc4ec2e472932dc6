import { type Clock, sleep } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedProcess } from '../../../tools/guard/process/process.ts';
import { LineProcess } from '../line-process.ts';
import { type CallOutcome, outcomeOf, type PluginCall, rpcFault } from './plugin-means.ts';

/** How a plugin's process came to its end. */
export interface PluginProcessEnd {
  /** It did not end as it should. */
  readonly isCrash: boolean;
  /** What happened, as half a sentence. What it printed may be in it. */
  readonly why: string;
}

/** The longest line that is read, in bytes. */
const longestLine = 2 ** 20;
/** How long it may take to answer a call that took too long, in milliseconds. */
const timeoutGrace = 5_000;
/** How long it may take to answer a call that was stopped, in milliseconds: what is stopped has to end within a second. */
const stopGrace = 300;

/** As JSON-RPC numbers it. */
const unknownMethod = -32_601;

/** A request that was sent. Its answer is the whole message; undefined if none will come. */
interface SentRequest {
  readonly id: number;
  readonly answer: Promise<JsonObject | undefined>;
}

/**
 * One process of a plugin that answers call after call, several at a time. It speaks JSON-RPC 2.0, a message a line: requests
 * and notifications go out, answers and notifications come in.
 */
export class PluginProcess {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lines: LineProcess;
  /** What becomes of the answers that are awaited, by the ids of their requests. */
  readonly #waiting = new Map<number, (answer: JsonObject | undefined) => void>();
  readonly #progress = new Map<string, (message: string) => void>();
  #lastId = 0;
  #isClosed = false;
  #skipped = 0;
  #isStopping = false;
  #isGone = false;
  #hasFailed = false;
  /** It was ended with a call that a person has stopped. */
  #isEndedByStop = false;
  /** Resolves when it is gone, with all that it started. Never rejects. */
  readonly over: Promise<PluginProcessEnd>;

  constructor(process: LongLivedProcess, clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.#lines = new LineProcess(process, {
      ...{ clock, log, longestLine },
      received: (line) => this.#receive(line),
      failed: () => {
        this.#hasFailed = true;
        this.#close();
      },
    });
    void process.exited.then(() => {
      this.#isGone = true;
    });
    this.over = this.#lines.over.then(({ exitCode, why }) => {
      const wasBusy = this.#waiting.size > 0;
      this.#close();
      const isCrash = !this.#isEndedByStop && (this.#hasFailed || (!this.#isStopping && (wasBusy || exitCode !== 0)));
      return { isCrash, why };
    });
    this.#lines.begin();
  }

  /** It can take no more calls, though it may not be over yet. */
  get isGone(): boolean {
    return this.#isGone || this.#hasFailed;
  }

  /** Greets it. Resolves with why it cannot be used, if so: it is then ended. */
  async initialize(workspace: string, timeout: number): Promise<string | undefined> {
    const params = { protocol_version: protocolVersion, workspace };
    const { answer } = this.#request('initialize', params);
    const decided = new AbortController();
    const late = sleep(this.#clock, timeout, decided.signal).then(() => 'late' as const);
    const answered = await Promise.race([answer, late]);
    decided.abort();
    if (answered === undefined) return (await this.over).why;
    const fault = answered === 'late' ? undefined : rpcFault(answered);
    // It needs no greeting.
    if (answered !== 'late' && (fault === undefined || fault.code === unknownMethod)) return undefined;
    const why =
      fault === undefined
        ? `it did not answer "initialize" within ${timeout / 1000} s`
        : `it answered "initialize" with an error: ${oneLine(fault.words, 300)}`;
    this.#lines.fail(why);
    await this.over;
    return why;
  }

  /** Has it do a call. Never rejects. */
  async execute(call: PluginCall): Promise<CallOutcome> {
    const { method, tool, args, context } = call;
    const { callId, channel, chatId, workspace } = context;
    this.#progress.set(callId, (message) => context.progress(message));
    try {
      const params = { tool, args, call_id: callId, context: { channel, chat_id: chatId, workspace } };
      const request = this.#request(method ?? 'execute', method === undefined ? params : args);
      const outcome = await this.#race(request, call);
      if (outcome !== undefined) return outcome;
      const { why } = await this.over;
      return context.signal.aborted ? { type: 'stopped' } : { type: 'lost', why };
    } finally {
      this.#progress.delete(callId);
    }
  }

  /** Lets it end by itself, and ends it if it does not. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    // Whether it answers does not matter: it ends.
    this.#request('shutdown', {});
    await this.#lines.stop();
  }

  #race({ id, answer }: SentRequest, { method, context, timeout }: PluginCall): Promise<CallOutcome | undefined> {
    const { signal, callId } = context;
    return new Promise((resolve) => {
      let wasStopped = false;
      const finish = (outcome: CallOutcome | undefined): void => {
        callOff();
        signal.removeEventListener('abort', stop);
        resolve(outcome);
      };
      const stop = (): void => {
        wasStopped = true;
        this.#cancel(callId, id, { grace: stopGrace, isCrash: false });
      };
      const callOff = this.#clock.after(timeout, () => {
        this.#cancel(callId, id, { grace: timeoutGrace, isCrash: true });
        finish({ type: 'timed-out' });
      });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      void answer.then((got) =>
        finish(got && (wasStopped ? { type: 'stopped' } : outcomeOf(got, method !== undefined))),
      );
    });
  }

  /** A process that does not let go of a call is ended: nothing goes on that people were told has ended. */
  #cancel(callId: string, id: number, { grace, isCrash }: { readonly grace: number; readonly isCrash: boolean }): void {
    this.#send({ method: '$/cancel', params: { call_id: callId } });
    this.#clock.after(grace, () => {
      if (!this.#waiting.has(id)) return;
      this.#isEndedByStop = !isCrash;
      this.#lines.fail('it did not let go of a call that was to end, and was ended');
    });
  }

  #request(method: string, params: JsonObject): SentRequest {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#isClosed) return { id, answer: Promise.resolve(undefined) };
    const { promise: answer, resolve } = Promise.withResolvers<JsonObject | undefined>();
    this.#waiting.set(id, resolve);
    this.#send({ id, method, params });
    return { id, answer };
  }

  #send(message: JsonObject): void {
    if (!this.#isClosed) this.#lines.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  /** Nothing comes any more: those who wait are told so. */
  #close(): void {
    this.#isClosed = true;
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
  }

  #receive(line: string): void {
    if (this.#isClosed) return;
    const message = parseJson(line);
    if (!isJsonObject(message)) this.#skip('it is no JSON object');
    else if (typeof message.method === 'string') this.#asked(message.method, message);
    else this.#answered(message);
  }

  #asked(method: string, { id, params }: JsonObject): void {
    if (id === undefined) this.#notified(method, isJsonObject(params) ? params : {});
    else if (typeof id === 'number' || typeof id === 'string')
      this.#send({ id, error: { code: unknownMethod, message: 'Keyturn takes no requests.' } });
  }

  #answered(message: JsonObject): void {
    const id = Number(message.id);
    const resolve = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (resolve === undefined) this.#skip('nothing waits for an answer with its id');
    else resolve(message);
  }

  #notified(method: string, { call_id, message }: JsonObject): void {
    if (method !== 'progress') this.#skip('its method is not known');
    else if (typeof message === 'string' && typeof call_id === 'string') {
      this.#progress.get(call_id)?.(oneLine(message, 200));
    }
  }

  /** What it says is for nobody to read in the log. */
  #skip(why: string): void {
    this.#skipped += 1;
    const fields = { why, lines: this.#skipped };
    if (this.#skipped === 1) this.#log.warn(fields, 'a plugin said a line that means nothing: it was skipped');
    else this.#log.debug(fields, 'a plugin said a line that means nothing: it was skipped');
  }
}

/** What plugins are told that Keyturn speaks with them. It grows when something changes that they rely on. */
const protocolVersion = 1;
