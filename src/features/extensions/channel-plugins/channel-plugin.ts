import { readdir, readFile, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../../../config/schema.ts';
import type { Channel } from '../../../contract.ts';
import type { TrustSubject } from '../../../conversation/trust-store.ts';
import type { ChannelPort, FeatureCore } from '../../../feature-points.ts';
import { endsWithin } from '../../../lib/clock.ts';
import { isJsonObject, type JsonValue, parseJson } from '../../../lib/json.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../../lib/plain-text.ts';
import { unless } from '../../../tools/guard/workspace/workspace-error.ts';
import {
  contentLines,
  faultOf,
  type IsForbidden,
  ModuleError,
  type ModuleFiles,
  pinnedLoader,
  readModule,
} from '../pinned-modules.ts';
import { type Trust, trustedThing } from '../trust.ts';
import { guardedAdapter } from './guarded-adapter.ts';

/** The import names of `channel-library.ts`. The second one is from before the package existed. */
const libraryNames = ['@keyturn/sdk/channel', 'keyturn/channel'] as const;
/** The pauses before retries of a failed start, in ms. */
const pauses = [5_000, 60_000, 300_000] as const;
const longestPause = 900_000;

/** How long `stop` waits for a running start, in ms: longer than a start may take. */
const patience = 6_000;

const waiting = 'An owner has to trust it first, as it is now: /trust shows it.';
const broken = 'It could not be loaded or started. /status tells owners why.';

/**
 * Runs an external channel. It is loaded while an owner trusts its current state. Load and start failures are reported
 * and affect nothing else. A failed start (platform unreachable) is retried with growing pauses. Files are read at
 * once.
 */
export async function channelPlugin(parts: ChannelPluginParts) {
  const { name, place, settings, isForbidden, trust, channels, core } = parts;
  const { clock, ending, health, log } = core;
  const loader = pinnedLoader(libraryNames, 'conversation/channel-plugins/channel-library');
  let files: ModuleFiles | undefined;
  let fault: string | undefined;
  let isAttached = false;
  /** Failed starts in a row. */
  let failures = 0;
  /** Cancels the next retry. */
  let callOff = (): void => {};
  const trusted = trustedThing(
    trust,
    {
      on: () => attempt(open),
      off: () => attempt(close),
      decided() {
        failures = 0;
        void trusted.follow().then(tellFault);
      },
    },
    log,
  );

  /** Contains whatever external code throws. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (cause) {
      const known = settingsFault(cause, name);
      fault = faultOf(cause, { log, fields: { channel: name }, what: 'a channel from elsewhere does not run', known });
      dead(broken);
    }
  }

  function dead(reason: string): void {
    if (!trusted.isOver()) health.report(name, { status: 'dead', reason });
  }

  async function review(read: ModuleFiles): Promise<void> {
    if (await trusted.review(subjectOf(name, place, read))) {
      await trusted.follow();
      // Load failures are only shown in /status. A channel that is being retried might go unnoticed.
      if (failures > 0) tellFault();
      return;
    }
    dead(waiting);
    log.warn({ channel: name }, 'a channel is not loaded before an owner trusts it as it is: /trust shows it');
  }

  function tellFault(): void {
    if (fault === undefined || !trusted.isWanted()) return;
    const again = failures === 0 ? '' : ' It is tried again by itself; /status tells how it is.';
    core.tellOwners(`⚠️ The channel ${inlineCode(name)} does not run: ${escapeMarkdown(oneLine(fault, 500))}${again}`);
  }

  async function open(): Promise<void> {
    if (files === undefined || isAttached) return;
    const channel = exportedChannel(await loader.load(files), name);
    const adapter = guardedAdapter(name, channel.create(settings), core);
    // An owner may have withdrawn trust during loading.
    if (!trusted.isWanted()) return;
    try {
      await channels.attach(name, adapter);
    } catch (cause) {
      tryLater();
      throw cause;
    }
    isAttached = true;
    failures = 0;
    fault = undefined;
    log.info({ channel: name }, 'a channel from elsewhere runs');
  }

  /** For failed starts: the platform refused the channel or was unreachable. */
  function tryLater(): void {
    if (!trusted.isWanted()) return;
    const pause = pauses[failures] ?? longestPause;
    failures += 1;
    callOff();
    callOff = clock.after(pause, () => void trusted.follow());
  }

  async function close(): Promise<void> {
    // At shutdown, the channel watch ends channels.
    if (ending.aborted) return;
    fault = undefined;
    callOff();
    failures = 0;
    dead(waiting);
    const wasAttached = isAttached;
    isAttached = false;
    if (wasAttached) {
      await channels.detach(name);
      log.info({ channel: name }, 'a channel from elsewhere was ended');
    }
    if (trusted.isOver()) health.forget(name);
  }

  await attempt(async () => {
    files = await readModule(await channelEntry(place), isForbidden);
  });
  return {
    async start() {
      const read = files;
      if (read !== undefined) await attempt(() => review(read));
    },
    async stop() {
      callOff();
      await endsWithin(trusted.end(), { clock, milliseconds: patience, signal: ending });
      loader.close();
    },
    troubles: () => (fault === undefined ? [] : [`The channel ${name}: ${oneLine(fault, 400)}`]),
  };
}

interface ChannelPluginParts {
  readonly name: string;
  readonly place: ChannelPlace;
  readonly settings: object;
  readonly isForbidden: IsForbidden;
  readonly trust: Trust;
  readonly channels: ChannelPort;
  readonly core: FeatureCore;
}

function subjectOf(name: string, place: ChannelPlace, files: ModuleFiles): TrustSubject {
  const { path = '', package: packageName } = place;
  const where = packageName === undefined ? inlineCode(oneLine(path, 200)) : `the package ${inlineCode(packageName)}`;
  const lines = [
    `A channel that \`channel_plugins\` of the config names: ${where}. It runs within Keyturn, can do whatever Keyturn can, and says who it is that writes there.`,
    ...contentLines(files, libraryNames),
  ];
  return { kind: 'channel_plugin', name, fingerprint: files.fingerprint, what: lines.join('\n') };
}

/** The exported channel of this name, under any export name. Throws `ModuleError` if there is none. */
function exportedChannel(exported: object, name: string): Channel {
  const channels = Object.values(exported).filter(isChannel);
  const [first] = channels;
  if (first === undefined)
    throw new ModuleError('exports no channel: export what defineChannel of "@keyturn/sdk/channel" makes');
  const found = channels.find((channel) => channel.name === name);
  if (found !== undefined) return found;
  throw new ModuleError(`exports the channel ${JSON.stringify(first.name)}: give it that name in channel_plugins`);
}

/** The message for a zod error about the settings, even from another copy of zod; otherwise undefined. */
function settingsFault(error: unknown, name: string): string | undefined {
  const issues: unknown = error instanceof Error ? Reflect.get(error, 'issues') : undefined;
  if (!Array.isArray(issues)) return undefined;
  const words = issues.slice(0, 10).map((issue: unknown) => {
    const { path, message }: { path?: unknown; message?: unknown } = typeof issue === 'object' && issue ? issue : {};
    const place = ['channels', name, ...(Array.isArray(path) ? path : [])].map(String).join('.');
    return `${place}: ${String(message)}`;
  });
  return `it does not take its settings: ${words.join('; ')}`;
}

function isChannel(value: unknown): value is Channel {
  if (typeof value !== 'object' || value === null) return false;
  const { name, create }: Partial<Record<keyof Channel, unknown>> = value;
  return typeof name === 'string' && typeof create === 'function';
}

/** The entry file of a channel. Rejects with `ModuleError` if there is none. */
async function channelEntry({ path = '', package: name, from = '' }: ChannelPlace): Promise<string> {
  if (name !== undefined) return entryOfFolder(packageFolder(name, from));
  const found = await unless(absent, stat(path));
  if (found === undefined) throw new ModuleError(`does not exist: there is no ${path}`);
  return found.isDirectory() ? entryOfFolder(path) : path;
}

type ChannelPlace = Config['channel_plugins'][string];

const absent = ['ENOENT', 'ENOTDIR'];
const usual = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];

async function entryOfFolder(folder: string): Promise<string> {
  const manifest = await unless(absent, readFile(join(folder, 'package.json'), 'utf8'));
  const named = manifest === undefined ? undefined : entryIn(parseJson(manifest));
  if (named !== undefined) return join(folder, named);
  const names = await readdir(folder);
  const name = usual.find((one) => names.includes(one));
  if (name === undefined)
    throw new ModuleError(`has no ${usual.join(', ')} in ${folder}, and no package.json names one`);
  return join(folder, name);
}

function packageFolder(name: string, from: string): string {
  const missing = `is not installed: run "npm install ${name}" in ${from}`;
  try {
    const manifest = findPackageJSON(name, pathToFileURL(join(from, 'config.json')));
    if (manifest !== undefined) return dirname(manifest);
  } catch (cause) {
    throw new ModuleError(missing, { cause });
  }
  throw new ModuleError(missing);
}

/** The entry point in a package.json. */
function entryIn(manifest: JsonValue | undefined): string | undefined {
  if (!isJsonObject(manifest)) return undefined;
  const { exports, main } = manifest;
  const root = isJsonObject(exports) && exports['.'] !== undefined ? exports['.'] : exports;
  return fileFor(root) ?? (typeof main === 'string' ? main : undefined);
}

const conditions = ['node', 'import', 'module-sync', 'default'];

function fileFor(target: JsonValue | undefined): string | undefined {
  if (typeof target === 'string') return target;
  if (!isJsonObject(target)) return undefined;
  for (const [condition, inner] of Object.entries(target)) {
    const file = conditions.includes(condition) ? fileFor(inner) : undefined;
    if (file !== undefined) return file;
  }
  return undefined;
}
