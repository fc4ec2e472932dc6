/* What the settings of this feature name, and is not there. It only looks: nothing is started or run. */

import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type { Finding, KeyPath } from '../../config/config-error.ts';
import { isFolder, missingProgram, noFolder } from '../../config/look-around.ts';
import type { Surroundings } from '../../config/settings-part.ts';
import type { InLanguage } from '../../lib/words.ts';
import type { McpSettings } from './mcp-keys.ts';
import { mcpSettingWords } from './settings/words.ts';

/** Programs, files and folders. */
export async function missingParts(
  { mcp_servers }: McpSettings,
  { environment: { PATH: path = '' } }: Surroundings,
): Promise<readonly Finding[]> {
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

function lack(say: (words: typeof mcpSettingWords.en) => string): InLanguage {
  return (language) => say(mcpSettingWords[language]);
}
