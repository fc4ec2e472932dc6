import { isUtf8 } from 'node:buffer';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonFault } from '../../config/source.ts';
import { ExtensionError } from '../../extension-kit/extension.ts';
import type { IsForbidden } from '../../extension-kit/forbidden-places.ts';
import { parseJson } from '../../lib/json.ts';
import { type Words, wordsIn } from '../../lib/words.ts';
import { describeProblems, inputSchema } from '../../tools/arguments.ts';
import { unless } from '../../tools/guard/workspace/workspace-error.ts';
import { parameterNames, toolParameters } from '../../tools/sources/parameters.ts';
import { toolCategories } from '../../tools/tool.ts';
import { type FingerprintedFolder, fingerprintFolder, manifestName } from './folder-fingerprint.ts';
import { pluginWords } from './words.ts';

/** A plugin exactly as it was read from its folder. */
export interface FoundPlugin {
  /** An absolute path without links. */
  readonly folder: string;
  readonly manifest: PluginManifest;
  /** Of the folder with everything in it. */
  readonly fingerprint: string;
  readonly fileCount: number;
}

/** Whether it runs on Keyturn's own Node. */
export function isScript(path: string): boolean {
  return /\.[cm]?[jt]s$/.test(path);
}

/** Neither a plugin nor faults: there is none. A fault is a line: where it is, and what to do about it. */
interface PluginReading {
  readonly plugin?: FoundPlugin;
  readonly faults: readonly Words[];
}

export async function readPlugin(path: string, isForbidden: IsForbidden): Promise<PluginReading> {
  const folder = await unless(['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'], realpath(path));
  if (folder === undefined) return { faults: [] };
  const file = join(folder, manifestName);
  if ((await unless(['ENOENT', 'ENOTDIR'], realpath(file))) === undefined) return { faults: [] };
  if (await isForbidden(folder)) return { faults: [faultIn(folder, (language) => pluginWords[language].inWorkspace)] };
  try {
    const read = await fingerprintFolder(folder);
    if (read.content === undefined) return { faults: [faultIn(file, (language) => pluginWords[language].noManifest)] };
    const { manifest, faults } = readManifest(read.content);
    const all = manifest === undefined ? faults : await laterFaults(manifest, read);
    if (manifest === undefined || all.length > 0) return { faults: all.map((fault) => faultIn(file, fault)) };
    const { fingerprint, files } = read;
    return { plugin: { folder, manifest, fingerprint, fileCount: files.size }, faults: [] };
  } catch (cause) {
    if (!(cause instanceof ExtensionError)) throw cause;
    const { words } = cause;
    return {
      faults: [(language) => pluginWords[language].folderFault({ path: folder, fault: wordsIn(language, words) })],
    };
  }
}

function faultIn(path: string, fault: Words): Words {
  return (language) => pluginWords[language].faultIn({ path, fault: wordsIn(language, fault) });
}

async function laterFaults(manifest: PluginManifest, read: FingerprintedFolder): Promise<readonly Words[]> {
  return manifest.binary ? binaryFaults(manifest.binary, read) : commandFaults(manifest);
}

/** The faults of the commands, each with its place. The code that reads commands is loaded only here. */
export async function commandFaults({ tools }: PluginManifest): Promise<readonly Words[]> {
  const { readTemplate } = await import('../../tools/sources/custom/command-template.ts');
  return tools.flatMap(({ command, parameters }, index) => {
    const reading = readTemplate(command, parameterNames(parameters));
    return reading.valid
      ? []
      : reading.faults.map(
          (fault): Words =>
            (language) =>
              `tools[${index}].command: ${fault(language)}`,
        );
  });
}

/** Checks the manifest's program against the actual file. */
function binaryFaults(binary: z.output<typeof program>, { files }: FingerprintedFolder): readonly Words[] {
  const path = binary.path.replace(/^(\.\/)+/, '');
  const file = files.get(path);
  if (file === undefined) return [(language) => pluginWords[language].noBinary({ path })];
  if (!isScript(path) && !file.isExecutable) return [(language) => pluginWords[language].notExecutable({ path })];
  const { sha256 } = file;
  if (binary.sha256 === undefined || binary.sha256.toLowerCase() === sha256) return [];
  return [(language) => pluginWords[language].otherBinary({ path, sha256 })];
}

/** A valid `plugin.json`, with defaults. */
export type PluginManifest = z.output<typeof manifestSchema>;

export type PluginToolManifest = PluginManifest['tools'][number];

const pluginName = z
  .string()
  .refine(
    (name) => /^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$/.test(name),
    'expected 1 to 64 letters, digits, "_" or "-", a letter or digit first',
  );

const insidePath = z
  .string()
  .min(1)
  .refine((path) => !/^[/~]|\0/.test(path) && !path.split('/').includes('..'), 'expected a relative path without ".."');

const seconds = z.number().int().min(1).max(3600);

const tool = z.strictObject({
  name: z.string().refine((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name), 'expected 1 to 64 letters, digits, "_" or "-"'),
  description: z.string().min(1).max(4000),
  parameters: toolParameters,
  category: z.enum(toolCategories).default('shell'),
  // Manifests of binaries made for other hosts have an empty one.
  command: z.string().max(100_000).default(''),
  working_dir: insidePath.optional(),
  timeout_secs: seconds.optional(),
  env: z
    .record(z.string().regex(/^(?!KEYTURN_)[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of a variable'), z.string())
    .default({}),
});

const program = z.strictObject({
  path: insidePath,
  protocol: z.literal('jsonrpc').default('jsonrpc'),
  long_lived: z.boolean().default(false),
  timeout_secs: seconds.default(30),
  sha256: z
    .string()
    .refine((hash) => /^[0-9a-fA-F]{64}$/.test(hash), 'expected 64 hexadecimal digits')
    .optional(),
});

const manifestSchema = z
  .strictObject({
    $schema: z.string().optional(),
    name: pluginName,
    version: z.string().min(1).max(64),
    description: z.string().min(1).max(1000),
    author: z.string().max(200).optional(),
    tools: z.array(tool).max(200).default([]),
    execution: z.enum(['command', 'binary']).default('command'),
    binary: program.optional(),
  })
  // Faults that depend on more than one part.
  .superRefine(({ tools, execution, binary }, context) => {
    const blame = (path: (string | number)[], message: string, input: unknown): void =>
      context.addIssue({ code: 'custom', path, message, input });
    const isBinary = execution === 'binary';
    if (isBinary && binary === undefined)
      blame(['binary'], 'expected { "path": … }, as "execution" is "binary"', binary);
    if (!isBinary && binary !== undefined) blame(['binary'], 'only for "execution": "binary"', binary);
    for (const [index, { name, command, working_dir, env }] of tools.entries()) {
      const blameKey = (key: string, message: string, input: unknown): void =>
        blame(['tools', index, key], message, input);
      if (tools.findIndex((one) => one.name === name) < index) blameKey('name', 'a tool before has this name', name);
      const isWritten = command.trim() !== '';
      if (!isBinary && !isWritten) blameKey('command', 'expected a command, as "execution" is "command"', command);
      if (!isBinary) continue;
      const onlyForCommands = 'only for "execution": "command"';
      if (isWritten) blameKey('command', onlyForCommands, command);
      if (working_dir !== undefined) blameKey('working_dir', onlyForCommands, working_dir);
      if (Object.keys(env).length > 0) blameKey('env', onlyForCommands, env);
    }
  });

/** Parses a `plugin.json`. Each fault says where it is, and what to do about it. Never throws. */
export function readManifest(bytes: Uint8Array): {
  readonly manifest?: PluginManifest;
  readonly faults: readonly Words[];
} {
  if (!isUtf8(bytes)) return { faults: [(language) => pluginWords[language].notUtf8] };
  const text = new TextDecoder().decode(bytes);
  const value = parseJson(text);
  if (value === undefined)
    return { faults: [(language) => pluginWords[language].notJson({ fault: jsonFault(text, language) })] };
  const read = manifestSchema.safeParse(value);
  if (read.success) return { manifest: read.data, faults: [] };
  const lines = describeProblems(read.error.issues, value, inputSchema(manifestSchema));
  return { faults: lines.map((line) => line.replace(/^- (?:the arguments: )?/, '')) };
}
