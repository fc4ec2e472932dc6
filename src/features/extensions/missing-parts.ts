/* What the settings of this feature name, and is not there. It only looks: nothing is started or run. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, extname, join, resolve } from 'node:path';
import type { Finding, KeyPath } from '../../config/config-error.ts';
import { enabledChannels } from '../../config/extension-settings.ts';
import { isFolder, missingIn, missingProgram, noFolder } from '../../config/look-around.ts';
import type { Surroundings } from '../../config/settings-part.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';
import { unless } from '../../tools/guard/workspace/workspace-error.ts';
import { type ExtensionSettings, hookList } from './extension-keys.ts';
import { missingWords } from './words.ts';

/** Programs, files and folders. */
export async function missingParts(
  settings: ExtensionSettings,
  { config, environment: { PATH: path = '' } }: Surroundings,
): Promise<readonly Finding[]> {
  const found = await Promise.all([
    serverFindings(settings, path),
    hookFindings(settings, path),
    moduleFindings(settings, enabledChannels(config.channels)),
    pluginFindings(settings),
  ]);
  return found.flat();
}

async function serverFindings({ mcp_servers }: ExtensionSettings, path: string): Promise<readonly Finding[]> {
  const { interpreterOf } = await import('../../tools/guard/command/risks.ts');
  return Object.entries(mcp_servers).flatMap(([name, server]): readonly Finding[] => {
    const { enabled, command, cwd: folder = '.', args, env } = server;
    if (!enabled || command === undefined) return [];
    const at = (key: string, ...more: KeyPath): KeyPath => ['mcp_servers', name, key, ...more];
    if (!isFolder(folder)) return [{ path: at('cwd'), text: noFolder(folder) }];
    const missing = missingProgram(command, folder, env.PATH ?? path);
    if (missing !== undefined) return [{ path: at('command'), text: missing }];
    const [script = ''] = args;
    const isScript = interpreterOf(basename(command)) !== undefined && /^[^-].*\.\w{1,3}$/.test(script);
    const isGone = isScript && !existsSync(resolve(folder, script));
    return isGone
      ? [{ path: at('args', 0), text: lack((words) => words.noFile({ file: resolve(folder, script) })) }]
      : [];
  });
}

async function hookFindings({ hooks }: ExtensionSettings, path: string): Promise<readonly Finding[]> {
  const all = hookList(hooks).map(({ event, index, command, working_dir: folder }) => ({
    at: ['hooks', event, index],
    command,
    folder,
  }));
  const found = await Promise.all(
    all.map(async ({ at, command, folder }) => {
      if (command === undefined) return [];
      if (!isFolder(folder)) return [{ path: [...at, 'working_dir'], text: noFolder(folder) }];
      const text = await missingIn(command, folder, path);
      return text === undefined ? [] : [{ path: [...at, 'command'], text }];
    }),
  );
  return found.flat();
}

const moduleEnds: readonly string[] = ['.ts', '.mts', '.js', '.mjs'];

/** The operator's own code: it has to be there, and to be code. It is not run. */
async function moduleFindings(
  { tool_modules, channel_plugins }: ExtensionSettings,
  enabled: ReadonlyMap<string, unknown>,
): Promise<readonly Finding[]> {
  const modules = tool_modules.map(async (file, index) => moduleFinding(['tool_modules', index], file));
  const plugged = Object.entries(channel_plugins)
    .filter(([name]) => enabled.has(name))
    .map(async ([name, { path, package: packageName, from }]) => {
      const at = ['channel_plugins', name];
      if (packageName !== undefined) {
        if (isInstalled(packageName, from)) return [];
        return [
          { path: [...at, 'package'], text: lack((words) => words.notInstalled({ name: packageName, folder: from })) },
        ];
      }
      return path === undefined || isFolder(path) ? [] : moduleFinding([...at, 'path'], path);
    });
  return (await Promise.all([...modules, ...plugged])).flat();
}

function isInstalled(name: string, from: string): boolean {
  const places = createRequire(join(from, 'config.json')).resolve.paths(name) ?? [];
  return places.some((place) => existsSync(join(place, name)));
}

async function moduleFinding(path: KeyPath, file: string): Promise<readonly Finding[]> {
  const blame = (text: InLanguage): readonly Finding[] => [{ path, text }];
  if (!moduleEnds.includes(extname(file))) return blame(lack((words) => words.wrongEnding({ endings: moduleEnds })));
  if (!existsSync(file)) return blame(lack((words) => words.noFileAt({ file })));
  const code = await unless(['EACCES', 'EISDIR', 'ENOENT'], readFile(file, 'utf8'));
  if (code === undefined) return blame(lack((words) => words.unreadable({ file })));
  try {
    stripTypeScriptTypes(code, { mode: 'strip' });
    return [];
  } catch (error) {
    const [why = ''] = error instanceof Error ? error.message.split('\n') : [];
    return blame(lack((words) => words.noCode({ file, why })));
  }
}

/** The plugins in the folders, and those that hooks name. */
async function pluginFindings({ plugins, hooks }: ExtensionSettings): Promise<readonly Finding[]> {
  if (!plugins.enabled) return [];
  const names = new Set<unknown>();
  const found: Finding[] = [];
  for (const [index, folder] of plugins.plugin_dirs.entries()) {
    const at = ['plugins', 'plugin_dirs', index];
    const entries = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readdir(folder));
    if (entries === undefined) found.push({ path: at, text: noFolder(folder) });
    for (const entry of entries ?? []) {
      const file = join(folder, entry, 'plugin.json');
      const text = await unless(['ENOENT', 'ENOTDIR', 'EACCES'], readFile(file, 'utf8'));
      const manifest = parseJson(text ?? '');
      if (isJsonObject(manifest)) names.add(manifest.name);
      else if (text !== undefined) found.push({ path: at, text: lack((words) => words.noJson({ file })) });
      const program = isJsonObject(manifest) && isJsonObject(manifest.binary) ? manifest.binary.path : undefined;
      if (typeof program === 'string' && !existsSync(join(folder, entry, program)))
        found.push({ path: at, text: lack((words) => words.noProgram({ file, program })) });
    }
  }
  for (const { event, index, plugin } of hookList(hooks))
    if (plugin !== undefined && !names.has(plugin))
      found.push({
        path: ['hooks', event, index, 'plugin'],
        text: lack((words) => words.noPlugin({ plugin })),
      });
  return found;
}

function lack(say: (words: typeof missingWords.en) => string): InLanguage {
  return (language) => say(missingWords[language]);
}
