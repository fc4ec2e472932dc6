import { isDeepStrictEqual } from 'node:util';
import { type CommandGroup, notInGroups, ownersOnly } from '../../conversation/commands/given-command.ts';
import type { ChannelPort, Feature, FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { type AskPlugin, configuredHooks, HookFailure } from './hooks.ts';
import { type ConfiguredProvider, configuredProviders, type Provider } from './providers.ts';
import { changedWords, createTrustBook, type TrustBook, trustReport, untrustedWords } from './trust.ts';

/**
 * External code: plugins, MCP servers, modules and channels, each in use while an owner trusts its current state; and
 * the operator's hooks, which may be plugins. Only what the config names is loaded. A failure affects nothing else.
 */
export async function extensions(core: FeatureCore): Promise<Feature> {
  const { store, owners, adapters, rules, heard, ending, log } = core;
  const trust = createTrustBook({
    ...core,
    store: store.trust,
    ownersChats: async () => {
      const chats = await store.lifetime.directChats(owners.all());
      return chats.filter(({ conversation: { channel } }) => adapters.has(channel));
    },
    isOwner: (principal) => owners.isOwner(principal),
  });
  heard.listen((principal) => trust.heard(principal));
  const running = new Map<string, Running>();
  const askPlugin: AskPlugin = async (...asked) => {
    const plugins = running.get('plugins')?.provider;
    if (plugins?.ask === undefined) throw new HookFailure('there are no plugins: see plugins.enabled in the config');
    return plugins.ask(...asked);
  };
  let hooks = await configuredHooks(core, askPlugin);
  let port: ChannelPort | undefined;
  // Serialises edits.
  let settling: Promise<readonly Provider[]> = Promise.resolve([]);

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
      port === undefined || ending.aborted ? [] : settle(configuredProviders(core, trust, port)),
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
        hooks = await configuredHooks(core, askPlugin);
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
