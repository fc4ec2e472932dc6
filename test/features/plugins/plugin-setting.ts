import { onTestFinished } from 'vitest';
import { builtinNames } from '../../../src/config/tool-rules.ts';
import { pluginMeans } from '../../../src/features/plugins/plugin-means.ts';
import { createPlugins, type Plugins } from '../../../src/features/plugins/plugins.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import type { JsonValue } from '../../../src/lib/json.ts';
import { type Words, wordsIn } from '../../../src/lib/words.ts';
import { type CommandBounds, unbounded } from '../../../src/tools/guard/process/bounds.ts';
import { plainShell } from '../../../src/tools/guard/process/command-shell.ts';
import { longLivedGuard, processGuard } from '../../../src/tools/guard/process/process.ts';
import { liesInWorkspace, workspaces } from '../../../src/tools/guard/workspace/workspace.ts';
import type { ToolOutput } from '../../../src/tools/output.ts';
import { createToolRegistry, isSameSource, type ToolRegistry, type ToolSource } from '../../../src/tools/registry.ts';
import { createToolRunner } from '../../../src/tools/runner.ts';
import type { PreparedCall, ToolContext } from '../../../src/tools/tool.ts';
import { coreWith } from '../../support/core-with.ts';
import { MemoryTrust } from '../../support/memory-trust.ts';
import { newFolder } from '../../support/new-folder.ts';
import { waitUntil } from '../../support/wait-for.ts';
import { wholeSchema } from '../../support/whole-schema.ts';
import { contextIn, type LogLine, prepared, recordingLog, scopeIn } from '../../tools/setting.ts';

export interface PluginSettingOptions {
  readonly bounds?: CommandBounds;
  /** That of back-off and of the times that calls have. */
  readonly clock?: Clock;
  readonly settings?: Partial<
    Readonly<Record<'plugin_dirs' | 'allowed_plugins' | 'blocked_plugins', readonly string[]>>
  >;
  readonly workspace?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

export interface PluginSetting {
  /** Where the folders of the plugins stand. */
  readonly folder: string;
  readonly workspace: string;
  readonly registry: ToolRegistry;
  readonly trust: MemoryTrust;
  readonly plugins: Plugins;
  /** What owners are told of the plugins that do not work, in English. */
  readonly troubles: () => readonly string[];
  readonly log: LogLine[];
  /** What the owners were told. */
  readonly told: string[];
  /** The names of the tools that are there. */
  names(): readonly string[];
  prepare(tool: string, args?: JsonValue): Promise<PreparedCall>;
  /** As the loop does it: by name from the registry, prepared, executed by the runner. */
  call(tool: string, args?: JsonValue, changed?: Partial<ToolContext>): Promise<ToolOutput>;
}

/** A folder for plugins, and all that runs them. Ended with the test. */
export async function pluginSetting(options: PluginSettingOptions = {}): Promise<PluginSetting> {
  const { bounds = unbounded, clock = systemClock, settings } = options;
  const folder = await newFolder();
  const workspace = options.workspace ?? (await newFolder());
  const lines: LogLine[] = [];
  const told: string[] = [];
  const log = recordingLog(lines);
  const registry = createToolRegistry({ log, reserved: builtinNames(wholeSchema().parse({})) });
  const trust = new MemoryTrust();
  const guarded = {
    clock: systemClock,
    bounds,
    environment: { PATH: process.env.PATH, HOME: '/root', SECRET_TOKEN: 'hunter2', ...options.environment },
  };
  const shell = { deny: ['@recursive_deletion'], max_output_bytes: 2 ** 20 };
  const config = {
    ...wholeSchema().parse({ tools: { shell } }),
    plugins: { plugin_dirs: [folder], allowed_plugins: [], blocked_plugins: [], ...settings },
  };
  const core = coreWith({
    // Tests edit it while it runs.
    settings: () => config,
    ...{ ...guarded, config, clock, log, registry, workspaceAt: workspaces() },
    bounds: { bounds, isConfined: () => bounds !== unbounded, shell: () => plainShell },
    tellOwners: (markdown: Words) => told.push(wordsIn('en', markdown)),
    readers: { forConversation: () => ({ timeZone: 'UTC', isNamed: false, language: 'en' }) },
  });
  const plugins = createPlugins(
    // Processes are ended in real time.
    { ...pluginMeans(core), runProcess: processGuard(guarded), startProcess: longLivedGuard(guarded) },
    trust,
    (path) => liesInWorkspace(path, workspace),
  );
  onTestFinished(() => plugins.stop());
  const runner = createToolRunner({ clock: systemClock });
  const prepare = async (tool: string, args: JsonValue = {}): Promise<PreparedCall> => {
    const found = await registry.get(tool, scopeIn(workspace));
    if (found === undefined) throw new Error(`no tool ${tool}`);
    return prepared(found.tool, args);
  };
  return {
    folder,
    workspace,
    registry,
    trust,
    plugins,
    log: lines,
    told,
    troubles: () => plugins.troubles().map((trouble) => wordsIn('en', trouble)),
    names: () => registry.list(scopeIn(workspace)).map(({ name }) => name),
    prepare,
    call: async (tool, args, changed) =>
      (await runner.run(await prepare(tool, args), contextIn(workspace, changed))).output,
  };
}

/** Starts the plugins, and trusts all of them. */
export async function startTrusted({ plugins, trust, registry }: PluginSetting, ...names: string[]): Promise<void> {
  await plugins.start();
  for (const name of names) trust.trust(name);
  const sources = (): readonly ToolSource[] => registry.list(scopeIn('/')).map(({ source }) => source);
  const isOn = (name: string): boolean => sources().some((source) => isSameSource(source, { type: 'plugin', name }));
  await waitUntil(() => names.every(isOn), { what: 'the plugins to be on' });
}
