import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { type CallFacets, isRepeatable, type ToolCategory } from '../../../tools/category.ts';
import { foreignTool } from '../../../tools/foreign-tool.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { error, type ToolOutput } from '../../../tools/output.ts';
import { registrationOf, type ToolRegistry } from '../../../tools/registry.ts';
import type { Tool } from '../../../tools/tool.ts';
import type { ToolSource } from '../../../tools/tool-source.ts';
import { HookFailure } from '../hooks/hooks.ts';
import { type Trust, Trusted } from '../trust/trusted.ts';
import { FolderError, fingerprintFolder } from './folder-fingerprint.ts';
import { type FoundPlugin, type IsForbidden, type PluginToolManifest, readPlugin } from './plugin-manifest.ts';
import {
  type CallOutcome,
  type HookMethod,
  type PluginExecution,
  type PluginMeans,
  PluginRefusal,
} from './plugin-means.ts';
import { gaveUpWords, longLivedProgram } from './plugin-supervisor.ts';

export interface PluginSettings {
  /** The folders whose folders may be plugins: absolute paths. */
  readonly folders: readonly string[];
  /** Names; empty: all. */
  readonly allowed: readonly string[];
  /** Names. Stronger than what is allowed. */
  readonly blocked: readonly string[];
}

/** What all plugins are given. */
export interface PluginParts {
  readonly settings: PluginSettings;
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
  readonly #installed: Plugin[] = [];
  readonly #faults: string[] = [];

  constructor(parts: PluginParts) {
    this.#parts = parts;
  }

  /** Switches on what owners trust. Never rejects for what is wrong with a plugin. */
  async start(): Promise<void> {
    for (const folder of this.#parts.settings.folders) {
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
          return await this.#install(reading.plugin);
      }
    } catch (cause) {
      means.log.error({ err: cause, folder: path }, 'a plugin is off: it could not be read');
      this.#faults.push(`${path}: it could not be read.`);
    }
  }

  async #install(found: FoundPlugin): Promise<void> {
    const { settings, means } = this.#parts;
    const { name } = found.manifest;
    const isAllowed = settings.allowed.length === 0 || settings.allowed.includes(name);
    if (settings.blocked.includes(name) || !isAllowed) {
      means.log.info({ plugin: name }, 'a plugin is off: the config does not allow it');
      return;
    }
    const other = this.#installed.find((plugin) => plugin.name === name);
    if (other !== undefined) return this.#refuse([`${found.folder}: there is a plugin "${name}" already`]);
    const plugin = new Plugin(found, this.#parts);
    this.#installed.push(plugin);
    await plugin.start();
  }

  #refuse(faults: readonly string[]): void {
    for (const fault of faults) this.#parts.means.log.warn({ fault }, 'a plugin is off: it is not right');
    this.#faults.push(...faults);
  }
}

/** One plugin of the operator's folders: on as long as its folder is exactly what an owner trusts. */
class Plugin {
  readonly #parts: PluginParts;
  readonly #source: ToolSource;
  readonly #trusted: Trusted;
  readonly name: string;
  #found: FoundPlugin;
  #execution: PluginExecution | undefined;
  #troubles: readonly string[] = [];

  constructor(found: FoundPlugin, parts: PluginParts) {
    this.#parts = parts;
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
    if (binary?.long_lived) return longLivedProgram(found, means, { verify, gaveUp: () => this.#gaveUp() });
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

/** The time that a call has where the manifest says nothing, in seconds. */
const usualSeconds = 30;

/** One tool of a plugin, as everything else sees it. */
function pluginTool(
  { manifest, fingerprint }: FoundPlugin,
  { name, description, category, parameters, timeout_secs }: PluginToolManifest,
  execution: PluginExecution,
  isConfined: () => boolean,
): Tool {
  const timeout = (timeout_secs ?? manifest.binary?.timeout_secs ?? usualSeconds) * 1000;
  return foreignTool({
    name,
    description,
    category,
    parameters,
    // What was approved of one version is not done by another.
    fingerprint,
    describeCall: (args) =>
      execution.describe?.({ tool: name, args }) ??
      `use ${inlineCode(name)} of the plugin ${inlineCode(manifest.name)} with ${inlineCode(oneLine(JSON.stringify(args), 300))}`,
    effect: (args) => execution.effect?.({ tool: name, args }),
    binds: async (args, scope) => (await execution.binds?.({ tool: name, args }, scope)) ?? { files: [], areAll: true },
    forbid: (args) => execution.forbid?.({ tool: name, args }),
    facets: () => ({ ...facetsOf(category, isConfined()), brings: `plugin ${manifest.name}` }),
    async execute(args, context) {
      const outcome = await execution.execute({ tool: name, args, context, timeout });
      return outputOf(outcome, { plugin: manifest.name, tool: name, category, timeout });
    },
  });
}

/** What it really does nobody here knows: of what its category allows, the worst is taken for it. */
function facetsOf(category: ToolCategory, isConfined: boolean): CallFacets {
  return {
    ...(category === 'memory' ? { writesMemory: true } : {}),
    ...(category === 'messaging' ? { leavesConversation: true } : {}),
    ...(category === 'shell' && !isConfined ? { unconfined: true } : {}),
  };
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

export interface EndedCall {
  readonly plugin: string;
  readonly tool: string;
  readonly category: ToolCategory;
  /** In milliseconds. */
  readonly timeout: number;
}

/** What the model and people are told of a call. All that comes from the plugin is untrusted. */
function outputOf(outcome: CallOutcome, call: EndedCall): ToolOutput {
  const untrusted = `plugin ${call.plugin}`;
  switch (outcome.type) {
    case 'answered': {
      const { output, forUser, isError } = outcome.answer;
      const forLlm = output === '' ? '[no output]' : output;
      return { forLlm, isError, isAsync: false, untrusted, forUser };
    }
    case 'lost':
      return { ...error(`The plugin ${call.plugin} gave no answer: ${outcome.why}.\n${consequence(call)}`), untrusted };
    case 'timed-out':
      return error(
        `${call.tool} of the plugin ${call.plugin} did not end within ${call.timeout / 1000} s and was ended.\n${consequence(call)}`,
      );
    case 'stopped':
      return error(`${call.tool} of the plugin ${call.plugin} was stopped.`);
    case 'not-run':
      return { ...error(`${call.tool} did not run. The plugin ${call.plugin}: ${outcome.why}`), untrusted };
  }
}

function consequence({ category }: EndedCall): string {
  return isRepeatable(category)
    ? 'It only reads, so that it can be tried again.'
    : 'The outcome is unknown: it may have done a part of its work. Look before you try again.';
}
