import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { inOrder } from '../../extension-kit/extension.ts';
import type { IsForbidden } from '../../extension-kit/forbidden-places.ts';
import type { Trust } from '../../feature-points.ts';
import type { JsonObject, JsonValue } from '../../lib/json.ts';
import { type Words, wordsIn } from '../../lib/words.ts';
import { unless } from '../../tools/guard/workspace/workspace-error.ts';
import { type AskPlugin, HookFailure } from './hooks.ts';
import { type InstalledParts, type InstalledPlugin, installedPlugin } from './installed-plugin.ts';
import type { PluginSettings } from './plugin-keys.ts';
import { readPlugin } from './plugin-manifest.ts';
import type { PluginMeans } from './plugin-means.ts';
import { pluginSettings } from './settings.ts';
import { pluginWords } from './words.ts';

/** The plugins of the operator's folders. A faulty plugin does not affect the others. */
export interface Plugins {
  readonly follows: true;
  /** Starts the trusted new plugins of the config and stops removed ones. Never rejects for a faulty plugin. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** A line for owners per plugin or tool that is off or left out, with the reason. */
  troubles(): readonly Words[];
  /** Asks a plugin as a hook. Rejects with `HookFailure` if it is off, has no program, or gives no answer. */
  readonly ask: AskPlugin;
}

interface PluginsState extends InstalledParts {
  readonly settings: Pick<PluginSettings, 'plugins'>;
  installed: readonly InstalledPlugin[];
  faults: readonly Words[];
  isOver: boolean;
}

export function createPlugins(means: PluginMeans, trust: Trust, isForbidden: IsForbidden): Plugins {
  const inTurn = inOrder();
  const state: PluginsState = {
    means,
    trust,
    isForbidden,
    settings: means.settings(pluginSettings),
    installed: [],
    faults: [],
    isOver: false,
  };
  return {
    follows: true,
    start: () => inTurn(() => follow(state)),
    async stop() {
      state.isOver = true;
      await Promise.all(state.installed.map((plugin) => plugin.stop()));
      await inTurn(async () => {});
    },
    troubles: () => [...state.faults, ...state.installed.flatMap((plugin) => plugin.troubles())],
    ask: (name, event, signal) => ask(name, event, signal, state),
  };
}

async function follow(state: PluginsState): Promise<void> {
  state.faults = [];
  const folders = state.settings.plugins.plugin_dirs;
  const paths = (await Promise.all(folders.map((folder) => foldersIn(folder, state)))).flat();
  const over = state.installed.filter(({ path, name }) => !paths.includes(path) || !isAllowed(name, state));
  await Promise.all(over.map((plugin) => plugin.stop()));
  state.installed = state.installed.filter((plugin) => !over.includes(plugin));
  for (const path of paths) if (!state.installed.some((plugin) => plugin.path === path)) await take(path, state);
}

async function foldersIn(folder: string, state: PluginsState): Promise<readonly string[]> {
  const entries = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readdir(folder));
  if (entries === undefined) {
    state.means.log.warn({ folder }, 'there is no such folder for plugins');
    state.faults = [...state.faults, (language) => pluginWords[language].noFolder({ path: folder })];
  }
  const names = (entries ?? []).filter((name) => !name.startsWith('.')).sort();
  return names.map((name) => join(folder, name));
}

function isAllowed(name: string, { settings }: PluginsState): boolean {
  const { allowed_plugins: allowed, blocked_plugins: blocked } = settings.plugins;
  return !blocked.includes(name) && (allowed.length === 0 || allowed.includes(name));
}

async function take(path: string, state: PluginsState): Promise<void> {
  const { log } = state.means;
  try {
    const { plugin: found, faults } = await readPlugin(path, state.isForbidden);
    for (const fault of faults) refuse(fault, state);
    if (found === undefined || state.isOver) return;
    const { name } = found.manifest;
    if (!isAllowed(name, state)) return log.info({ plugin: name }, 'a plugin is off: the config does not allow it');
    if (state.installed.some((plugin) => plugin.name === name))
      return refuse((language) => pluginWords[language].nameTaken({ path: found.folder, plugin: name }), state);
    const plugin = installedPlugin(path, found, state);
    state.installed = [...state.installed, plugin];
    await plugin.start();
  } catch (cause) {
    log.error({ err: cause, folder: path }, 'a plugin is off: it could not be read');
    state.faults = [...state.faults, (language) => pluginWords[language].unreadable({ path })];
  }
}

function refuse(fault: Words, state: PluginsState): void {
  state.means.log.warn({ fault: wordsIn('en', fault) }, 'a plugin is off: it is not right');
  state.faults = [...state.faults, fault];
}

async function ask(
  name: string,
  event: JsonObject,
  signal: AbortSignal,
  { installed }: PluginsState,
): Promise<JsonValue | undefined> {
  const plugin = installed.find((one) => one.name === name);
  if (plugin === undefined) throw new HookFailure('there is no such plugin');
  return plugin.ask(event, signal);
}
