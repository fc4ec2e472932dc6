import type { Channel } from '../../contract.ts';
import { isJsonObject } from '../../lib/json.ts';
import { ModuleError } from '../../tools/pinned-code/module-files.ts';

/** The channel of this name that a module exports, under whatever name. Throws `ModuleError` if there is none. */
export function exportedChannel(exported: object, name: string): Channel {
  const channels = Object.values(exported).filter(isChannel);
  const [first] = channels;
  if (first === undefined)
    throw new ModuleError('exports no channel: export what defineChannel of "keyturn/channel" makes');
  const found = channels.find((channel) => channel.name === name);
  if (found !== undefined) return found;
  throw new ModuleError(`exports the channel ${JSON.stringify(first.name)}: give it that name in channel_plugins`);
}

/** What stands under `channels.<name>` without what Keyturn itself reads of it. */
export function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}

/** What is wrong with the settings, if that is what was thrown. It may come of another copy of zod. */
export function settingsFault(error: unknown, name: string): string | undefined {
  const issues: unknown = error instanceof Error ? Reflect.get(error, 'issues') : undefined;
  if (!Array.isArray(issues)) return undefined;
  const words = issues.slice(0, 10).map((issue: unknown) => {
    const { path, message }: { path?: unknown; message?: unknown } = typeof issue === 'object' && issue ? issue : {};
    const place = ['channels', name, ...(Array.isArray(path) ? path : [])].map(String).join('.');
    return `${place}: ${String(message)}`;
  });
  return `does not take its settings: ${words.join('; ')}`;
}

function isChannel(value: unknown): value is Channel {
  if (typeof value !== 'object' || value === null) return false;
  const { name, create }: Partial<Record<keyof Channel, unknown>> = value;
  return typeof name === 'string' && typeof create === 'function';
}
