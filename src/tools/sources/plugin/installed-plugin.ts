import { Background } from '../../../lib/background.ts';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import { registrationOf, type ToolRegistry } from '../../registry.ts';
import type { ToolSource } from '../../tool-source.ts';
import type { Trust } from '../../trust.ts';
import { FolderError, fingerprintFolder } from '../folder-fingerprint.ts';
import { HookFailure } from '../hooks/hook-voice.ts';
import { askHook } from './ask-hook.ts';
import { gaveUpWords } from './crash-record.ts';
import type { FoundPlugin } from './found-plugin.ts';
import { longLivedProgram } from './long-lived-program.ts';
import { oneShotProgram } from './one-shot-program.ts';
import { type PluginExecution, type PluginMeans, PluginRefusal } from './plugin-means.ts';
import { pluginTool } from './plugin-tool.ts';
import { describePlugin } from './plugin-words.ts';
import { type IsForbidden, readPlugin } from './read-plugin.ts';

export interface InstalledPluginDependencies {
  readonly means: PluginMeans;
  readonly registry: ToolRegistry;
  /** Names that no tool of a plugin may have, whether there is such a tool or not. */
  readonly reservedNames: readonly string[];
  readonly trust: Trust;
  readonly isForbidden: IsForbidden;
  /** A sandbox keeps processes in their bounds. */
  readonly isConfined: () => boolean;
  /** Says something to the owners once, as markdown. */
  readonly tellOwners: (markdown: string) => void;
}

/** A plugin of the operator's folders: on as long as its folder is exactly what an owner trusts. */
export class InstalledPlugin {
  readonly #dependencies: InstalledPluginDependencies;
  readonly #background: Background;
  readonly #source: ToolSource;
  readonly name: string;
  #found: FoundPlugin;
  #execution: PluginExecution | undefined;
  #troubles: readonly string[] = [];
  /** Resolves when what was asked for last is done: one thing is done after the other. */
  #turn: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(found: FoundPlugin, dependencies: InstalledPluginDependencies) {
    this.#dependencies = dependencies;
    this.#found = found;
    this.name = found.manifest.name;
    this.#source = { type: 'plugin', name: this.name };
    this.#background = new Background(dependencies.means.log);
  }

  /** What of it is not as it should be, a line each, but that it waits for trust: that is told elsewhere. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** Switches it on, if an owner trusts it as it is. What goes wrong is logged. */
  async start(): Promise<void> {
    this.#inTurn('a plugin is off: it could not be switched on', () => this.#review());
    await this.#turn;
  }

  /** Takes its tools away, and leaves nothing running. */
  async stop(): Promise<void> {
    this.#isOver = true;
    this.#inTurn('a plugin could not be ended', () => this.#switchOff([]));
    await this.#background.settled();
  }

  /** Asks it as a hook. Rejects with `HookFailure` if it is off, answers no hooks, or gives no answer. */
  async ask(event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
    if (this.#found.manifest.binary === undefined) throw new HookFailure('the plugin has no program that could answer');
    if (this.#execution === undefined) throw new HookFailure('the plugin is off');
    return askHook(this.#execution, event, signal);
  }

  async #review(): Promise<void> {
    const { trust, isConfined } = this.#dependencies;
    const { fingerprint } = this.#found;
    const what = describePlugin(this.#found, isConfined());
    const subject = { kind: 'plugin' as const, name: this.name, fingerprint, what };
    const verdict = await trust.review(
      subject,
      () => this.#lookAgain(),
      () => this.#endLater([]),
    );
    if (verdict === 'trusted') await this.#switchOn();
    else await this.#switchOff([]);
  }

  #lookAgain(): void {
    this.#inTurn('a plugin could not be looked at again: it is off', () => this.#look());
  }

  /** Reads the folder anew. */
  async #look(): Promise<void> {
    if (this.#isOver) return;
    await this.#switchOff([]);
    const reading = await readPlugin(this.#found.folder, this.#dependencies.isForbidden);
    if (reading.type === 'found' && reading.plugin.manifest.name === this.name) {
      this.#found = reading.plugin;
      return this.#review();
    }
    const faults = reading.type === 'faulty' ? reading.faults : ['It is not there any more, or has another name.'];
    this.#dependencies.means.log.warn({ plugin: this.name, faults }, 'a plugin is off: it cannot be used any more');
    this.#troubles = faults;
  }

  async #switchOn(): Promise<void> {
    if (this.#isOver) return;
    const { registry, reservedNames, isConfined, means } = this.#dependencies;
    const execution = await this.#makeExecution();
    this.#execution = execution;
    const { tools } = this.#found.manifest;
    const isTaken = ({ name }: { readonly name: string }): boolean =>
      registry.has(name) || reservedNames.includes(name);
    const left = tools.filter(isTaken).map(({ name }) => name);
    for (const tool of tools.filter((one) => !left.includes(one.name))) {
      registry.register(registrationOf(pluginTool(this.#found, tool, { execution, isConfined })), this.#source);
    }
    if (left.length > 0) {
      means.log.warn({ plugin: this.name, tools: left }, 'tools of a plugin are left out: their names are taken');
    }
    this.#troubles = left.map((name) => `Its tool ${name} is left out: there is another one of that name.`);
    means.log.info({ plugin: this.name, tools: tools.length - left.length }, 'a plugin is on');
  }

  async #switchOff(troubles: readonly string[]): Promise<void> {
    const execution = this.#execution;
    this.#execution = undefined;
    this.#troubles = troubles;
    this.#dependencies.registry.unregisterBySource(this.#source);
    await execution?.stop();
  }

  #endLater(troubles: readonly string[]): void {
    this.#inTurn('a plugin could not be switched off', () => this.#switchOff(troubles));
  }

  #inTurn(failure: string, work: () => Promise<void>): void {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#turn = promise;
    this.#background.run(failure, async () => {
      await before;
      await work().finally(resolve);
    });
  }

  async #makeExecution(): Promise<PluginExecution> {
    const { means } = this.#dependencies;
    const found = this.#found;
    const verify = (): Promise<void> => this.#verify(found);
    if (found.manifest.binary === undefined) {
      const { commandProgram } = await import('./command-program.ts');
      return commandProgram(found, { means, verify });
    }
    if (!found.manifest.binary.long_lived) return oneShotProgram(found, { means, verify });
    return longLivedProgram(found, { means, verify, gaveUp: () => this.#gaveUp() });
  }

  /** Nothing of it is run that is not what an owner trusts. */
  async #verify(found: FoundPlugin): Promise<void> {
    const now = await fingerprintOf(found.folder);
    if (this.#execution === undefined || this.#found !== found) throw new PluginRefusal('It is off by now.');
    if (now === found.fingerprint) return;
    this.#lookAgain();
    throw new PluginRefusal(
      'Its folder has changed since an owner trusted it. It is off until an owner trusts it as it is now.',
    );
  }

  #gaveUp(): void {
    const { means, tellOwners } = this.#dependencies;
    means.log.error({ plugin: this.name }, 'a plugin is off: it has crashed too often');
    tellOwners(`⚠️ The plugin \`${this.name}\` is off. ${gaveUpWords}`);
    this.#endLater([gaveUpWords]);
  }
}

/** Undefined where it is no folder that could be trusted. */
async function fingerprintOf(folder: string): Promise<string | undefined> {
  try {
    return (await fingerprintFolder(folder)).fingerprint;
  } catch (cause) {
    if (cause instanceof FolderError) return undefined;
    throw cause;
  }
}
