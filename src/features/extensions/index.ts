import { isDeepStrictEqual } from 'node:util';
import { type KeyPath, spellPath } from '../../config/config-error.ts';
import type {
  ChannelPort,
  ConfigChange,
  Feature,
  FeatureCore,
  FeatureDefinition,
  PartFault,
} from '../../feature-points.ts';
import { untilAborted } from '../../lib/clock.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/workspace.ts';
import { extensionCommands, obeyedExtensionCommands, type ReportingProvider, troubleWords } from './commands.ts';
import { inOrder, type Turns } from './extension.ts';
import type { AskPlugin, RunningHooks } from './hooks.ts';
import type { IsForbidden } from './pinned-modules.ts';
import { extensionSettings } from './settings.ts';
import { createTrustStore, trustTables } from './tables.ts';
import { createTrustBook, type TrustBook, untrustedWords } from './trust.ts';
import { extensionWords } from './words.ts';

/**
 * External code: plugins, MCP servers, modules and channels, each in use while an owner trusts its current state; and
 * the operator's hooks, which may be plugins. Only what the config names is loaded. A failure affects nothing else.
 */
export const extensions: FeatureDefinition = {
  name: 'extensions',
  commands: extensionCommands.all,
  settings: extensionSettings,
  tables: trustTables,
  make: makeExtensions,
};

/** What runs. */
interface ExtensionsState {
  readonly core: FeatureCore;
  readonly trust: TrustBook;
  /** By what they are made of. */
  readonly running: Map<string, Provider>;
  /** The starts that have not ended, by their providers. */
  readonly starting: Map<Provider, Promise<void>>;
  /** One module starts after the other, so that name conflicts always resolve the same way. */
  readonly modulesInTurn: Turns;
  hooks: RunningHooks;
  port: ChannelPort | undefined;
  /** Serialises edits. */
  settling: Promise<readonly Provider[]>;
}

async function makeExtensions(core: FeatureCore): Promise<Feature> {
  const { rules, readers } = core;
  const stored = createTrustStore(core.database);
  const running = new Map<string, Provider>();
  const state: ExtensionsState = {
    core,
    trust: createTrustBook(core, stored),
    running,
    starting: new Map(),
    modulesInTurn: inOrder(),
    hooks: await openHooks(core, running),
    port: undefined,
    settling: Promise.resolve([]),
  };
  const troubles = (language: Language): readonly string[] =>
    [...running.values()].flatMap((provider) => troubleWords(provider, language));
  return {
    commands: obeyedExtensionCommands({
      ...core,
      stored,
      trust: state.trust,
      providers: () => [...running.values()],
    }),
    hooks: {
      get before() {
        return state.hooks.before;
      },
      get after() {
        return state.hooks.after;
      },
    },
    async status(origin) {
      if (!rules.isOwner(origin.principal)) return [];
      const { language } = readers.forAnswer(origin);
      return [...untrustedWords(await stored.all(), language), ...troubles(language)];
    },
    missingTools: (origin) => (rules.isOwner(origin.principal) ? troubles(readers.forAnswer(origin).language) : []),
    start: (channels) => start(channels, state),
    reload: (change) => reload(change, state),
    faults: (over) => faults(over, state),
    stop: () => stop(state),
  };
}

async function openHooks(core: FeatureCore, running: ReadonlyMap<string, Provider>): Promise<RunningHooks> {
  const { before_tool_call: before, after_tool_call: after } = core.settings(extensionSettings).hooks;
  // Loaded only if there are some.
  if (before.length + after.length === 0) return { before: [], after: [], stop: async () => {} };
  const { configuredHooks } = await import('./hooks.ts');
  return configuredHooks(core, () => [...running.values()].find(({ ask }) => ask)?.ask);
}

async function start(channels: ChannelPort, state: ExtensionsState): Promise<void> {
  state.port = channels;
  await Promise.all((await settleSoon(state)).map((provider) => begin(provider, state)));
}

async function reload({ from, to }: ConfigChange, state: ExtensionsState): Promise<void> {
  if (!isDeepStrictEqual(extensionSettings.read(from).hooks, extensionSettings.read(to).hooks)) {
    const former = state.hooks;
    state.hooks = await openHooks(state.core, state.running);
    await former.stop();
  }
  // Not awaited: a provider that hangs must not delay the others or further edits.
  for (const provider of await settleSoon(state)) void begin(provider, state);
}

async function faults(over: AbortSignal, { settling, starting, running }: ExtensionsState) {
  await untilAborted(Promise.all([settling, ...starting.values()]), over);
  return [...running].flatMap(([key, provider]) => faultsOf(placeOf(key), provider, starting.has(provider)));
}

async function stop(state: ExtensionsState): Promise<void> {
  const { core, trust, running } = state;
  await state.settling;
  await Promise.all([...running.values()].map((provider) => tell(provider, 'stop', core)));
  // An edit that came first may have replaced them.
  await Promise.all([state.hooks.stop(), trust.stop()]);
}

function settleSoon(state: ExtensionsState): Promise<readonly Provider[]> {
  state.settling = state.settling.then(() =>
    state.port === undefined || state.core.ending.aborted ? [] : settle(state.port, state),
  );
  return state.settling;
}

/** Ends the providers that the config no longer has unchanged, and makes the missing ones. Returns those to start. */
async function settle(channels: ChannelPort, state: ExtensionsState): Promise<readonly Provider[]> {
  const { core, running } = state;
  const wanted = wantedProviders(channels, state);
  const over = [...running].filter(([key]) => !wanted.has(key));
  for (const [key] of over) running.delete(key);
  await Promise.all(over.map(([, provider]) => tell(provider, 'stop', core)));
  return (await Promise.all([...wanted].map(([key, make]) => take(key, make, state)))).flat();
}

async function take(key: string, make: MakeProvider, { core, running }: ExtensionsState): Promise<readonly Provider[]> {
  const former = running.get(key);
  if (former !== undefined) return former.follows === true ? [former] : [];
  try {
    const provider = await make();
    running.set(key, provider);
    return [provider];
  } catch (error) {
    core.log.error({ err: error }, 'a source of tools could not be made: its tools are missing');
    return [];
  }
}

async function tell(provider: Provider, what: 'start' | 'stop', { log }: FeatureCore): Promise<void> {
  await provider[what]().catch((err: unknown) => log.error({ err }, `a source of tools could not ${what}`));
}

function begin(provider: Provider, { core, starting }: ExtensionsState): Promise<void> {
  const started = tell(provider, 'start', core).finally(() => {
    if (starting.get(provider) === started) starting.delete(provider);
  });
  starting.set(provider, started);
  return started;
}

/** The place of a provider in the config, from what it is made of. */
function placeOf(madeOf: string): KeyPath {
  const value = parseJson(madeOf);
  const { path, channel, name } = isJsonObject(value) ? value : {};
  if (typeof path === 'string') return ['tool_modules', path];
  if (typeof channel === 'string') return ['channels', channel];
  return typeof name === 'string' ? ['mcp_servers', name] : ['plugins'];
}

function faultsOf(place: KeyPath, provider: Provider, isStarting: boolean): readonly PartFault[] {
  const found = provider.troubles().map((words) => ({ place, words }));
  if (found.length > 0 || !isStarting) return found;
  return [{ place, words: (language) => extensionWords[language].stillStarting({ place: spellPath(place) }) }];
}

interface Provider extends ReportingProvider {
  /** Does not wait for slow work. Never rejects: the operator is told of errors. */
  start(): Promise<void>;
  /** Removes what it brought and leaves nothing running. At shutdown, within 2 s. */
  stop(): Promise<void>;
  /** Start it again at each edit of the config: it leaves alone what has not changed. */
  readonly follows?: true;
  readonly ask?: AskPlugin;
}

type MakeProvider = () => Promise<Provider>;

/**
 * The current providers of external tools and channels, by all of the config that they are made of. Code for what is
 * not configured is not loaded.
 */
function wantedProviders(
  channels: ChannelPort,
  { core, trust, modulesInTurn }: ExtensionsState,
): ReadonlyMap<string, MakeProvider> {
  const { config } = core;
  const own = core.settings(extensionSettings);
  const { tools, agents, workspace, data_dir } = config;
  // Where tools write.
  const forbidden = [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? []), data_dir];
  const isForbidden: IsForbidden = async (path) =>
    (await Promise.all(forbidden.map((template) => liesInWorkspace(path, template)))).includes(true);
  const parts = { core, trust, isForbidden };
  const wanted = new Map<string, MakeProvider>();
  const want = (madeOf: object, make: MakeProvider) => wanted.set(JSON.stringify(madeOf), make);

  // Modules and channels are read when they are made, so that owners get one message about all that are new.
  for (const path of own.tool_modules)
    want({ path, forbidden }, async () => {
      const { toolModule } = await import('./module/tool-module.ts');
      return toolModule(path, { ...parts, startInTurn: modulesInTurn });
    });
  for (const name of channels.plugged()) {
    const [place = { from: '' }, settings] = [own.channel_plugins[name], ownSettings(config.channels[name])];
    want({ channel: name, place, settings, forbidden, network: core.network.settings }, async () => {
      const { channelPlugin } = await import('./channel-plugins/channel-plugin.ts');
      return channelPlugin(name, place, settings, { ...parts, channels });
    });
  }
  if (own.plugins.enabled)
    want({ forbidden, deny: tools.shell.deny, most: tools.shell.max_output_bytes }, async () => {
      const [{ createPlugins }, { pluginMeans }] = await Promise.all([
        import('./plugin/plugins.ts'),
        import('./plugin/plugin-means.ts'),
      ]);
      return createPlugins(pluginMeans(core), trust, isForbidden);
    });
  for (const [name, server] of Object.entries(own.mcp_servers))
    if (server.enabled) {
      // Through another proxy, there are other connections.
      const network = server.url === undefined ? undefined : core.network.settings;
      want({ name, server, network, allowed: tools.network.allow_private, ask: tools.ask.timeout_secs }, async () =>
        (await import('./mcp/server.ts')).configuredServer(name, core, trust),
      );
    }
  return wanted;
}

/** The settings in `channels.<name>` without the ones that Keyturn reads itself. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}
