import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { builtinNames } from '../../../../src/config/tool-rules.ts';
import { pluginMeans } from '../../../../src/features/extensions/plugin/plugin-means.ts';
import { createPlugins, type Plugins } from '../../../../src/features/extensions/plugin/plugins.ts';
import { type Clock, systemClock } from '../../../../src/lib/clock.ts';
import type { JsonObject, JsonValue } from '../../../../src/lib/json.ts';
import { type Words, wordsIn } from '../../../../src/lib/words.ts';
import { type CommandBounds, unbounded } from '../../../../src/tools/guard/process/bounds.ts';
import { plainShell } from '../../../../src/tools/guard/process/command-shell.ts';
import { longLivedGuard, processGuard } from '../../../../src/tools/guard/process/process.ts';
import { liesInWorkspace, workspaces } from '../../../../src/tools/guard/workspace/workspace.ts';
import type { ToolOutput } from '../../../../src/tools/output.ts';
import {
  createToolRegistry,
  isSameSource,
  type ToolRegistry,
  type ToolSource,
} from '../../../../src/tools/registry.ts';
import { createToolRunner } from '../../../../src/tools/runner.ts';
import type { PreparedCall, ToolContext } from '../../../../src/tools/tool.ts';
import { coreWith } from '../../../support/core-with.ts';
import { newFolder } from '../../../support/new-folder.ts';
import { waitUntil } from '../../../support/wait-for.ts';
import { wholeSchema } from '../../../support/whole-schema.ts';
import { contextIn, type LogLine, prepared, recordingLog, scopeIn } from '../../../tools/setting.ts';
import { MemoryTrust } from '../trust/memory-trust.ts';

const programs = join(import.meta.dirname, '../../../support/plugins');
const examples = join(import.meta.dirname, '../../../../examples/plugins');

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

/** Puts a plugin of the tests, or an example, into a folder. */
export async function copyPlugin(name: 'once' | 'dice', folder: string): Promise<string> {
  const target = join(folder, name);
  await cp(join(name === 'dice' ? examples : programs, name), target, { recursive: true });
  return target;
}

/** Puts a plugin of commands, or whatever the manifest says, into a folder. */
export async function writePlugin(
  folder: string,
  manifest: JsonObject | string,
  name = 'plugin',
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest, null, 2);
  await writeFile(join(target, 'plugin.json'), text);
  for (const [path, content] of Object.entries(files)) await writeFile(join(target, path), content);
  return target;
}

/** A manifest with one command, `greet`. */
export const greeter = {
  name: 'greeter',
  version: '1.0.0',
  description: 'Greets people.',
  tools: [{ name: 'greet', description: 'Greets.', parameters: { name: 'string' }, command: 'echo Hello, {{name}}' }],
} as const;

const troublesomeTools = [
  ...['say', 'arguments', 'params', 'count', 'environment', 'people', 'sorry', 'number', 'nonsense', 'refuse'],
  ...`wait_for open obedient hang crash garbage flood leave leave_a_child children touch`.split(/\s+/),
];

/** Puts the plugin into a folder whose program does well and badly, as it is asked to. `begin`: what it does first. */
export async function writeTroublesome(folder: string, changed: JsonObject = {}, begin = ''): Promise<string> {
  const target = await writePlugin(
    folder,
    {
      name: 'troublesome',
      version: '1.0.0',
      description: 'Does well and badly.',
      execution: 'binary',
      binary: { path: 'program.mjs', long_lived: true },
      tools: troublesomeTools.map((name) => ({
        name,
        description: `Does ${name}.`,
        category: name === 'touch' ? 'filesystem_read' : 'shell',
        parameters: { type: 'object', additionalProperties: true },
      })),
      ...changed,
    },
    'troublesome',
  );
  const program = await readFile(join(programs, 'troublesome/program.mjs'), 'utf8');
  await writeFile(join(target, 'program.mjs'), begin === '' ? program : `${program}\n${begin}\n`);
  return target;
}

/** Starts the plugins, and trusts all of them. */
export async function startTrusted({ plugins, trust, registry }: PluginSetting, ...names: string[]): Promise<void> {
  await plugins.start();
  for (const name of names) trust.trust(name);
  const sources = (): readonly ToolSource[] => registry.list(scopeIn('/')).map(({ source }) => source);
  const isOn = (name: string): boolean => sources().some((source) => isSameSource(source, { type: 'plugin', name }));
  await waitUntil(() => names.every(isOn), { what: 'the plugins to be on' });
}

/** The ids of the living processes whose command line contains the text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.includes(text));
}
