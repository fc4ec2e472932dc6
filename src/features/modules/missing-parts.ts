/* What the settings of this feature name, and is not there. It only looks: nothing is started or run. */

import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import type { Finding, KeyPath } from '../../config/config-error.ts';
import { enabledChannels } from '../../config/extension-settings.ts';
import { isFolder } from '../../config/look-around.ts';
import type { Surroundings } from '../../config/settings-part.ts';
import type { InLanguage } from '../../lib/words.ts';
import { unless } from '../../tools/guard/workspace/workspace-error.ts';
import type { ModuleSettings } from './module-keys.ts';
import { moduleSettingWords } from './settings/words.ts';

const moduleEnds: readonly string[] = ['.ts', '.mts', '.js', '.mjs'];

/** The operator's own code: it has to be there, and to be code. It is not run. */
export async function missingParts(
  { tool_modules, channel_plugins }: ModuleSettings,
  { config }: Surroundings,
): Promise<readonly Finding[]> {
  const enabled = enabledChannels(config.channels);
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

function lack(say: (words: typeof moduleSettingWords.en) => string): InLanguage {
  return (language) => say(moduleSettingWords[language]);
}
