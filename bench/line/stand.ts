import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Model } from './model.ts';
import { Platform, type Shown } from './platform.ts';
import { type Memory, memoryOf, processorOf, writtenBy } from './processes.ts';
import type { Subject } from './subjects.ts';

/** How a subject is started: arguments of Node, keys of Keyturn's config. */
export interface StandOptions {
  readonly nodeArguments?: readonly string[];
  readonly config?: Readonly<Record<string, unknown>>;
}

/** A reply that has not come by then is lost, in ms. */
const patience = 60_000;
/** What a process gets to end by itself, in ms. */
const grace = 10_000;

/** A bot between a Telegram and a model of the bench, and the people who write to it. */
export class Stand {
  readonly #subject: Subject;
  readonly #options: StandOptions;
  readonly #awaited = new Map<string, (shown: Shown | undefined) => void>();
  readonly folder = mkdtempSync(join(tmpdir(), 'keyturn-bench-'));
  readonly platform: Platform;
  readonly model: Model;
  #child: ChildProcess | undefined;
  #marks = 0;
  #isEnding = false;
  readonly #clear = (): void => this.#leave();

  private constructor(subject: Subject, options: StandOptions, platform: Platform, model: Model) {
    this.#subject = subject;
    this.#options = options;
    this.platform = platform;
    this.model = model;
    platform.onShown = (shown) => this.#see(shown);
    // Whatever ends the bench leaves nothing behind.
    process.once('exit', this.#clear);
  }

  static async open(subject: Subject, options: StandOptions = {}): Promise<Stand> {
    return new Stand(subject, options, await Platform.open(), await Model.open());
  }

  get pid(): number {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error(`${this.#subject.name} was not started.`);
    return pid;
  }

  get memory(): Memory {
    return memoryOf(this.pid);
  }

  /** In ms. */
  get processor(): number {
    return processorOf(this.pid);
  }

  /** In KB. */
  get written(): number {
    return writtenBy(this.pid);
  }

  /** What the process has said, to explain a failure. */
  get log(): string {
    return readFileSync(join(this.folder, 'log'), 'utf8').slice(-2000);
  }

  /** Where it writes its counts, if `counting.js` counts in it. */
  get countsFile(): string {
    return join(tmpdir(), `keyturn-counts-${this.pid}.json`);
  }

  start(): void {
    const { nodeArguments = [], config = {} } = this.#options;
    const { folder, platform, model } = this;
    const command = this.#subject.command({ folder, telegram: platform.root, model: model.url, config });
    this.#isEnding = false;
    const log = openSync(join(folder, 'log'), 'a');
    this.#child = spawn(process.execPath, [...nodeArguments, ...command.args], {
      cwd: command.cwd,
      stdio: ['ignore', log, log],
    });
    this.#child.once('exit', () => this.#isEnding || this.#giveUp());
  }

  /** Says something and waits until its mark is shown in answer. Resolves with how long that took, in ms; undefined: it is lost. */
  async ask(chat: number, words = 'hello'): Promise<number | undefined> {
    const begun = performance.now();
    const shown = await this.say(chat, words);
    return shown === undefined ? undefined : performance.now() - begun;
  }

  /** Says something and waits for a message that shows its mark; undefined: it does not come. */
  async say(chat: number, words: string): Promise<Shown | undefined> {
    this.#marks += 1;
    const mark = `mark-${this.#marks.toString(36)}-`;
    const shown = this.see(chat, mark);
    this.platform.say(chat, `${words} ${mark}`);
    return shown;
  }

  /** Waits for a message in that chat with this mark, or for a `card` to approve; undefined: it does not come. */
  async see(chat: number, text: string): Promise<Shown | undefined> {
    const key = `${chat} ${text}`;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(key, resolve, undefined), patience);
      this.#awaited.set(key, (shown) => {
        clearTimeout(timer);
        this.#settle(key, resolve, shown);
      });
    });
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** It ends as it does by itself. */
  stop(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async close(): Promise<void> {
    await this.stop();
    await this.platform.close();
    await this.model.close();
    process.off('exit', this.#clear);
    this.#leave();
  }

  #leave(): void {
    this.#child?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Nobody answers any more. */
  #giveUp(): void {
    for (const give of this.#awaited.values()) give(undefined);
  }

  #settle(key: string, resolve: (shown: Shown | undefined) => void, shown: Shown | undefined): void {
    this.#awaited.delete(key);
    resolve(shown);
  }

  #see(shown: Shown): void {
    const isCard = shown.buttons.some(({ label }) => label.includes('Approve'));
    const keys = isCard ? ['card'] : (shown.text.match(/mark-[0-9a-z]+-/g) ?? []);
    for (const key of keys) this.#awaited.get(`${shown.chat} ${key}`)?.(shown);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#isEnding = true;
    child.kill(signal);
    const inTime = await Promise.race([ended, sleep(grace, undefined, { ref: false })]);
    if (inTime === undefined) child.kill('SIGKILL');
    await ended;
  }
}
