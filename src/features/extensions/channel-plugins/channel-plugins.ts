import { extname } from 'node:path';
import type { Channel, ChannelAdapter, ChannelHealth } from '../../../contract.ts';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isJsonObject } from '../../../lib/json.ts';
import type { Log } from '../../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { contentLines, ModuleError, type ModuleFiles, readModule } from '../pinned-code/module-files.ts';
import { PinnedLoader } from '../pinned-code/pinned-loader.ts';
import type { Trust } from '../trust/trusted.ts';
import { type ChannelPlace, channelEntry } from './channel-entry.ts';
import { guardedAdapter } from './guarded-adapter.ts';

export interface ChannelPluginsDependencies {
  /** By the names of the channels: where each is, and what stands under `channels.<name>`. */
  readonly plugins: ReadonlyMap<string, { readonly place: ChannelPlace; readonly block: unknown }>;
  /** Whether a path without links lies where nothing may be loaded from. */
  readonly isForbidden: (path: string) => Promise<boolean>;
  readonly trust: Trust;
  /** Has the channel run from now on. Rejects with what its start throws; it does not run then. */
  readonly attach: (name: string, adapter: ChannelAdapter) => Promise<void>;
  /** Ends it. */
  readonly detach: (name: string) => Promise<void>;
  readonly reportHealth: (name: string, health: ChannelHealth) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Says something once in the owners' own chats. */
  readonly tellOwners: (markdown: string) => void;
}

/** A channel from elsewhere. */
interface Plugin {
  readonly name: string;
  readonly place: ChannelPlace;
  readonly files: ModuleFiles;
  isTrusted: boolean;
  isAttached: boolean;
  /** How often in a row it was loaded and could not be started. */
  failures: number;
  /** Calls off the next try. */
  callOff: () => void;
  /** What was begun last: one thing is done with a channel at a time. */
  turn: Promise<void>;
}

/** What `channel-library.ts` is imported as. The second name is that of channels written before there was the package. */
const libraryNames = ['@keyturn/sdk/channel', 'keyturn/channel'] as const;
/** How long after each start that failed it is tried again, in milliseconds. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestPause = 900_000;

const waiting = 'An owner has to trust it first, as it is now: /trust shows it.';
const broken = 'It could not be loaded or started. /status tells owners why.';

/**
 * Brings the channels that live outside of Keyturn. Each is loaded when an owner trusts it as it is, and ends when none does
 * any more. One that cannot be loaded is told of, and costs nothing else. So is one that cannot be started, as when its platform
 * cannot be reached: that is tried again, ever more seldom, until it succeeds.
 */
export class ChannelPlugins {
  readonly #dependencies: ChannelPluginsDependencies;
  readonly #loader: PinnedLoader;
  readonly #faults = new Map<string, string>();
  #plugins: readonly Plugin[] = [];
  #isOver = false;

  constructor(dependencies: ChannelPluginsDependencies) {
    this.#dependencies = dependencies;
    const file = new URL(
      `../../../conversation/channel-plugins/channel-library${extname(import.meta.url)}`,
      import.meta.url,
    );
    this.#loader = new PinnedLoader(new Map(libraryNames.map((name) => [name, file.href])));
  }

  /** Resolves when all that are trusted run, or could not. Never rejects. */
  async start(): Promise<void> {
    const read: Plugin[] = [];
    const names = [...this.#dependencies.plugins.keys()];
    await Promise.all(
      names.map((name) => this.#attempt(name, async () => void read.push(...(await this.#read(name))))),
    );
    this.#plugins = read;
    // Together, so that the owners are told together.
    await Promise.all(read.map((plugin) => this.#attempt(plugin.name, () => this.#review(plugin))));
    await Promise.all(read.map((plugin) => plugin.turn));
  }

  /** Running channels go on: the watch that runs them ends them. */
  async stop(): Promise<void> {
    this.#isOver = true;
    for (const { callOff } of this.#plugins) callOff();
    this.#loader.close();
  }

  /** Which channels are not what they should be, a line each. */
  troubles(): readonly string[] {
    return [...this.#faults].map(([name, fault]) => `The channel ${name}: ${oneLine(fault, 400)}`);
  }

  async #read(name: string): Promise<readonly Plugin[]> {
    const { plugins, isForbidden } = this.#dependencies;
    const place = plugins.get(name)?.place;
    if (place === undefined) return [];
    const files = await readModule(await channelEntry(place), isForbidden);
    return [
      {
        name,
        place,
        files,
        isTrusted: false,
        isAttached: false,
        failures: 0,
        callOff: () => {},
        turn: Promise.resolve(),
      },
    ];
  }

  async #review(plugin: Plugin): Promise<void> {
    const { trust, reportHealth, log } = this.#dependencies;
    const { name } = plugin;
    const verdict = await trust.review(
      subjectOf(plugin),
      () => this.#decided(plugin, true),
      () => this.#decided(plugin, false),
    );
    if (verdict === 'trusted') {
      plugin.isTrusted = true;
      // One that cannot be loaded is in /status. One that is tried again would else not be missed.
      void this.#follow(plugin).then(() => plugin.failures > 0 && this.#tellFault(plugin));
      return;
    }
    reportHealth(name, { status: 'dead', reason: waiting });
    log.warn({ channel: name }, 'a channel is not loaded before an owner trusts it as it is: /trust shows it');
  }

  /** An owner has decided so: they are told if that brought nothing. */
  #decided(plugin: Plugin, isTrusted: boolean): void {
    plugin.isTrusted = isTrusted;
    plugin.failures = 0;
    void this.#follow(plugin).then(() => this.#tellFault(plugin));
  }

  #tellFault({ name, isTrusted, failures }: Plugin): void {
    const fault = this.#faults.get(name);
    if (fault === undefined || !isTrusted) return;
    const again = failures === 0 ? '' : ' It is tried again by itself; /status tells how it is.';
    const words = `⚠️ The channel ${inlineCode(name)} does not run: ${escapeMarkdown(oneLine(fault, 500))}${again}`;
    this.#dependencies.tellOwners(words);
  }

  /** Has the channel run, or ends it, as the owners want it by now. Never rejects. */
  #follow(plugin: Plugin): Promise<void> {
    plugin.turn = plugin.turn.then(() =>
      this.#attempt(plugin.name, () => (plugin.isTrusted ? this.#open(plugin) : this.#close(plugin))),
    );
    return plugin.turn;
  }

  async #open(plugin: Plugin): Promise<void> {
    const { plugins, attach, log } = this.#dependencies;
    const { name, files } = plugin;
    if (plugin.isAttached || this.#isOver) return;
    const channel = exportedChannel(await this.#loader.load(files), name);
    const adapter = guardedAdapter(name, channel.create(ownSettings(plugins.get(name)?.block)), log);
    // The owner may have changed their mind while it was loaded.
    if (this.#isOver || !plugin.isTrusted) return;
    try {
      await attach(name, adapter);
    } catch (cause) {
      this.#tryLater(plugin);
      throw cause;
    }
    plugin.isAttached = true;
    plugin.failures = 0;
    this.#faults.delete(name);
    log.info({ channel: name }, 'a channel from elsewhere runs');
  }

  /** Its platform may refuse it, or not be reached, only now. */
  #tryLater(plugin: Plugin): void {
    if (this.#isOver || !plugin.isTrusted) return;
    const pause = pauses[plugin.failures] ?? longestPause;
    plugin.failures += 1;
    plugin.callOff();
    plugin.callOff = this.#dependencies.clock.after(pause, () => void this.#follow(plugin));
  }

  async #close(plugin: Plugin): Promise<void> {
    const { detach, reportHealth, log } = this.#dependencies;
    const { name } = plugin;
    this.#faults.delete(name);
    plugin.callOff();
    plugin.failures = 0;
    reportHealth(name, { status: 'dead', reason: waiting });
    if (!plugin.isAttached || this.#isOver) return;
    plugin.isAttached = false;
    await detach(name);
    reportHealth(name, { status: 'dead', reason: waiting });
    log.info({ channel: name }, 'a channel from elsewhere was ended');
  }

  /** Anything may come out of a channel of somebody's: it costs this channel only. */
  async #attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      this.#faults.set(name, this.#faultOf(name, cause));
      this.#dependencies.reportHealth(name, { status: 'dead', reason: broken });
    }
  }

  #faultOf(name: string, cause: unknown): string {
    const { log } = this.#dependencies;
    const known = cause instanceof ModuleError ? cause.message : settingsFault(cause, name);
    if (known !== undefined) {
      log.error({ channel: name }, `a channel from elsewhere does not run: it ${known}`);
      return `it ${known}.`;
    }
    log.error({ channel: name, err: cause }, 'a channel from elsewhere does not run: it threw this');
    return `it threw ${cause instanceof Error ? cause.message : String(cause)}`;
  }
}

function subjectOf({ name, place, files }: Plugin): TrustSubject {
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

/** What stands under `channels.<name>` without what Keyturn itself reads of it. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
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
