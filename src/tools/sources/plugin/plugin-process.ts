import { Background } from '../../../lib/background.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import type { LongLivedProcess, ProcessEnding } from '../../guard/process/long-lived-process.ts';
import type { ToolContext } from '../../tool.ts';
import { LineSplitter, LineTooLongError } from '../line-splitter.ts';
import { mostUnread } from '../most-unread.ts';
import { type CallOutcome, hookOutcomeOf, outcomeOf } from './call-outcome.ts';
import { JsonRpcConnection, type RpcRequest } from './json-rpc-connection.ts';
import { type HookMethod, protocolVersion } from './protocol.ts';

/** A call as a plugin's process is told of it. */
export interface PluginCall {
  /** Set where it is asked as a hook: the arguments are what it is told then, and the tool is not its own. */
  readonly method?: HookMethod;
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: Pick<ToolContext, 'callId' | 'channel' | 'chatId' | 'workspace' | 'signal' | 'progress'>;
  /** In milliseconds. */
  readonly timeout: number;
}

/** How a plugin's process came to its end. */
export interface PluginProcessEnd {
  /** It did not end as it should. */
  readonly isCrash: boolean;
  /** What happened, as half a sentence. What it printed may be in it. */
  readonly why: string;
}

export interface PluginProcessDependencies {
  readonly process: LongLivedProcess;
  readonly clock: Clock;
  readonly log: Log;
}

/** The longest line that is read, in bytes. */
const longestLine = 2 ** 20;
/** How much of what it printed as errors is kept, in bytes. */
const keptErrors = 2_000;
/** How long it may take to answer a call that took too long, in milliseconds. */
const timeoutGrace = 5_000;
/** How long it may take to answer a call that was stopped, in milliseconds: what is stopped has to end within a second. */
const stopGrace = 300;
/** How long a process that does not obey has between SIGTERM and SIGKILL, in milliseconds. */
const killGrace = 200;
/** How long a process that is not needed any more has to end by itself, in milliseconds. */
const farewell = 500;

/** One process of a plugin that answers call after call, several at a time. */
export class PluginProcess {
  readonly #process: LongLivedProcess;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #background: Background;
  readonly #connection: JsonRpcConnection;
  readonly #progress = new Map<string, (message: string) => void>();
  #errors = Buffer.alloc(0);
  #skipped = 0;
  #isStopping = false;
  #isGone = false;
  /** Why it had to be ended. */
  #fault: PluginProcessEnd | undefined;
  /** Resolves when it is gone, with all that it started. Never rejects. */
  readonly over: Promise<PluginProcessEnd>;

  constructor({ process, clock, log }: PluginProcessDependencies) {
    this.#process = process;
    this.#clock = clock;
    this.#log = log;
    this.#background = new Background(log);
    this.#connection = new JsonRpcConnection({
      send: (line) => this.#send(line),
      notified: (method, params) => this.#notified(method, params),
      skipped: (why) => this.#skip(why),
    });
    const splitter = new LineSplitter({ maxBytes: longestLine });
    process.stdout.on('data', (chunk: Buffer) => this.#receive(chunk, splitter));
    process.stderr.on('data', (chunk: Buffer) => {
      this.#errors = Buffer.concat([this.#errors, chunk]).subarray(-keptErrors);
    });
    void process.exited.then(() => {
      this.#isGone = true;
    });
    this.over = process.ended.then((ending) => this.#ended(ending));
  }

  /** It can take no more calls, though it may not be over yet. */
  get isGone(): boolean {
    return this.#isGone || this.#fault !== undefined;
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
    this.#fail(why, true);
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
    this.#process.stdin.end();
    const gone = this.over.then(() => {});
    if (!(await endsWithin(gone, { clock: this.#clock, milliseconds: farewell }))) await this.#process.stop(killGrace);
    await gone;
    await this.#background.settled();
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
      if (this.#connection.isWaiting(id))
        this.#fail('it did not let go of a call that was to end, and was ended', isCrash);
    });
  }

  #fail(why: string, isCrash: boolean): void {
    if (this.#fault !== undefined) return;
    this.#fault = { isCrash, why };
    this.#connection.close();
    this.#background.run('a process of a plugin could not be ended', () => this.#process.stop(killGrace));
  }

  /** Who goes on asking and reads nothing must not fill our memory. */
  #send(line: string): void {
    this.#process.stdin.write(`${line}\n`);
    if (this.#process.stdin.writableLength > mostUnread)
      this.#fail('it did not read what it was told, and was ended', true);
  }

  #receive(chunk: Buffer, splitter: LineSplitter): void {
    if (this.#fault !== undefined) return;
    try {
      for (const line of splitter.push(chunk)) this.#connection.receive(line);
    } catch (cause) {
      if (!(cause instanceof LineTooLongError)) throw cause;
      this.#fail(`it was ended because ${cause.message}`, true);
    }
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

  #ended(ending: ProcessEnding): PluginProcessEnd {
    const wasBusy = this.#connection.waiting > 0;
    this.#connection.close();
    if (this.#fault !== undefined) return this.#fault;
    const how = ending.exitCode === null ? `by ${ending.signal}` : `with exit code ${ending.exitCode}`;
    const said = this.#errors.toString('utf8').trim();
    const refusals = this.#process.refusals(said).map((refusal) => ` ${refusal}`);
    const last = said === '' ? '' : `; the last that it printed as an error was: ${oneLine(said, 400)}`;
    const isCrash = !this.#isStopping && (wasBusy || ending.exitCode !== 0);
    return { isCrash, why: `it ended ${how}${last}${refusals.join('')}` };
  }
}
