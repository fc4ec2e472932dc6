import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject, JsonValue } from '../../../lib/json.ts';
import { unless } from '../../guard/workspace/workspace-error.ts';
import { HookFailure } from '../hooks/hook-voice.ts';
import type { FoundPlugin } from './found-plugin.ts';
import { InstalledPlugin, type InstalledPluginDependencies } from './installed-plugin.ts';
import { readPlugin } from './read-plugin.ts';

export interface PluginSettings {
  /** The folders whose folders may be plugins: absolute paths. */
  readonly folders: readonly string[];
  /** Names; empty: all. */
  readonly allowed: readonly string[];
  /** Names. Stronger than what is allowed. */
  readonly blocked: readonly string[];
}

export interface PluginsDependencies extends InstalledPluginDependencies {
  readonly settings: PluginSettings;
}

/** The plugins of the operator's folders. What is wrong with one costs none of the others. */
export class Plugins {
  readonly #dependencies: PluginsDependencies;
  readonly #installed: InstalledPlugin[] = [];
  readonly #faults: string[] = [];

  constructor(dependencies: PluginsDependencies) {
    this.#dependencies = dependencies;
  }

  /** Switches on what owners trust. Never rejects for what is wrong with a plugin. */
  async start(): Promise<void> {
    for (const folder of this.#dependencies.settings.folders) {
      for (const path of await this.#foldersIn(folder)) await this.#take(path);
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#installed.map((plugin) => plugin.stop()));
  }

  /** What an owner should know of them, a line each: what is off or left out, and why. */
  troubles(): readonly string[] {
    const each = this.#installed.flatMap(({ name, troubles }) =>
      troubles.map((trouble) => `Plugin ${name}: ${trouble}`),
    );
    return [...this.#faults, ...each];
  }

  /** Asks a plugin as a hook. Rejects with `HookFailure` if it is off, answers no hooks, or gives no answer. */
  async ask(name: string, event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
    const plugin = this.#installed.find((one) => one.name === name);
    if (plugin === undefined) throw new HookFailure('there is no such plugin');
    return plugin.ask(event, signal);
  }

  async #foldersIn(folder: string): Promise<readonly string[]> {
    const entries = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readdir(folder));
    if (entries === undefined) this.#dependencies.means.log.warn({ folder }, 'there is no such folder for plugins');
    const names = (entries ?? []).filter((name) => !name.startsWith('.')).sort();
    return names.map((name) => join(folder, name));
  }

  async #take(path: string): Promise<void> {
    const { means, isForbidden } = this.#dependencies;
    try {
      const reading = await readPlugin(path, isForbidden);
      switch (reading.type) {
        case 'none':
          return;
        case 'faulty':
          return this.#refuse(reading.faults);
        case 'found':
          return await this.#install(reading.plugin);
      }
    } catch (cause) {
      means.log.error({ err: cause, folder: path }, 'a plugin is off: it could not be read');
      this.#faults.push(`${path}: it could not be read.`);
    }
  }

  async #install(found: FoundPlugin): Promise<void> {
    const { settings, means } = this.#dependencies;
    const { name } = found.manifest;
    const isAllowed = settings.allowed.length === 0 || settings.allowed.includes(name);
    if (settings.blocked.includes(name) || !isAllowed) {
      means.log.info({ plugin: name }, 'a plugin is off: the config does not allow it');
      return;
    }
    const other = this.#installed.find((plugin) => plugin.name === name);
    if (other !== undefined) return this.#refuse([`${found.folder}: there is a plugin "${name}" already`]);
    const plugin = new InstalledPlugin(found, this.#dependencies);
    this.#installed.push(plugin);
    await plugin.start();
  }

  #refuse(faults: readonly string[]): void {
    for (const fault of faults) this.#dependencies.means.log.warn({ fault }, 'a plugin is off: it is not right');
    this.#faults.push(...faults);
  }
}
