import { spellPath } from '../config/config-error.ts';
import type { ConfigChange, Feature, PartFault } from '../feature-points.ts';
import { Background } from '../lib/background.ts';
import { untilAborted } from '../lib/clock.ts';
import type { Services } from './services.ts';

/** How long the parts of an edit may take to start before owners are told what is known. In ms. */
const patience = 10_000;

/**
 * Finds out what has become of an edit, and tells the features, one edit after the other. It does not delay the next edit.
 */
export function createEditOutcomes({ health, clock, log, ending }: Services, features: readonly Feature[]) {
  const background = new Background(log);
  let last = Promise.resolve();

  async function find(channels: readonly string[]): Promise<readonly PartFault[]> {
    const over = new AbortController();
    const cancel = clock.after(patience, () => over.abort());
    const signal = AbortSignal.any([over.signal, ending]);
    const ofFeatures = (await Promise.all(features.map((feature) => feature.faults?.(signal) ?? []))).flat();
    const known = new Set(ofFeatures.map(({ place }) => spellPath(place)));
    const ofChannels = await channelFaults(channels, signal);
    cancel();
    return [...ofFeatures, ...ofChannels.filter(({ place }) => !known.has(spellPath(place)))];
  }

  async function channelFaults(names: readonly string[], signal: AbortSignal): Promise<readonly PartFault[]> {
    await untilAborted(health.whenTried(names), signal);
    return names.flatMap((name) => {
      const found = health.of(name)?.health;
      if (found === undefined || found.status === 'connected') return [];
      const why = 'reason' in found ? `does not work: ${found.reason}` : 'is still connecting.';
      return [{ place: ['channels', name], words: `The channel ${name} ${why}` }];
    });
  }

  return {
    /** `channels`: those that the edit has started. */
    begin(change: ConfigChange, channels: readonly string[]): void {
      const before = last;
      const found = find(channels);
      last = (async () => {
        await before;
        const faults = await found;
        await Promise.all(features.map((feature) => feature.edited?.(change, faults)));
      })();
      background.run('the outcome of an edit could not be told', () => last);
    },
    settled: () => background.settled(),
  };
}
