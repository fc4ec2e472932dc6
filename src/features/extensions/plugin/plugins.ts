import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { registrationOf, type ToolSource } from '../../../tools/registry.ts';
import { type Attempt, type Extension, ExtensionError, extension, inOrder } from '../extension.ts';
import { HookFailure } from '../hooks.ts';
import type { IsForbidden } from '../pinned-modules.ts';
import { extensionSettings } from '../settings.ts';
import type { Trust } from '../trust.ts';
import { fingerprintFolder } from './folder-fingerprint.ts';
import { type FoundPlugin, type PluginToolManifest, readPlugin } from './plugin-manifest.ts';
import { type HookMethod, type PluginExecution, type PluginMeans, PluginRefusal } from './plugin-means.ts';
import { gaveUpWords, supervisedProgram } from './plugin-supervisor.ts';
import { pluginTool } from './plugin-tool.ts';

export type Plugins = ReturnType<typeof createPlugins>;

/** The plugins of the operator's folders. A faulty plugin does not affect the others. */
export function createPlugins(means: PluginMeans, trust: Trust, isForbidden: IsForbidden) {
  const { log } = means;
  const settings = means.settings(extensionSettings);
  const inTurn = inOrder();
  let installed: readonly Plugin[] = [];
  let faults: readonly string[] = [];
  let isOver = false;

  function isAllowed(name: string): boolean {
    const { allowed_plugins: allowed, blocked_plugins: blocked } = settings.plugins;
    return !blocked.includes(name) && (allowed.length === 0 || allowed.includes(name));
  }

  async function foldersIn(folder: string): Promise<readonly string[]> {
    const entries = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readdir(folder));
    if (entries === undefined) {
      log.warn({ folder }, 'there is no such folder for plugins');
      faults = [...faults, `plugins.plugin_dirs: there is no folder ${folder}`];
    }
    const names = (entries ?? []).filter((name) => !name.startsWith('.')).sort();
    return names.map((name) => join(folder, name));
  }

  async function follow(): Promise<void> {
    faults = [];
    const paths = (await Promise.all(settings.plugins.plugin_dirs.map(foldersIn))).flat();
    const over = installed.filter(({ path, name }) => !paths.includes(path) || !isAllowed(name));
    await Promise.all(over.map((plugin) => plugin.stop()));
    installed = installed.filter((plugin) => !over.includes(plugin));
    for (const path of paths) if (!installed.some((plugin) => plugin.path === path)) await take(path);
  }

  async function take(path: string): Promise<void> {
    try {
      const { plugin: found, faults: wrong } = await readPlugin(path, isForbidden);
      for (const fault of wrong) refuse(fault);
      if (found === undefined || isOver) return;
      const { name } = found.manifest;
      if (!isAllowed(name)) return log.info({ plugin: name }, 'a plugin is off: the config does not allow it');
      if (installed.some((plugin) => plugin.name === name))
        return refuse(`${found.folder}: there is a plugin "${name}" already`);
      const plugin = createPlugin(path, found, means, trust, isForbidden);
      installed = [...installed, plugin];
      await plugin.start();
    } catch (cause) {
      log.error({ err: cause, folder: path }, 'a plugin is off: it could not be read');
      faults = [...faults, `${path}: it could not be read.`];
    }
  }

  function refuse(fault: string): void {
    log.warn({ fault }, 'a plugin is off: it is not right');
    faults = [...faults, fault];
  }

  return {
    follows: true as const,
    /** Starts the trusted new plugins of the config and stops removed ones. Never rejects for a faulty plugin. */
    start: (): Promise<void> => inTurn(follow),
    async stop(): Promise<void> {
      isOver = true;
      await Promise.all(installed.map((plugin) => plugin.stop()));
      await inTurn(async () => {});
    },
    /** A line for owners per plugin or tool that is off or left out, with the reason. */
    troubles: (): readonly string[] => [...faults, ...installed.flatMap(({ troubles }) => troubles())],
    /** Asks a plugin as a hook. Rejects with `HookFailure` if it is off, has no program, or gives no answer. */
    async ask(name: string, event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
      const plugin = installed.find((one) => one.name === name);
      if (plugin === undefined) throw new HookFailure('there is no such plugin');
      return plugin.ask(event, signal);
    },
  };
}

type Plugin = ReturnType<typeof createPlugin>;

/** One plugin: on while its folder is exactly what an owner trusts. `path`: where it was found. */
function createPlugin(path: string, first: FoundPlugin, means: PluginMeans, trust: Trust, isForbidden: IsForbidden) {
  const { registry, tellOwners, log } = means;
  const isConfined = (): boolean => means.bounds.isConfined();
  const { name } = first.manifest;
  const source: ToolSource = { type: 'plugin', name };
  let running: { readonly found: FoundPlugin; readonly execution: PluginExecution } | undefined;
  const one: Extension<FoundPlugin> = extension(
    {
      ...{ noun: 'a plugin', fields: { plugin: name }, title: `Plugin ${name}`, on: switchOn, off: switchOff },
      subjectOf(found) {
        const what = describePlugin(found, isConfined());
        return { kind: 'plugin', name, fingerprint: found.fingerprint, what };
      },
      // It may have changed since it was reviewed.
      decided: (isTrusted) => (isTrusted ? readAgain() : one.follow()),
    },
    { trust, core: means },
  );

  const readAgain = (): Promise<void> =>
    one.readAgain(async () => {
      const { plugin, faults } = await readPlugin(first.folder, isForbidden);
      if (plugin?.manifest.name === name) return plugin;
      const gone = 'is not there any more, or has another name';
      throw new ExtensionError(faults.length > 0 ? `cannot be used any more: ${faults.join('; ')}` : gone);
    });

  async function switchOn(found: FoundPlugin, attempt: Attempt): Promise<void> {
    const execution = await makeExecution(found);
    running = { found, execution };
    for (const tool of found.manifest.tools) {
      await attempt(async () => {
        if (registry.isTaken(tool.name))
          throw new ExtensionError(`has a tool ${tool.name}, which is left out: there is another one of that name`);
        registry.register(registrationOf(pluginTool(found, tool, execution, isConfined)), source);
      });
    }
    log.info({ plugin: name }, 'a plugin is on');
  }

  async function switchOff(): Promise<void> {
    const ended = running;
    running = undefined;
    registry.unregister(source);
    await ended?.execution.stop?.();
  }

  async function makeExecution(found: FoundPlugin): Promise<PluginExecution> {
    /** Called before each start, so that only what an owner trusts runs. */
    const verify = async (): Promise<void> => {
      const now = await fingerprintOf(found.folder);
      if (running?.found !== found) throw new PluginRefusal('It is off by now.');
      if (now === found.fingerprint) return;
      void readAgain();
      throw new PluginRefusal(
        'Its folder has changed since an owner trusted it. It is off until an owner trusts it as it is now.',
      );
    };
    const { binary } = found.manifest;
    if (binary?.long_lived) return supervisedProgram(found, means, { verify, gaveUp });
    const { commandProgram, oneShotProgram } = await import('./call-programs.ts');
    return (binary === undefined ? commandProgram : oneShotProgram)(found, means, verify);
  }

  function gaveUp(): void {
    log.error({ plugin: name }, 'a plugin is off: it has crashed too often');
    tellOwners(`⚠️ The plugin \`${name}\` is off. ${gaveUpWords}`);
    void one.giveUp(gaveUpWords);
  }

  return {
    ...one,
    ...{ path, name },
    /** Switches it on if an owner trusts it. */
    async start(): Promise<void> {
      await one.read(async () => first);
      await one.start();
    },
    async ask(event: JsonObject, signal: AbortSignal): Promise<JsonValue | undefined> {
      if (running === undefined) throw new HookFailure('the plugin is off');
      return askHook(running.execution, event, signal);
    },
  };
}

/** Undefined if the folder cannot be fingerprinted. */
async function fingerprintOf(folder: string): Promise<string | undefined> {
  try {
    return (await fingerprintFolder(folder)).fingerprint;
  } catch (cause) {
    if (cause instanceof ExtensionError) return undefined;
    throw cause;
  }
}

/** In ms. Longer than any hook may take: the signal ends it. */
const timeout = 86_400_000;

/** Asks a plugin as a hook; the method is the event's name. Rejects with `HookFailure` if it gives no answer. */
async function askHook(
  execution: PluginExecution,
  event: JsonObject,
  signal: AbortSignal,
): Promise<JsonValue | undefined> {
  const asked: HookMethod = event.event === 'after_tool_call' ? 'after_tool_call' : 'before_tool_call';
  const { channel, chat_id: chatId } = isJsonObject(event.conversation) ? event.conversation : {};
  const [callId, workspace] = [String(event.call_id), String(event.workspace)];
  const place = { channel: String(channel), chatId: String(chatId) };
  const context = { ...place, callId, workspace, signal, progress: () => {} };
  const outcome = await execution.execute({ asked, args: event, context, timeout });
  if (outcome.type !== 'answered')
    throw new HookFailure(`the plugin gave no answer: ${'why' in outcome ? outcome.why : 'it was ended before'}`);
  if (outcome.isError) throw new HookFailure(`the plugin answered with an error: ${outcome.output}`);
  return parseJson(outcome.output);
}

const mostToolsShown = 30;

/** Describes a plugin and its tools in a few lines of markdown, for the owner who decides. */
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
