import type { Fault } from '../config/config-error.ts';
import { enabledChannels } from '../config/extension-settings.ts';
import type { LoadedConfig } from '../config/load.ts';
import { configWords } from '../config/words.ts';
import { isJsonObject } from '../lib/json.ts';
import { nearest } from '../lib/nearest.ts';

/**
 * Commands that a channel's `commands` describes for its menu, and that do not exist: a misspelt one would keep its old
 * words, and nobody would know why. The commands are loaded only if any is described.
 */
export async function unknownCommands({
  config: { channels },
  brought: { pluggedChannels },
}: Pick<LoadedConfig, 'config' | 'brought'>): Promise<readonly Fault[]> {
  // What a channel of others has there is its own.
  const own = [...enabledChannels(channels).keys()].filter((name) => !pluggedChannels.includes(name));
  const described = own.flatMap((name) => describedIn(name, channels[name]));
  if (described.length === 0) return [];
  const { commandMenu, loadFeatures } = await import('../daemon/command-menu.ts');
  const names = commandMenu(await loadFeatures()).map(({ name }) => name);
  return described.filter(({ name }) => !names.includes(name)).map((command) => faultOf(command, names));
}

interface Described {
  readonly name: string;
  readonly path: readonly string[];
}

/** By language, then by name. */
function describedIn(channel: string, settings: unknown): readonly Described[] {
  const commands = isJsonObject(settings) && isJsonObject(settings.commands) ? settings.commands : {};
  return Object.entries(commands).flatMap(([language, descriptions]) =>
    Object.keys(isJsonObject(descriptions) ? descriptions : {}).map((name) => ({
      name,
      path: ['channels', channel, 'commands', language, name],
    })),
  );
}

function faultOf({ name, path }: Described, names: readonly string[]): Fault {
  const meant = nearest(name, names);
  return { key: path.join('.'), path, text: (language) => configWords[language].noCommand({ name, meant }) };
}
