import type { ChannelPort, Feature, FeatureCore, MakeFeature } from '../feature-points.ts';
import { endsWithin } from '../lib/clock.ts';

/** All features. Each is a folder and a line here; both can be left out. */
const features: readonly (() => Promise<MakeFeature>)[] = [
  async () => (await import('../features/planning/index.ts')).planning,
  async () => (await import('../features/memory/index.ts')).memory,
  async () => (await import('../features/linking/index.ts')).linking,
  async () => (await import('../features/agents/index.ts')).agents,
  async () => (await import('../features/composed/index.ts')).composed,
  async () => (await import('../features/extensions/index.ts')).extensions,
  async () => (await import('../features/devices/index.ts')).devices,
  async () => (await import('../features/edits/index.ts')).edits,
];

export function makeFeatures(core: FeatureCore): Promise<readonly Feature[]> {
  return Promise.all(features.map(async (load) => (await load())(core)));
}

/** How long runs wait for the features to start, in ms. */
const longestWait = 2_000;

export function featureStart(features: readonly Feature[], { clock, log, ending }: FeatureCore) {
  const begun = Promise.withResolvers<void>();
  let isReady = false;
  ending.addEventListener('abort', () => begun.resolve(), { once: true });
  return {
    /** Resolves when runs need not wait any longer; undefined once that is so. */
    ready: (): Promise<void> | undefined => (isReady ? undefined : begun.promise),
    /** Does not wait. */
    begin(channels: ChannelPort): void {
      const starts = features.map(async (feature) => {
        await feature.start?.(channels).catch((err: unknown) => log.error({ err }, 'a feature could not begin'));
      });
      const all = Promise.all(starts).then(() => {});
      void endsWithin(all, { clock, milliseconds: longestWait, signal: ending }).then(() => {
        isReady = true;
        begun.resolve();
      });
    },
  };
}
