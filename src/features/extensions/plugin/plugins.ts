import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { reservedNames } from '../../../config/tool-rules.ts';
import type { FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { longLivedGuard, processGuard } from '../../../tools/guard/process/process.ts';
import { workspaces } from '../../../tools/guard/workspace/workspace.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { registrationOf, type ToolRegistry } from '../../../tools/registry.ts';
import type { ToolSource } from '../../../tools/tool-source.ts';
import { HookFailure } from '../hooks.ts';
import type { IsForbidden } from '../pinned-modules.ts';
import { type Trust, Trusted } from '../trust.ts';
import { FolderError, fingerprintFolder } from './folder-fingerprint.ts';
import { type FoundPlugin, type PluginToolManifest, readPlugin } from './plugin-manifest.ts';
import { type HookMethod, type PluginExecution, type PluginMeans, PluginRefusal } from './plugin-means.ts';
import { gaveUpWords, PluginSupervisor } from './plugin-supervisor.ts';
import { pluginTool } from './plugin-tool.ts';

/** The plugins in the operator's folders, as `trust` and the config have them. */
export function configuredPlugins(core: FeatureCore, trust: Trust, isForbidden: IsForbidden): Plugins {
  const { config, registry, clock, log, environment, bounds, ownPaths: privatePaths, tellOwners } = core;
  const guarded = { clock, environment, bounds: bounds.bounds };
  return new Plugins({
    settings: () => config.plugins,
    means: {
      runProcess: processGuard(guarded),
      startProcess: longLivedGuard(guarded),
      nodePath: process.execPath,
      workspaceAt: workspaces({ privatePaths }),
      deny: config.tools.shell.deny,
      maxOutputBytes: config.tools.shell.max_output_bytes,
      ...{ clock, log },
    },
    // A builtin tool that is switched off leaves its name to nobody.
    reservedNames: reservedNames(config),
    isConfined: () => bounds.isConfined(),
    ...{ registry, trust, isForbidden, tellOwners },
  });
}

/** What all plugins are given. */
interface PluginParts {
  /** As the config has them now. */
  readonly settings: () => Readonly<Record<'plugin_dirs' | 'allowed_plugins' | 'blocked_plugins', readonly string[]>>;
  readonly means: PluginMeans;
  readonly registry: ToolRegistry;
  /** Names that no tool of a plugin may have, whether there is such a tool or not. */
  readonly reservedNames: ReadonlySet<string>;
  readonly trust: Trust;
  readonly isForbidden: IsForbidden;
  /** A sandbox keeps processes in their bounds. */
  readonly isConfined: () => boolean;
  /** Says something to the owners once, as markdown. */
  readonly tellOwners: (markdown: string) => void;
}

/** The plugins of the operator's folders. What is wrong with one costs none of the others. */
export class Plugins {
  readonly #parts: PluginParts;
  #installed: readonly Plugin[] = [];
  #faults: readonly string[] = [];
  #starting = Promise.resolve();
  #isOver = false;

  constructor(parts: PluginParts) {
    this.#parts = parts;
  }

  /**
   * Switches on what owners trust of what the config has and is not there yet, and ends what it has no more. Never rejects for
   * what is wrong with a plugin.
   */
  start(): Promise<void> {
    this.#starting = this.#starting.then(() => this.#follow());
    return this.#starting;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#installed.map((plugin) => plugin.stop()));
    await this.#starting;
  }

  async #follow(): Promise<void> {
    if (this.#isOver) return;
    const paths = (await Promise.all(this.#parts.settings().plugin_dirs.map((dir) => this.#foldersIn(dir)))).flat();
    const isWanted = ({ path, name }: Plugin): boolean => paths.includes(path) && this.#isAllowed(name);
    await Promise.all(this.#installed.filter((plugin) => !isWanted(plugin)).map((plugin) => plugin.stop()));
    this.#installed = this.#installed.filter(isWanted);
    this.#faults = [];
    for (const path of paths) if (!this.#installed.some((plugin) => plugin.path === path)) await this.#take(path);
  }

  #isAllowed(name: string): boolean {
    const { allowed_plugins: allowed, blocked_plugins: blocked } = this.#parts.settings();
    return !blocked.includes(name) && (allowed.length === 0 || allowed.includes(name));
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
    if (entries === undefined) this.#parts.means.log.warn({ folder }, 'there is no such folder for plugins');
    const names = (entries ?? []).filter((name) => !name.startsWith('.')).sort();
    return names.map((name) => join(folder, name));
  }

  async #take(path: string): Promise<void> {
    const { means, isForbidden } = this.#parts;
    try {
      const reading = await readPlugin(path, isForbidden);
      switch (reading.type) {
        case 'none':
          return;
        case 'faulty':
          return this.#refuse(reading.faults);
        case 'found':
          return await this.#install(path, reading.plugin);
      }
    } catch (cause) {
      means.log.error({ err: cause, folder: path }, 'a plugin is off: it could not be read');
      this.#faults = [...this.#faults, `${path}: it could not be read.`];
    }
  }

  async #install(path: string, found: FoundPlugin): Promise<void> {
    const { name } = found.manifest;
    if (!this.#isAllowed(name)) {
      this.#parts.means.log.info({ plugin: name }, 'a plugin is off: the config does not allow it');
      return;
    }
    const other = this.#installed.find((plugin) => plugin.name === name);
    if (other !== undefined) return this.#refuse([`${found.folder}: there is a plugin "${name}" already`]);
    if (this.#isOver) return;
    const plugin = new Plugin(path, found, this.#parts);
    this.#installed = [...this.#installed, plugin];
    await plugin.start();
  }

  #refuse(faults: readonly string[]): void {
    for (const fault of faults) this.#parts.means.log.warn({ fault }, 'a plugin is off: it is not right');
    this.#faults = [...this.#faults, ...faults];
  }
}

/** One plugin of the operator's folders: on as long as its folder is exactly what an owner trusts. */
class Plugin {
  readonly #parts: PluginParts;
  readonly #source: ToolSource;
  readonly #trusted: Trusted;
  /** Where it was looked for. */
  readonly path: string;
  readonly name: string;
  #found: FoundPlugin;
  #execution: PluginExecution | undefined;
  #troubles: readonly string[] = [];

  constructor(path: string, found: FoundPlugin, parts: PluginParts) {
    this.#parts = parts;
    this.path = path;
    this.#found = found;
    this.name = found.manifest.name;
    this.#source = { type: 'plugin', name: this.name };
    const use = {
      on: () => this.#switchOn(),
      off: () => this.#switchOff([]),
      decided: (isTrusted: boolean) => void (isTrusted ? this.#lookAgain() : this.#trusted.follow()),
    };
    this.#trusted = new Trusted(parts.trust, use, parts.means.log.child({ plugin: this.name }));
  }

  /** What of it is not as it should be, a line each, but that it waits for trust: that is told elsewhere. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  /** Switches it on, if an owner trusts it as it is. What goes wrong is logged. */
  start(): Promise<void> {
    return this.#trusted.inTurn(() => this.#review());
  }

  /** Takes its tools away, and leaves nothing running. */
  stop(): Promise<void> {
    return this.#trusted.end();
  }

  /** Asks it as a hook. Rejects with `HookFailure` if it is off, answers no hooks, or gives no answer. */
  async ask(event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
    if (this.#found.manifest.binary === undefined) throw new HookFailure('the plugin has no program that could answer');
    if (this.#execution === undefined) throw new HookFailure('the plugin is off');
    return askHook(this.#execution, event, signal);
  }

  async #review(): Promise<void> {
    const { fingerprint } = this.#found;
    const what = describePlugin(this.#found, this.#parts.isConfined());
    const isTrusted = await this.#trusted.review({ kind: 'plugin', name: this.name, fingerprint, what });
    await (isTrusted ? this.#switchOn() : this.#switchOff([]));
  }

  /** Reads the folder again. */
  #lookAgain(): Promise<void> {
    return this.#trusted.inTurn(async () => {
      if (this.#trusted.isOver) return;
      await this.#switchOff([]);
      const reading = await readPlugin(this.#found.folder, this.#parts.isForbidden);
      if (reading.type === 'found' && reading.plugin.manifest.name === this.name) {
        this.#found = reading.plugin;
        return this.#review();
      }
      const faults = reading.type === 'faulty' ? reading.faults : ['It is not there any more, or has another name.'];
      this.#parts.means.log.warn({ plugin: this.name, faults }, 'a plugin is off: it cannot be used any more');
      this.#troubles = faults;
    });
  }

  async #switchOn(): Promise<void> {
    if (this.#trusted.isOver) return;
    const { registry, reservedNames, isConfined, means } = this.#parts;
    const execution = await this.#makeExecution();
    this.#execution = execution;
    const { tools } = this.#found.manifest;
    const isTaken = ({ name }: { readonly name: string }): boolean =>
      registry.has(name) || reservedNames.has(name.toLowerCase());
    const left = tools.filter(isTaken).map(({ name }) => name);
    for (const tool of tools.filter((one) => !left.includes(one.name))) {
      registry.register(registrationOf(pluginTool(this.#found, tool, execution, isConfined)), this.#source);
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
    this.#parts.registry.unregisterBySource(this.#source);
    await execution?.stop();
  }

  async #makeExecution(): Promise<PluginExecution> {
    const { means } = this.#parts;
    const found = this.#found;
    const verify = (): Promise<void> => this.#verify(found);
    const { binary } = found.manifest;
    if (binary?.long_lived) return new PluginSupervisor(found, means, { verify, gaveUp: () => this.#gaveUp() });
    const { commandProgram, oneShotProgram } = await import('./call-programs.ts');
    return (binary === undefined ? commandProgram : oneShotProgram)(found, means, verify);
  }

  /** Nothing of it is run that is not what an owner trusts. */
  async #verify(found: FoundPlugin): Promise<void> {
    const now = await fingerprintOf(found.folder);
    if (this.#execution === undefined || this.#found !== found) throw new PluginRefusal('It is off by now.');
    if (now === found.fingerprint) return;
    void this.#lookAgain();
    throw new PluginRefusal(
      'Its folder has changed since an owner trusted it. It is off until an owner trusts it as it is now.',
    );
  }

  #gaveUp(): void {
    const { means, tellOwners } = this.#parts;
    means.log.error({ plugin: this.name }, 'a plugin is off: it has crashed too often');
    tellOwners(`⚠️ The plugin \`${this.name}\` is off. ${gaveUpWords}`);
    void this.#trusted.inTurn(() => this.#switchOff([gaveUpWords]));
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

/** Longer than any hook may take: the signal ends it. In milliseconds. */
const timeout = 86_400_000;

/** Asks a plugin as a hook, by the method that the event is called. Rejects with `HookFailure` if it gives no answer. */
async function askHook(
  execution: PluginExecution,
  event: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const method: HookMethod = event.event === 'after_tool_call' ? 'after_tool_call' : 'before_tool_call';
  const { channel, chat_id: chatId } = isJsonObject(event.conversation) ? event.conversation : {};
  const [callId, workspace] = [String(event.call_id), String(event.workspace)];
  const place = { channel: String(channel), chatId: String(chatId) };
  const context = { ...place, callId, workspace, signal, progress: () => {} };
  const outcome = await execution.execute({ method, tool: method, args: event, context, timeout });
  switch (outcome.type) {
    case 'answered':
      if (outcome.answer.isError) throw new HookFailure(`the plugin answered with an error: ${outcome.answer.output}`);
      return parseJson(outcome.answer.output);
    case 'lost':
    case 'not-run':
      throw new HookFailure(`the plugin gave no answer: ${outcome.why}`);
    case 'timed-out':
    case 'stopped':
      throw new HookFailure('the plugin was ended before it answered');
  }
}

const mostToolsShown = 30;

/** What a plugin is and what it brings, for the owner who decides whether to trust it: a few lines of markdown. */
function describePlugin({ folder, manifest, fileCount }: FoundPlugin, isConfined: boolean): string {
  const { name, version, description, author, tools } = manifest;
  const by = author === undefined ? '' : ` by ${escapeMarkdown(oneLine(author, 100))}`;
  const rest = tools.length - mostToolsShown;
  const bounds = isConfined ? 'It runs in the sandbox.' : 'There is no sandbox here: it can do whatever Keyturn can.';
  return [
    `**${escapeMarkdown(name)}** ${escapeMarkdown(oneLine(version, 64))}${by}: ${escapeMarkdown(oneLine(description, 300))}`,
    tools.length === 0 ? 'It brings no tools.' : 'It brings these tools:',
    ...tools.slice(0, mostToolsShown).map(toolLine),
    ...(rest > 0 ? [`- and ${rest} more`] : []),
    '',
    `It lies in ${inlineCode(oneLine(folder, 300))} (${fileCount} ${fileCount === 1 ? 'file' : 'files'}), ${executionWords(manifest)}. ${bounds}`,
  ].join('\n');
}

function executionWords({ binary }: FoundPlugin['manifest']): string {
  if (binary === undefined) return 'and runs commands';
  const how = binary.long_lived ? 'which goes on running' : 'once for each call';
  return `and runs ${inlineCode(oneLine(binary.path, 200))}, ${how}`;
}

function toolLine({ name, category, description, command }: PluginToolManifest): string {
  const runs = command.trim() === '' ? '' : ` Runs ${inlineCode(oneLine(command, 300))}.`;
  return `- ${inlineCode(name)} (${category}): ${escapeMarkdown(oneLine(description, 200))}${runs}`;
}
