import { extname } from 'node:path';
import type { ChannelAdapter, ChannelHealth } from '../../contract.ts';
import type { Log } from '../../lib/log.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { ModuleError, type ModuleFiles, readModule } from '../../tools/pinned-code/module-files.ts';
import { contentLines } from '../../tools/pinned-code/module-words.ts';
import { PinnedLoader } from '../../tools/pinned-code/pinned-loader.ts';
import type { Trust, TrustSubject } from '../../tools/trust.ts';
import { type ChannelPlace, channelEntry } from './channel-entry.ts';
import { exportedChannel, ownSettings, settingsFault } from './exported-channel.ts';
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
  /** What was begun last: one thing is done with a channel at a time. */
  turn: Promise<void>;
}

const library = 'keyturn/channel';
const waiting = 'An owner has to trust it first, as it is now: /trust shows it.';
const broken = 'It could not be loaded or started. /status tells owners why.';

/**
 * Brings the channels that live outside of Keyturn. Each is loaded when an owner trusts it as it is, and ends when none does
 * any more. One that cannot be loaded or started is told of, and costs nothing else.
 */
export class ChannelPlugins {
  readonly #dependencies: ChannelPluginsDependencies;
  readonly #loader: PinnedLoader;
  readonly #faults = new Map<string, string>();
  #isOver = false;

  constructor(dependencies: ChannelPluginsDependencies) {
    this.#dependencies = dependencies;
    const file = new URL(`./channel-library${extname(import.meta.url)}`, import.meta.url);
    this.#loader = new PinnedLoader(new Map([[library, file.href]]));
  }

  /** Resolves when all that are trusted run, or could not. Never rejects. */
  async start(): Promise<void> {
    const read: Plugin[] = [];
    const names = [...this.#dependencies.plugins.keys()];
    await Promise.all(
      names.map((name) => this.#attempt(name, async () => void read.push(...(await this.#read(name))))),
    );
    // Together, so that the owners are told together.
    await Promise.all(read.map((plugin) => this.#attempt(plugin.name, () => this.#review(plugin))));
    await Promise.all(read.map((plugin) => plugin.turn));
  }

  /** What runs goes on: channels are ended by whoever has them run. */
  async stop(): Promise<void> {
    this.#isOver = true;
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
    return [{ name, place, files, isTrusted: false, isAttached: false, turn: Promise.resolve() }];
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
      void this.#follow(plugin);
      return;
    }
    reportHealth(name, { status: 'dead', reason: waiting });
    log.warn({ channel: name }, 'a channel is not loaded before an owner trusts it as it is: /trust shows it');
  }

  /** An owner has decided so: he is told if that brought nothing. */
  #decided(plugin: Plugin, isTrusted: boolean): void {
    plugin.isTrusted = isTrusted;
    void this.#follow(plugin).then(() => {
      const fault = this.#faults.get(plugin.name);
      if (fault === undefined || !plugin.isTrusted) return;
      const words = `⚠️ The channel ${inlineCode(plugin.name)} does not run: ${escapeMarkdown(oneLine(fault, 500))}`;
      this.#dependencies.tellOwners(words);
    });
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
    // While it was loaded, he may have changed his mind.
    if (this.#isOver || !plugin.isTrusted) return;
    await attach(name, adapter);
    plugin.isAttached = true;
    this.#faults.delete(name);
    log.info({ channel: name }, 'a channel from elsewhere runs');
  }

  async #close(plugin: Plugin): Promise<void> {
    const { detach, reportHealth, log } = this.#dependencies;
    const { name } = plugin;
    this.#faults.delete(name);
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
    ...contentLines(files, library),
  ];
  return { kind: 'channel_plugin', name, fingerprint: files.fingerprint, what: lines.join('\n') };
}
