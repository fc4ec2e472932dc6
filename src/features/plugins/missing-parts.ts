/* What the settings of this feature name, and is not there. It only looks: nothing is started or run. */

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../config/config-error.ts';
import { isFolder, missingIn, noFolder } from '../../config/look-around.ts';
import type { Surroundings } from '../../config/settings-part.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';
import { unless } from '../../tools/guard/workspace/workspace-error.ts';
import { hookList, type PluginSettings } from './plugin-keys.ts';
import { pluginSettingWords } from './settings/words.ts';

/** Programs and folders. */
export async function missingParts(
  settings: PluginSettings,
  { environment: { PATH: path = '' } }: Surroundings,
): Promise<readonly Finding[]> {
  return (await Promise.all([hookFindings(settings, path), pluginFindings(settings)])).flat();
}

async function hookFindings({ hooks }: PluginSettings, path: string): Promise<readonly Finding[]> {
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

/** The plugins in the folders, and those that hooks name. */
async function pluginFindings({ plugins, hooks }: PluginSettings): Promise<readonly Finding[]> {
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

function lack(say: (words: typeof pluginSettingWords.en) => string): InLanguage {
  return (language) => say(pluginSettingWords[language]);
}
