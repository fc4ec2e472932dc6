import { isDeepStrictEqual } from 'node:util';
import { forbiddenIn, writtenByTools } from '../../extension-kit/forbidden-places.ts';
import { createProviders, type Providers, type WantedProvider } from '../../extension-kit/providers.ts';
import type { ConfigChange, Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import type { RunningHooks } from './hooks.ts';
import type { Plugins } from './plugins.ts';
import { pluginSettings } from './settings.ts';

/**
 * Programs and commands of others that bring tools, each in use while an owner trusts its current state; and the
 * operator's hooks, which may be plugins. Only what the config names is loaded. A failure affects nothing else.
 */
export const plugins: FeatureDefinition = { name: 'plugins', settings: pluginSettings, make: makePlugins };

/** What runs. */
interface PluginsContext {
  readonly core: FeatureCore;
  readonly providers: Providers<Plugins>;
  hooks: RunningHooks;
}

async function makePlugins(core: FeatureCore): Promise<Feature> {
  const providers = createProviders(core, () => wantedPlugins(core));
  const context: PluginsContext = { core, providers, hooks: await openHooks(core, providers) };
  return {
    ...providers.reports,
    hooks: {
      get before() {
        return context.hooks.before;
      },
      get after() {
        return context.hooks.after;
      },
    },
    start: providers.start,
    reload: (change) => reload(change, context),
    faults: providers.faults,
    stop: () => stop(context),
  };
}

async function openHooks(core: FeatureCore, providers: Providers<Plugins>): Promise<RunningHooks> {
  const { before_tool_call: before, after_tool_call: after } = core.settings(pluginSettings).hooks;
  // Loaded only if there are some.
  if (before.length + after.length === 0) return { before: [], after: [], stop: async () => {} };
  const { configuredHooks } = await import('./hooks.ts');
  return configuredHooks(core, () => providers.running()[0]?.ask);
}

async function reload({ from, to }: ConfigChange, context: PluginsContext): Promise<void> {
  if (!isDeepStrictEqual(pluginSettings.read(from).hooks, pluginSettings.read(to).hooks)) {
    const former = context.hooks;
    context.hooks = await openHooks(context.core, context.providers);
    await former.stop();
  }
  await context.providers.reload();
}

async function stop(context: PluginsContext): Promise<void> {
  await context.providers.stop();
  // An edit that came first may have replaced them.
  await context.hooks.stop();
}

/** All plugins together, if they are on. */
function wantedPlugins(core: FeatureCore): readonly WantedProvider<Plugins>[] {
  const { config, trust } = core;
  if (!core.settings(pluginSettings).plugins.enabled) return [];
  const forbidden = writtenByTools(config);
  const { deny, max_output_bytes: most } = config.tools.shell;
  return [
    {
      place: ['plugins'],
      madeOf: { forbidden, deny, most },
      async make() {
        const [{ createPlugins }, { pluginMeans }] = await Promise.all([
          import('./plugins.ts'),
          import('./plugin-means.ts'),
        ]);
        return createPlugins(pluginMeans(core), trust, forbiddenIn(forbidden));
      },
    },
  ];
}
