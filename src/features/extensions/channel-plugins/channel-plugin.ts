import { readdir, readFile, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Channel, ChannelAdapter } from '../../../contract.ts';
import type { ChannelPort } from '../../../feature-points.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Network } from '../../../lib/network/network.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { problemsIn } from '../../../lib/schema-problems.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import { ExtensionError } from '../extension.ts';
import type { ExtensionSettings } from '../extension-keys.ts';
import { type PinnedParts, pinnedModule } from '../pinned-modules.ts';
import { guardedAdapter } from './guarded-adapter.ts';

/** The pauses before retries of a failed start, in ms. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestPause = 900_000;

const waiting = 'An owner has to trust it first, as it is now: /trust shows it.';
const broken = 'It could not be loaded or started. /status tells owners why.';

/**
 * An external channel, which runs while an owner trusts it. A failed start (platform unreachable) is retried with
 * growing pauses. `settings`: those in `channels` that are its own.
 */
export async function channelPlugin(
  name: string,
  place: ChannelPlace,
  settings: object,
  parts: PinnedParts & { readonly channels: ChannelPort },
) {
  const { core, channels } = parts;
  const { clock, ending, health, log } = core;
  let isAttached = false;
  /** Failed starts in a row. */
  let failures = 0;
  /** Cancels the next retry. */
  let callOff = (): void => {};

  function dead(reason: string): void {
    if (!plugin.isOver()) health.report(name, { status: 'dead', reason });
  }

  async function open(exported: object): Promise<void> {
    // Trust may have been withdrawn and given again before its turn.
    if (isAttached) return;
    const adapter = guardedAdapter(name, adapterOf(exportedChannel(exported, name), settings, core.network), core);
    // An owner may have withdrawn trust during loading.
    if (!plugin.isWanted()) return;
    try {
      await channels.attach(name, adapter);
    } catch (cause) {
      tryLater();
      throw cause;
    }
    isAttached = true;
    failures = 0;
    log.info({ channel: name }, 'a channel from elsewhere runs');
  }

  /** For failed starts: the platform refused the channel or was unreachable. */
  function tryLater(): void {
    if (!plugin.isWanted()) return;
    const pause = pauses[failures] ?? longestPause;
    failures += 1;
    callOff = clock.after(pause, () => void plugin.follow());
  }

  async function close(): Promise<void> {
    callOff();
    failures = 0;
    // At shutdown, the channel watch ends channels.
    if (ending.aborted) return;
    dead(waiting);
    const wasAttached = isAttached;
    isAttached = false;
    if (wasAttached) {
      await channels.detach(name);
      log.info({ channel: name }, 'a channel from elsewhere was ended');
    }
    if (plugin.isOver()) health.forget(name);
  }

  const { path = '', package: packageName } = place;
  const where = packageName === undefined ? inlineCode(oneLine(path, 200)) : `the package ${inlineCode(packageName)}`;
  const plugin = pinnedModule(
    {
      ...{ kind: 'channel_plugin', name, noun: 'a channel from elsewhere', fields: { channel: name } },
      title: `The channel ${name}`,
      intro: `A channel that \`channel_plugins\` of the config names: ${where}. It runs within Keyturn, can do whatever Keyturn can, and says who it is that writes there.`,
      entry: () => channelEntry(place),
      use: open,
      off: close,
      failed: () => dead(broken),
      words(fault) {
        const again = failures === 0 ? '' : ' It is tried again by itself; /status tells how it is.';
        return `The channel ${inlineCode(name)} does not run: ${fault}${again}`;
      },
    },
    parts,
  );
  await plugin.read();
  return {
    ...plugin,
    async start(): Promise<void> {
      await plugin.start();
      // Load failures are only shown in /status. A channel that is being retried might go unnoticed.
      if (failures > 0) plugin.tell();
    },
  };
}

/** The exported channel of this name, under any export name. Throws `ExtensionError` if there is none. */
function exportedChannel(exported: object, name: string): Channel {
  const channels = Object.values(exported).filter(isChannel);
  const [first] = channels;
  if (first === undefined)
    throw new ExtensionError('exports no channel: export what defineChannel of "@keyturn/sdk/channel" makes');
  const found = channels.find((channel) => channel.name === name);
  if (found !== undefined) return found;
  throw new ExtensionError(`exports the channel ${JSON.stringify(first.name)}: give it that name in channel_plugins`);
}

/** Throws `ExtensionError` with the places of what a zod error is about, even one of another copy of zod. */
function adapterOf({ name, create }: Channel, settings: object, network: Network): ChannelAdapter {
  try {
    return create(settings, network);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    const problems = cause.issues.flatMap((issue) => problemsIn(issue));
    const words = problems.slice(0, 10).map((problem) => {
      const place = ['channels', name, ...problem.path].map(String).join('.');
      if (problem.type === 'unknown-key') return `${place}: unknown key`;
      const { text, advice, isSentence } = problem.expected;
      return `${place}: ${isSentence ? text : `expected ${text}`}${advice === undefined ? '' : `. ${advice}`}`;
    });
    throw new ExtensionError(`does not take its settings: ${words.join('; ')}`, { cause });
  }
}

function isChannel(value: unknown): value is Channel {
  if (typeof value !== 'object' || value === null) return false;
  const { name, create }: Partial<Record<keyof Channel, unknown>> = value;
  return typeof name === 'string' && typeof create === 'function';
}

/** The entry file of a channel. Rejects with `ExtensionError` if there is none. */
async function channelEntry({ path = '', package: name, from = '' }: ChannelPlace): Promise<string> {
  if (name !== undefined) return entryOfPackage(name, from);
  const found = await unless(absent, stat(path));
  if (found === undefined) throw new ExtensionError(`does not exist: there is no ${path}`);
  return found.isDirectory() ? entryOfFolder(path) : path;
}

type ChannelPlace = ExtensionSettings['channel_plugins'][string];

const absent = ['ENOENT', 'ENOTDIR'];
const usual = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];

async function entryOfFolder(folder: string): Promise<string> {
  const manifest = parseJson((await unless(absent, readFile(join(folder, 'package.json'), 'utf8'))) ?? '');
  const { name, exports, main } = isJsonObject(manifest) ? manifest : {};
  if (isJsonObject(exports) && typeof name === 'string') return entryOfPackage(name, folder);
  if (isJsonObject(exports) && typeof main !== 'string')
    throw new ExtensionError(`has "exports" but no "name" in ${join(folder, 'package.json')}: give it one`);
  const names = await readdir(folder);
  const file = [exports, main].find((one) => typeof one === 'string') ?? usual.find((one) => names.includes(one));
  if (file !== undefined) return join(folder, file);
  throw new ExtensionError(`has no ${usual.join(', ')} in ${folder}, and no package.json names one`);
}

/** As Node finds it from a folder: there, above it, or the package in which the folder is. */
function entryOfPackage(name: string, from: string): string {
  const parentURL = pathToFileURL(join(from, 'config.json')).href;
  const hooks = registerHooks({
    resolve: (specifier, context, next) => next(specifier, specifier === name ? { ...context, parentURL } : context),
  });
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (cause) {
    const advice = `run "npm install ${name}" in ${from}`;
    throw new ExtensionError(`is not installed, or exports nothing: ${advice}`, { cause });
  } finally {
    hooks.deregister();
  }
}
