import { readdir, readFile, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Channel, ChannelAdapter } from '../../../contract.ts';
import { ExtensionError } from '../../../extension-kit/extension.ts';
import type { ChannelPort, FeatureCore } from '../../../feature-points.ts';
import { isJsonObject, parseJson } from '../../../lib/json.ts';
import type { Network } from '../../../lib/network/network.ts';
import { inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { problemsIn } from '../../../lib/schema-problems.ts';
import type { InLanguage, Language } from '../../../lib/words.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import type { ModuleSettings } from '../module-keys.ts';
import { type PinnedModule, type PinnedParts, pinnedModule } from '../pinned-modules.ts';
import { guardedAdapter } from './guarded-adapter.ts';
import { channelPluginWords } from './words.ts';

/** The pauses before retries of a failed start, in ms. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestPause = 900_000;

interface PluggedState {
  readonly name: string;
  readonly settings: object;
  readonly core: FeatureCore;
  readonly channels: ChannelPort;
  readonly module: PinnedModule;
  isAttached: boolean;
  /** Failed starts in a row. */
  failures: number;
  /** Cancels the next retry. */
  callOff: () => void;
}

/**
 * An external channel, which runs while an owner trusts it. A failed start (platform unreachable) is retried with
 * growing pauses. `settings`: those in `channels` that are its own.
 */
export async function channelPlugin(
  name: string,
  place: ChannelPlace,
  settings: object,
  parts: PinnedParts & { readonly channels: ChannelPort },
): Promise<PinnedModule> {
  const state: PluggedState = {
    name,
    settings,
    core: parts.core,
    channels: parts.channels,
    module: pinnedModule(
      {
        kind: 'channel_plugin',
        name,
        noun: 'a channel from elsewhere',
        fields: { channel: name },
        title: (language) => channelPluginWords[language].title({ name }),
        intro: (language) => channelPluginWords[language].intro({ where: shownPlace(place) }),
        entry: () => channelEntry(place),
        use: (exported) => open(exported, state),
        off: () => close(state),
        failed: () => dead('broken', state),
        notice: (fault) => doesNotRun(fault, state),
      },
      parts,
    ),
    isAttached: false,
    failures: 0,
    callOff: () => {},
  };
  const { module } = state;
  await module.read();
  return {
    ...module,
    async start() {
      await module.start();
      // Load failures are only shown in /status. A channel that is being retried might go unnoticed.
      if (state.failures > 0) module.tell();
    },
  };
}

function shownPlace({ path = '', package: name }: ChannelPlace) {
  return name === undefined ? { path: inlineCode(oneLine(path, 200)) } : { package: inlineCode(name) };
}

function doesNotRun(fault: InLanguage, { name, failures }: PluggedState): InLanguage {
  return (language) =>
    channelPluginWords[language].doesNotRun({
      name: inlineCode(name),
      fault: fault(language),
      isRetried: failures > 0,
    });
}

function dead(why: 'needsTrust' | 'broken', { name, module, core: { health } }: PluggedState): void {
  if (!module.isOver())
    health.report(name, { status: 'dead', reason: (language) => channelPluginWords[language][why] });
}

async function open(exported: object, state: PluggedState): Promise<void> {
  const { name, settings, core, channels, module } = state;
  // Trust may have been withdrawn and given again before its turn.
  if (state.isAttached) return;
  const adapter = guardedAdapter(name, adapterOf(exportedChannel(exported, name), settings, core.network), core);
  // An owner may have withdrawn trust during loading.
  if (!module.isWanted()) return;
  try {
    await channels.attach(name, adapter);
  } catch (cause) {
    tryLater(state);
    throw cause;
  }
  state.isAttached = true;
  state.failures = 0;
  core.log.info({ channel: name }, 'a channel from elsewhere runs');
}

/** For failed starts: the platform refused the channel or was unreachable. */
function tryLater(state: PluggedState): void {
  const { module, core } = state;
  if (!module.isWanted()) return;
  const pause = pauses[state.failures] ?? longestPause;
  state.failures += 1;
  state.callOff = core.clock.after(pause, () => void module.follow());
}

async function close(state: PluggedState): Promise<void> {
  const { name, module, channels } = state;
  const { ending, health, log } = state.core;
  state.callOff();
  state.failures = 0;
  // At shutdown, the channel watch ends channels.
  if (ending.aborted) return;
  dead('needsTrust', state);
  const wasAttached = state.isAttached;
  state.isAttached = false;
  if (wasAttached) {
    await channels.detach(name);
    log.info({ channel: name }, 'a channel from elsewhere was ended');
  }
  if (module.isOver()) health.forget(name);
}

/** The exported channel of this name, under any export name. Throws `ExtensionError` if there is none. */
function exportedChannel(exported: object, name: string): Channel {
  const channels = Object.values(exported).filter(isChannel);
  const [first] = channels;
  if (first === undefined) throw new ExtensionError((language) => channelPluginWords[language].noChannel);
  const found = channels.find((channel) => channel.name === name);
  if (found !== undefined) return found;
  const exportedName = JSON.stringify(first.name);
  throw new ExtensionError((language) => channelPluginWords[language].otherChannel({ name: exportedName }));
}

/** Throws `ExtensionError` with the places of what a zod error is about, even one of another copy of zod. */
function adapterOf({ name, create }: Channel, settings: object, network: Network): ChannelAdapter {
  try {
    return create(settings, network);
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause;
    throw new ExtensionError((language) => badSettings(name, cause, language), { cause });
  }
}

function badSettings(name: string, { issues }: z.ZodError, language: Language): string {
  const words = channelPluginWords[language];
  const problems = issues.flatMap((issue) => problemsIn(issue, language)).slice(0, 10);
  const lines = problems.map((problem) => {
    const place = ['channels', name, ...problem.path].map(String).join('.');
    if (problem.type === 'unknown-key') return words.unknownKey({ place });
    const { text, advice, isSentence } = problem.expected;
    return words.badSetting({ place, fault: isSentence ? text : words.expected({ expected: text }), advice });
  });
  return words.badSettings({ problems: lines });
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
  if (found === undefined) throw new ExtensionError((language) => channelPluginWords[language].absent({ path }));
  return found.isDirectory() ? entryOfFolder(path) : path;
}

type ChannelPlace = ModuleSettings['channel_plugins'][string];

const absent = ['ENOENT', 'ENOTDIR'];
const usual = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];

async function entryOfFolder(folder: string): Promise<string> {
  const manifest = parseJson((await unless(absent, readFile(join(folder, 'package.json'), 'utf8'))) ?? '');
  const { name, exports, main } = isJsonObject(manifest) ? manifest : {};
  if (isJsonObject(exports) && typeof name === 'string') return entryOfPackage(name, folder);
  if (isJsonObject(exports) && typeof main !== 'string')
    throw new ExtensionError((language) =>
      channelPluginWords[language].unnamed({ path: join(folder, 'package.json') }),
    );
  const names = await readdir(folder);
  const file = [exports, main].find((one) => typeof one === 'string') ?? usual.find((one) => names.includes(one));
  if (file !== undefined) return join(folder, file);
  throw new ExtensionError((language) => channelPluginWords[language].noIndex({ names: usual, path: folder }));
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
    throw new ExtensionError((language) => channelPluginWords[language].notInstalled({ name, path: from }), { cause });
  } finally {
    hooks.deregister();
  }
}
