import type { CommandGroup } from '../../conversation/commands/commands.ts';
import type { Feature, FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { configuredHooks } from './hooks/configured-hooks.ts';
import { PluginVoices } from './hooks/hooks.ts';
import { makeProviders, type Provider } from './providers.ts';
import { TrustBook } from './trust/trust-book.ts';
import { changedWords, trustReport, untrustedWords } from './trust/trust-words.ts';

/**
 * What others have written: plugins, MCP servers, modules, channels, each in use as long as an owner trusts it as it is; and
 * the operator's hooks, which may be plugins. What is not in the config is not loaded. What fails costs nothing else.
 */
export async function extensions(core: FeatureCore): Promise<Feature> {
  const { store, owners, adapters, rules, heard, ending, log } = core;
  const trust = new TrustBook({
    ...core,
    store: store.trust,
    ownersChats: async () => {
      const chats = await store.lifetime.directChats(owners.all());
      return chats.filter(({ conversation: { channel } }) => adapters.has(channel));
    },
    isOwner: (principal) => owners.isOwner(principal),
  });
  heard.listen((principal) => trust.heard(principal));
  const voices = new PluginVoices();
  const hooks = await configuredHooks(core, voices);
  let providers: readonly Provider[] = [];
  let making = Promise.resolve();

  async function each(failure: string, work: (provider: Provider) => Promise<void>): Promise<void> {
    await making;
    const watched = providers.map((one) => work(one).catch((error: unknown) => log.error({ err: error }, failure)));
    await Promise.all(watched);
  }

  return {
    commands: [trustCommands(core, trust)],
    hooks,
    async status({ principal }) {
      if (!rules.isOwner(principal)) return [];
      const troubles = providers.flatMap((provider) => provider.troubles?.() ?? []);
      return [
        ...untrustedWords(await store.trust.all()),
        ...troubles.map((trouble) => `⚠️ ${escapeMarkdown(oneLine(trouble, 700))}`),
      ];
    },
    async start(channels) {
      making = makeProviders(core, { trust, channels, voices }).then(
        (made) => {
          providers = made;
        },
        (error: unknown) => log.error({ err: error }, 'no tools from elsewhere are there: they could not be loaded'),
      );
      await each('a source of tools could not begin: its tools are missing', async (provider) => {
        if (!ending.aborted) await provider.start();
      });
    },
    async stop() {
      await each('a source of tools could not be ended', (provider) => provider.stop());
      await Promise.all([hooks.stop(), trust.stop()]);
    },
  };
}

/** The owners' commands about what others have written. An id stands for a thing exactly as it was shown. */
function trustCommands({ store, rules, book }: FeatureCore, trust: Pick<TrustBook, 'decided'>): CommandGroup {
  return {
    takes: ({ name }) => name === 'trust' || name === 'distrust',
    help: '`/trust ID`, `/distrust ID`: what others have written, for owners',
    async obey(command, origin) {
      const type = command.name === 'trust' ? 'trust' : 'distrust';
      if (!rules.isOwner(origin.principal))
        return book.answer(command, origin, 'Only an owner of this Keyturn can do that.');
      if (origin.conversation.kind === 'group') return book.answer(command, origin, notHere);
      const ids = [...new Set(command.argument.toLowerCase().match(/[a-z0-9]+/g))];
      if (ids.length === 0)
        return book.answer(command, origin, type === 'trust' ? trustReport(await store.trust.all()) : which);
      const obeyed = await book.obey(command, origin, {
        effect: { type, ids },
        words: ({ trust: changes = [] }) => changedWords(changes, ids.length - changes.length),
      });
      if (obeyed.status === 'done') trust.decided(obeyed.trust ?? []);
    },
  };
}

const notHere = 'Write that to me in a chat of our own: it is not for a group to read.';
const which = 'Say which: `/distrust ID`. `/trust` shows the ids.';
