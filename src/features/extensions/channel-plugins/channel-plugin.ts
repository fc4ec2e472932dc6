import { extname } from 'node:path';
import type { Channel, ChannelAdapter } from '../../../contract.ts';
import type { HealthBoard } from '../../../conversation/health/health-board.ts';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { endsWithin } from '../../../lib/ends-within.ts';
import type { Log } from '../../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { contentLines, ModuleError, type ModuleFiles, readModule } from '../pinned-code/module-files.ts';
import { PinnedLoader } from '../pinned-code/pinned-loader.ts';
import type { Trust } from '../trust/trusted.ts';
import { type ChannelPlace, channelEntry } from './channel-entry.ts';
import { guardedAdapter } from './guarded-adapter.ts';

export interface ChannelPluginDependencies {
  readonly name: string;
  readonly place: ChannelPlace;
  /** What its adapter is made of. */
  readonly settings: object;
  /** Whether a path without links lies where nothing may be loaded from. */
  readonly isForbidden: (path: string) => Promise<boolean>;
  readonly trust: Trust;
  /** Has the channel run from now on. Rejects with what its start throws; it does not run then. */
  readonly attach: (name: string, adapter: ChannelAdapter) => Promise<void>;
  /** Ends it. */
  readonly detach: (name: string) => Promise<void>;
  readonly health: Pick<HealthBoard, 'report' | 'forget'>;
  /** Keyturn is being stopped: then the watch that runs channels ends them. */
  readonly ending: AbortSignal;
  readonly clock: Clock;
  readonly log: Log;
  /** Says something once in the owners' own chats. */
  readonly tellOwners: (markdown: string) => void;
}

/** What `channel-library.ts` is imported as. The second name is that of channels written before there was the package. */
const libraryNames = ['@keyturn/sdk/channel', 'keyturn/channel'] as const;
/** How long after each start that failed it is tried again, in milliseconds. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestPause = 900_000;

/** How long an end waits for a start that is under way, in milliseconds: longer than a start may take. */
const patience = 6_000;

const waiting = 'An owner has to trust it first, as it is now: /trust shows it.';
const broken = 'It could not be loaded or started. /status tells owners why.';

/**
 * Brings a channel that lives outside of Keyturn. It is loaded when an owner trusts it as it is, and ends when none does any more.
 * If it cannot be loaded, that is told, and costs nothing else. So it is if it cannot be started, as when its platform cannot be
 * reached: that is tried again, ever more seldom, until it succeeds.
 */
export class ChannelPlugin {
  readonly #dependencies: ChannelPluginDependencies;
  readonly #loader: PinnedLoader;
  #files: ModuleFiles | undefined;
  #fault: string | undefined;
  #isTrusted = false;
  #isAttached = false;
  /** How often in a row it was loaded and could not be started. */
  #failures = 0;
  /** Calls off the next try. */
  #callOff = (): void => {};
  /** What was begun last: one thing is done at a time. */
  #turn = Promise.resolve();
  #isOver = false;

  constructor(dependencies: ChannelPluginDependencies) {
    this.#dependencies = dependencies;
    const file = new URL(
      `../../../conversation/channel-plugins/channel-library${extname(import.meta.url)}`,
      import.meta.url,
    );
    this.#loader = new PinnedLoader(new Map(libraryNames.map((name) => [name, file.href])));
  }

  /** Reads what it consists of. Never rejects. */
  async read(): Promise<void> {
    const { place, isForbidden } = this.#dependencies;
    await this.#attempt(async () => {
      this.#files = await readModule(await channelEntry(place), isForbidden);
    });
  }

  /** Resolves when it runs, or could not, or waits for trust. Never rejects. */
  async start(): Promise<void> {
    const files = this.#files;
    if (files === undefined) return;
    this.#turn = this.#attempt(() => this.#review(files));
    await this.#turn;
    // A review that finds it trusted has it run after itself.
    await this.#turn;
  }

  async stop(): Promise<void> {
    const { name, detach, health, ending: signal, clock } = this.#dependencies;
    this.#isOver = true;
    this.#callOff();
    await endsWithin(this.#turn, { clock, milliseconds: patience, signal });
    this.#loader.close();
    if (signal.aborted) return;
    if (this.#isAttached) await detach(name);
    health.forget(name);
  }

  /** What is not as it should be, a line. */
  troubles(): readonly string[] {
    return this.#fault === undefined ? [] : [`The channel ${this.#dependencies.name}: ${oneLine(this.#fault, 400)}`];
  }

  async #review(files: ModuleFiles): Promise<void> {
    const { name, place, trust, log } = this.#dependencies;
    const verdict = await trust.review(
      subjectOf(name, place, files),
      () => this.#decided(true),
      () => this.#decided(false),
    );
    if (verdict === 'trusted') {
      this.#isTrusted = true;
      // One that cannot be loaded is in /status. One that is tried again would else not be missed.
      void this.#follow().then(() => this.#failures > 0 && this.#tellFault());
      return;
    }
    this.#dead(waiting);
    log.warn({ channel: name }, 'a channel is not loaded before an owner trusts it as it is: /trust shows it');
  }

  /** An owner has decided so: they are told if that brought nothing. */
  #decided(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    this.#failures = 0;
    void this.#follow().then(() => this.#tellFault());
  }

  #tellFault(): void {
    const { name, tellOwners } = this.#dependencies;
    if (this.#fault === undefined || !this.#isTrusted || this.#isOver) return;
    const again = this.#failures === 0 ? '' : ' It is tried again by itself; /status tells how it is.';
    tellOwners(`⚠️ The channel ${inlineCode(name)} does not run: ${escapeMarkdown(oneLine(this.#fault, 500))}${again}`);
  }

  /** Has the channel run, or ends it, as the owners want it by now. Never rejects. */
  #follow(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#attempt(() => (this.#isTrusted ? this.#open() : this.#close())));
    return this.#turn;
  }

  async #open(): Promise<void> {
    const { name, settings, attach, log, clock } = this.#dependencies;
    if (this.#files === undefined || this.#isAttached || this.#isOver) return;
    const channel = exportedChannel(await this.#loader.load(this.#files), name);
    const adapter = guardedAdapter(name, channel.create(settings), { log, clock });
    // The owner may have changed their mind while it was loaded.
    if (this.#isOver || !this.#isTrusted) return;
    try {
      await attach(name, adapter);
    } catch (cause) {
      this.#tryLater();
      throw cause;
    }
    this.#isAttached = true;
    this.#failures = 0;
    this.#fault = undefined;
    log.info({ channel: name }, 'a channel from elsewhere runs');
  }

  /** Its platform may refuse it, or not be reached, only now. */
  #tryLater(): void {
    if (this.#isOver || !this.#isTrusted) return;
    const pause = pauses[this.#failures] ?? longestPause;
    this.#failures += 1;
    this.#callOff();
    this.#callOff = this.#dependencies.clock.after(pause, () => void this.#follow());
  }

  async #close(): Promise<void> {
    const { name, detach, log } = this.#dependencies;
    if (this.#isOver) return;
    this.#fault = undefined;
    this.#callOff();
    this.#failures = 0;
    this.#dead(waiting);
    if (!this.#isAttached) return;
    this.#isAttached = false;
    await detach(name);
    this.#dead(waiting);
    log.info({ channel: name }, 'a channel from elsewhere was ended');
  }

  #dead(reason: string): void {
    const { name, health } = this.#dependencies;
    if (!this.#isOver) health.report(name, { status: 'dead', reason });
  }

  /** Anything may come out of a channel of somebody's: it costs this channel only. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#fault = this.#faultOf(cause);
      this.#dead(broken);
    }
  }

  #faultOf(cause: unknown): string {
    const { name, log } = this.#dependencies;
    const known = cause instanceof ModuleError ? cause.message : settingsFault(cause, name);
    if (known !== undefined) {
      log.error({ channel: name }, `a channel from elsewhere does not run: it ${known}`);
      return `it ${known}.`;
    }
    log.error({ channel: name, err: cause }, 'a channel from elsewhere does not run: it threw this');
    return `it threw ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

function subjectOf(name: string, place: ChannelPlace, files: ModuleFiles): TrustSubject {
  const where =
    place.type === 'package' ? `the package ${inlineCode(place.name)}` : inlineCode(oneLine(place.path, 200));
  const lines = [
    `A channel that \`channel_plugins\` of the config names: ${where}. It runs within Keyturn, can do whatever Keyturn can, and says who it is that writes there.`,
    ...contentLines(files, libraryNames),
  ];
  return { kind: 'channel_plugin', name, fingerprint: files.fingerprint, what: lines.join('\n') };
}

/** The channel of this name that a module exports, under whatever name. Throws `ModuleError` if there is none. */
function exportedChannel(exported: object, name: string): Channel {
  const channels = Object.values(exported).filter(isChannel);
  const [first] = channels;
  if (first === undefined)
    throw new ModuleError('exports no channel: export what defineChannel of "@keyturn/sdk/channel" makes');
  const found = channels.find((channel) => channel.name === name);
  if (found !== undefined) return found;
  throw new ModuleError(`exports the channel ${JSON.stringify(first.name)}: give it that name in channel_plugins`);
}

/** What is wrong with the settings, if that is what was thrown. It may come of another copy of zod. */
function settingsFault(error: unknown, name: string): string | undefined {
  const issues: unknown = error instanceof Error ? Reflect.get(error, 'issues') : undefined;
  if (!Array.isArray(issues)) return undefined;
  const words = issues.slice(0, 10).map((issue: unknown) => {
    const { path, message }: { path?: unknown; message?: unknown } = typeof issue === 'object' && issue ? issue : {};
    const place = ['channels', name, ...(Array.isArray(path) ? path : [])].map(String).join('.');
    return `${place}: ${String(message)}`;
  });
  return `does not take its settings: ${words.join('; ')}`;
}

function isChannel(value: unknown): value is Channel {
  if (typeof value !== 'object' || value === null) return false;
  const { name, create }: Partial<Record<keyof Channel, unknown>> = value;
  return typeof name === 'string' && typeof create === 'function';
}
