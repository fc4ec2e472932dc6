import { isDeepStrictEqual } from 'node:util';
import { type KeyPath, spellPath } from '../../config/config-error.ts';
import { type CommandGroup, notInGroups, ownersOnly } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import type { TrustChange } from '../../conversation/trust-store.ts';
import type { ChannelPort, Feature, FeatureCore, FeatureDefinition, PartFault } from '../../feature-points.ts';
import { untilAborted } from '../../lib/clock.ts';
import { isJsonObject, parseJson } from '../../lib/json.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/workspace.ts';
import { inOrder, type Turns } from './extension.ts';
import type { AskPlugin, RunningHooks } from './hooks.ts';
import type { IsForbidden } from './pinned-modules.ts';
import { extensionSettings } from './settings.ts';
import { createTrustStore, type TrustStore, trustTables } from './tables.ts';
import {
  changedWords,
  createTrustBook,
  distrusting,
  type Trust,
  type TrustBook,
  trustReport,
  untrustedWords,
} from './trust.ts';

/**
 * External code: plugins, MCP servers, modules and channels, each in use while an owner trusts its current state; and
 * the operator's hooks, which may be plugins. Only what the config names is loaded. A failure affects nothing else.
 */
export const extensions: FeatureDefinition = {
  name: 'extensions',
  settings: extensionSettings,
  tables: trustTables,
  make: makeExtensions,
};

async function makeExtensions(core: FeatureCore): Promise<Feature> {
  const { rules, ending, log } = core;
  const settings = core.settings(extensionSettings);
  const stored = createTrustStore(core.database);
  const trust = createTrustBook(core, stored);
  /** By what they are made of. */
  const running = new Map<string, Provider>();
  const openHooks = async (): Promise<RunningHooks> => {
    const { before_tool_call: before, after_tool_call: after } = settings.hooks;
    // Loaded only if there are some.
    if (before.length + after.length === 0) return { before: [], after: [], stop: async () => {} };
    const { configuredHooks } = await import('./hooks.ts');
    return configuredHooks(core, () => [...running.values()].find(({ ask }) => ask)?.ask);
  };
  let hooks = await openHooks();
  let port: ChannelPort | undefined;
  /** The starts that have not ended, by their providers. */
  const starting = new Map<Provider, Promise<void>>();
  // Serialises edits.
  let settling: Promise<readonly Provider[]> = Promise.resolve([]);
  // One module starts after the other, so that name conflicts always resolve the same way.
  const modulesInTurn = inOrder();

  /** Ends the providers that the config no longer has unchanged, and makes the missing ones. Returns those to start. */
  async function settle(channels: ChannelPort): Promise<readonly Provider[]> {
    const wanted = wantedProviders(core, trust, channels, modulesInTurn);
    const over = [...running].filter(([key]) => !wanted.has(key));
    for (const [key] of over) running.delete(key);
    await Promise.all(over.map(([, provider]) => tell(provider, 'stop')));
    return (await Promise.all([...wanted].map(take))).flat();
  }

  async function take([key, make]: readonly [string, MakeProvider]): Promise<readonly Provider[]> {
    const former = running.get(key);
    if (former !== undefined) return former.follows === true ? [former] : [];
    try {
      const provider = await make();
      running.set(key, provider);
      return [provider];
    } catch (error) {
      log.error({ err: error }, 'a source of tools could not be made: its tools are missing');
      return [];
    }
  }

  async function tell(provider: Provider, what: 'start' | 'stop'): Promise<void> {
    await provider[what]().catch((err: unknown) => log.error({ err }, `a source of tools could not ${what}`));
  }

  function begin(provider: Provider): Promise<void> {
    const started = tell(provider, 'start').finally(() => {
      if (starting.get(provider) === started) starting.delete(provider);
    });
    starting.set(provider, started);
    return started;
  }

  function settleSoon(): Promise<readonly Provider[]> {
    settling = settling.then(() => (port === undefined || ending.aborted ? [] : settle(port)));
    return settling;
  }

  return {
    commands: [trustCommands(core, stored, trust), mcpCommand(core, () => [...running.values()])],
    hooks: {
      get before() {
        return hooks.before;
      },
      get after() {
        return hooks.after;
      },
    },
    async status({ principal }) {
      if (!rules.isOwner(principal)) return [];
      return [...untrustedWords(await stored.all()), ...[...running.values()].flatMap(troubleWords)];
    },
    missingTools: ({ principal }) => (rules.isOwner(principal) ? [...running.values()].flatMap(troubleWords) : []),
    async start(channels) {
      port = channels;
      await Promise.all((await settleSoon()).map(begin));
    },
    async reload({ from, to }) {
      if (!isDeepStrictEqual(extensionSettings.read(from).hooks, extensionSettings.read(to).hooks)) {
        const former = hooks;
        hooks = await openHooks();
        await former.stop();
      }
      // Not awaited: a provider that hangs must not delay the others or further edits.
      for (const provider of await settleSoon()) void begin(provider);
    },
    async faults(over) {
      await untilAborted(Promise.all([settling, ...starting.values()]), over);
      return [...running].flatMap(([key, provider]) => faultsOf(placeOf(key), provider, starting.has(provider)));
    },
    async stop() {
      await settling;
      await Promise.all([...running.values()].map((provider) => tell(provider, 'stop')));
      await Promise.all([hooks.stop(), trust.stop()]);
    },
  };
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
  return [{ place, words: `${spellPath(place)} is still starting.` }];
}

/** The owners' commands about external code. An id stands for one exact state. */
function trustCommands({ rules, readers }: FeatureCore, stored: TrustStore, trust: TrustBook): CommandGroup {
  return {
    takes: ({ name }) => name === 'trust' || name === 'distrust',
    help: { section: 'owners', text: '`/trust ID`, `/distrust ID`: review what others have written' },
    async obey({ name, argument, origin, answer, obey, end }) {
      const { principal, conversation } = origin;
      const type = name === 'trust' ? 'trust' : 'distrust';
      if (!rules.isOwner(principal)) return answer(ownersOnly);
      if (conversation.kind === 'group') return answer(notInGroups);
      const ids = [...new Set(argument.toLowerCase().match(/[a-z0-9]+/g))];
      if (ids.length === 0) {
        const report = async () => trustReport(await stored.all(), readers.forAnswer(origin));
        return answer(type === 'trust' ? await report() : which);
      }
      const words = (changes: readonly TrustChange[]): string => {
        const told = changedWords(changes, ids.length - changes.length);
        const isWord = type === 'trust' && changes.length === 0 && ids.length === 1;
        return isWord ? unknownWordWords(name, ids.join(), ['here'], told) : told;
      };
      if (type === 'trust') {
        const obeyed = await obey(stored.trust(ids), words);
        if (obeyed.status === 'done') trust.decided(obeyed.result);
        return;
      }
      const changes = distrusting(await stored.all(), ids);
      await end(stored.distrust(ids), words, {
        held: words(changes),
        now: () => trust.withhold(changes),
        over: (isStored) => trust.withholdNoLonger(changes, isStored),
        ended: (done) => trust.decided(done),
      });
    },
  };
}

/** `/mcp`, for owners: each server, its tools, and what is left out. */
function mcpCommand({ rules }: FeatureCore, providers: () => readonly Provider[]): CommandGroup {
  return {
    takes: ({ name }) => name === 'mcp',
    help: { section: 'owners', text: '`/mcp`: the MCP servers, and which of their tools are left out' },
    async obey({ origin: { principal, conversation }, answer }) {
      if (!rules.isOwner(principal)) return answer(ownersOnly);
      if (conversation.kind === 'group') return answer(notInGroups);
      const servers = providers().filter(({ report }) => report !== undefined);
      if (servers.length === 0) return answer('The config has no MCP servers: `mcp_servers` is where they stand.');
      const lines = servers.flatMap((server) => server.report?.() ?? []).map((words) => `- ${escapeMarkdown(words)}`);
      return answer([lines.join('\n'), ...servers.flatMap(troubleWords)].join('\n\n'));
    },
  };
}

function troubleWords(provider: Provider): readonly string[] {
  return provider.troubles().map((trouble) => `⚠️ ${escapeMarkdown(oneLine(trouble, 700))}`);
}

const which = 'Say which: `/distrust ID`. `/trust` shows the ids.';

interface Provider {
  /** Does not wait for slow work. Never rejects: the operator is told of errors. */
  start(): Promise<void>;
  /** Removes what it brought and leaves nothing running. At shutdown, within 2 s. */
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles(): readonly string[];
  /** Of an MCP server: what it is and brings, a line of plain text. */
  report?(): string;
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
  core: FeatureCore,
  trust: Trust,
  channels: ChannelPort,
  modulesInTurn: Turns,
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
