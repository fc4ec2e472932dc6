import { type Clock, sleep } from '../../../lib/clock.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedProcess } from '../../../tools/guard/process/process.ts';
import { LineProcess } from '../line-process.ts';
import { JsonRpcConnection, type RpcRequest } from './json-rpc-connection.ts';
import { type CallOutcome, hookOutcomeOf, outcomeOf, type PluginCall } from './plugin-means.ts';

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

/** One process of a plugin that answers call after call, several at a time. */
export class PluginProcess {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #lines: LineProcess;
  readonly #connection: JsonRpcConnection;
  readonly #progress = new Map<string, (message: string) => void>();
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
    this.#connection = new JsonRpcConnection({
      send: (line) => this.#lines.write(line),
      notified: (method, params) => this.#notified(method, params),
      skipped: (why) => this.#skip(why),
    });
    this.#lines = new LineProcess(process, {
      ...{ clock, log, longestLine },
      received: (line) => this.#connection.receive(line),
      failed: () => {
        this.#hasFailed = true;
        this.#connection.close();
      },
    });
    void process.exited.then(() => {
      this.#isGone = true;
    });
    this.over = this.#lines.over.then(({ exitCode, why }) => {
      const wasBusy = this.#connection.waiting > 0;
      this.#connection.close();
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
    const { answer } = this.#connection.request('initialize', params);
    const decided = new AbortController();
    const late = sleep(this.#clock, timeout, decided.signal).then(() => undefined);
    const answered = await Promise.race([answer, late]);
    decided.abort();
    if (answered?.type === 'result') return undefined;
    // It needs no greeting.
    if (answered?.type === 'error' && answered.isUnknownMethod) return undefined;
    if (answered?.type === 'lost') return (await this.over).why;
    const why =
      answered === undefined
        ? `it did not answer "initialize" within ${timeout / 1000} s`
        : `it answered "initialize" with an error: ${oneLine(answered.message, 300)}`;
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
      const request = this.#connection.request(method ?? 'execute', method === undefined ? params : args);
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
    this.#connection.request('shutdown', {});
    await this.#lines.stop();
  }

  #race({ id, answer }: RpcRequest, { method, context, timeout }: PluginCall): Promise<CallOutcome | undefined> {
    const { signal, callId } = context;
    const read = method === undefined ? outcomeOf : hookOutcomeOf;
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
      void answer.then((got) => finish(wasStopped && got.type !== 'lost' ? { type: 'stopped' } : read(got)));
    });
  }

  /** A process that does not let go of a call is ended: nothing goes on that people were told has ended. */
  #cancel(callId: string, id: number, { grace, isCrash }: { readonly grace: number; readonly isCrash: boolean }): void {
    this.#connection.notify('$/cancel', { call_id: callId });
    this.#clock.after(grace, () => {
      if (!this.#connection.isWaiting(id)) return;
      this.#isEndedByStop = !isCrash;
      this.#lines.fail('it did not let go of a call that was to end, and was ended');
    });
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
