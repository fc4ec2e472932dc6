import { isDeepStrictEqual } from 'node:util';
import { reservedNames } from '../../config/tool-rules.ts';
import { type CommandGroup, notInGroups, ownersOnly } from '../../conversation/commands/given-command.ts';
import type { ChannelPort, Feature, FeatureCore } from '../../feature-points.ts';
import { isJsonObject } from '../../lib/json.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { liesInWorkspace } from '../../tools/guard/workspace/workspace.ts';
import { inOrder, type Turns } from './extension.ts';
import type { AskPlugin, RunningHooks } from './hooks.ts';
import type { IsForbidden } from './pinned-modules.ts';
import { changedWords, createTrustBook, type Trust, type TrustBook, trustReport, untrustedWords } from './trust.ts';

/**
 * External code: plugins, MCP servers, modules and channels, each in use while an owner trusts its current state; and
 * the operator's hooks, which may be plugins. Only what the config names is loaded. A failure affects nothing else.
 */
export async function extensions(core: FeatureCore): Promise<Feature> {
  const { store, rules, heard, ending, log } = core;
  const trust = createTrustBook(core);
  heard.listen((principal) => trust.heard(principal));
  const running = new Map<string, Running>();
  const openHooks = async (): Promise<RunningHooks> => {
    const { before_tool_call: before, after_tool_call: after } = core.config.hooks;
    // Loaded only if there are some.
    if (before.length + after.length === 0) return { before: [], after: [], stop: async () => {} };
    const { configuredHooks } = await import('./hooks.ts');
    return configuredHooks(core, () => running.get('plugins')?.provider.ask);
  };
  let hooks = await openHooks();
  let port: ChannelPort | undefined;
  // Serialises edits.
  let settling: Promise<readonly Provider[]> = Promise.resolve([]);
  // One module after the other, so that name conflicts always resolve the same way.
  const modulesInTurn = inOrder();

  /** Ends the providers that the config no longer has unchanged, and makes the missing ones. Returns those to start. */
  async function settle(wanted: readonly ConfiguredProvider[]): Promise<readonly Provider[]> {
    const isKept = ([name, { madeOf }]: readonly [string, Running]): boolean =>
      wanted.some((one) => one.name === name && isDeepStrictEqual(one.madeOf, madeOf));
    const over = [...running].filter((one) => !isKept(one));
    for (const [name] of over) running.delete(name);
    await Promise.all(over.map(([, { provider }]) => end(provider)));
    return (await Promise.all(wanted.map(follow))).flat();
  }

  async function follow(wanted: ConfiguredProvider): Promise<readonly Provider[]> {
    const { name, follows } = wanted;
    const former = running.get(name);
    if (former !== undefined && isDeepStrictEqual(former.follows, follows)) return [];
    try {
      const provider = former?.provider ?? (await wanted.make());
      running.set(name, { ...wanted, provider });
      return [provider];
    } catch (error) {
      log.error({ provider: name, err: error }, 'a source of tools could not be made: its tools are missing');
      return [];
    }
  }

  async function begin(provider: Provider): Promise<void> {
    await provider
      .start()
      .catch((error: unknown) => log.error({ err: error }, 'a source of tools could not begin: its tools are missing'));
  }

  async function end(provider: Provider): Promise<void> {
    await provider.stop().catch((error: unknown) => log.error({ err: error }, 'a source of tools could not be ended'));
  }

  function settleSoon(): Promise<readonly Provider[]> {
    settling = settling.then(() =>
      port === undefined || ending.aborted ? [] : settle(configuredProviders(core, trust, port, modulesInTurn)),
    );
    return settling;
  }

  return {
    commands: [trustCommands(core, trust)],
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
      const troubles = [...running.values()].flatMap(({ provider }) => provider.troubles?.() ?? []);
      return [
        ...untrustedWords(await store.trust.all()),
        ...troubles.map((trouble) => `⚠️ ${escapeMarkdown(oneLine(trouble, 700))}`),
      ];
    },
    async start(channels) {
      port = channels;
      await Promise.all((await settleSoon()).map(begin));
    },
    async reload({ from, to }) {
      if (!isDeepStrictEqual(from.hooks, to.hooks)) {
        const former = hooks;
        hooks = await openHooks();
        await former.stop();
      }
      // Not awaited: a provider that hangs must not delay the others or further edits.
      for (const provider of await settleSoon()) void begin(provider);
    },
    async stop() {
      await settling;
      await Promise.all([...running.values()].map(({ provider }) => end(provider)));
      await Promise.all([hooks.stop(), trust.stop()]);
    },
  };
}

interface Running extends ConfiguredProvider {
  readonly provider: Provider;
}

/** The owners' commands about external code. An id stands for one exact state. */
function trustCommands({ store, rules }: FeatureCore, trust: Pick<TrustBook, 'decided'>): CommandGroup {
  return {
    takes: ({ name }) => name === 'trust' || name === 'distrust',
    help: '`/trust ID`, `/distrust ID`: what others have written, for owners',
    async obey({ name, argument, origin: { principal, conversation }, answer, obey }) {
      const type = name === 'trust' ? 'trust' : 'distrust';
      if (!rules.isOwner(principal)) return answer(ownersOnly);
      if (conversation.kind === 'group') return answer(notInGroups);
      const ids = [...new Set(argument.toLowerCase().match(/[a-z0-9]+/g))];
      if (ids.length === 0) return answer(type === 'trust' ? trustReport(await store.trust.all()) : which);
      const obeyed = await obey({ type, ids }, ({ trust: changes = [] }) =>
        changedWords(changes, ids.length - changes.length),
      );
      if (obeyed.status === 'done') trust.decided(obeyed.trust ?? []);
    },
  };
}

const which = 'Say which: `/distrust ID`. `/trust` shows the ids.';

interface Provider {
  /** Does not wait for slow work. Never rejects: the operator is told of errors. Called again if `follows` changes. */
  start(): Promise<void>;
  /** Removes what it brought and leaves nothing running. At shutdown, within 2 s. */
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles?(): readonly string[];
  readonly ask?: AskPlugin;
}

interface ConfiguredProvider {
  readonly name: string;
  /** A change of this config makes a new one. */
  readonly madeOf: unknown;
  /** A change of this config calls `start` again, which leaves the unchanged parts alone. */
  readonly follows?: unknown;
  make(): Promise<Provider>;
}

/** The current providers of external tools and channels. Code for what is not configured is not loaded. */
function configuredProviders(
  core: FeatureCore,
  trust: Trust,
  channels: ChannelPort,
  modulesInTurn: Turns,
): readonly ConfiguredProvider[] {
  const { config } = core;
  const { tool_modules, channel_plugins, plugins, mcp_servers, tools, agents, workspace, data_dir } = config;
  // Where tools write.
  const forbidden = [workspace, ...Object.values(agents).flatMap((agent) => agent.workspace ?? []), data_dir];
  const isForbidden: IsForbidden = async (path) =>
    (await Promise.all(forbidden.map((template) => liesInWorkspace(path, template)))).includes(true);
  const reserved = reservedNames(config);
  const parts = { core, trust, isForbidden };
  // Modules and channels are read when they are made, so that owners get one message about all that are new.
  const modules = [...new Set(tool_modules)].map((path) => ({
    name: `tool_modules ${path}`,
    madeOf: { reserved, forbidden },
    make: async () => (await import('./module/tool-module.ts')).toolModule(path, { ...parts, inTurn: modulesInTurn }),
  }));
  const pluginFolders: ConfiguredProvider = {
    name: 'plugins',
    madeOf: { reserved, forbidden, deny: tools.shell.deny, most: tools.shell.max_output_bytes },
    follows: plugins,
    async make() {
      const [{ createPlugins }, { pluginMeans }] = await Promise.all([
        import('./plugin/plugins.ts'),
        import('./plugin/plugin-means.ts'),
      ]);
      return createPlugins(pluginMeans(core), trust, isForbidden);
    },
  };
  const plugged = channels.plugged().map((name) => {
    const [place = { from: '' }, settings] = [channel_plugins[name], ownSettings(config.channels[name])];
    return {
      name: `channel_plugins.${name}`,
      madeOf: { place, settings, forbidden },
      make: async () =>
        (await import('./channel-plugins/channel-plugin.ts')).channelPlugin(name, place, settings, {
          ...parts,
          channels,
        }),
    };
  });
  const servers = Object.entries(mcp_servers)
    .filter(([, { enabled }]) => enabled)
    .map(([name, server]) => ({
      name: `mcp_servers.${name}`,
      madeOf: { server, reserved, allowed: tools.network.allow_private, ask: tools.ask.timeout_secs },
      make: async () => (await import('./mcp/server.ts')).configuredServer(name, core, trust),
    }));
  return [...modules, ...(plugins.enabled ? [pluginFolders] : []), ...plugged, ...servers];
}

/** The settings in `channels.<name>` without the ones that Keyturn reads itself. */
function ownSettings(block: unknown): object {
  if (!isJsonObject(block)) return {};
  const { enabled: _enabled, allow_from: _allowFrom, groups: _groups, ...own } = block;
  return own;
}
