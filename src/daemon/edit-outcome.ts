import { spellPath } from '../config/config-error.ts';
import type { HealthBoard } from '../conversation/health/health-board.ts';
import type { ConfigChange, Feature, PartFault } from '../feature-points.ts';
import { Background } from '../lib/background.ts';
import { untilAborted } from '../lib/clock.ts';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import type { Services } from './services.ts';
import { daemonWords } from './words.ts';

/** How long the parts of an edit may take to start before owners are told what is known. In ms. */
const patience = 10_000;

/** What becomes of edits of the config. */
export interface EditOutcomes {
  /**
   * Finds out what has become of an edit, and tells the features, one edit after the other. It does not delay the next edit.
   * `channels`: those that the edit has started.
   */
  begin(change: ConfigChange, channels: readonly string[]): void;
  /** Resolves when all is told. */
  settled(): Promise<void>;
}

type OutcomeParts = Pick<Services, 'health' | 'clock' | 'log' | 'ending'>;

export function createEditOutcomes(parts: OutcomeParts, features: readonly Feature[]): EditOutcomes {
  const background = new Background(parts.log);
  let last = Promise.resolve();
  return {
    begin(change, channels) {
      last = tellAfter(last, change, features, findFaults(channels, features, parts));
      background.run('the outcome of an edit could not be told', () => last);
    },
    settled: () => background.settled(),
  };
}

async function tellAfter(
  before: Promise<void>,
  change: ConfigChange,
  features: readonly Feature[],
  found: Promise<readonly PartFault[]>,
): Promise<void> {
  await before;
  const faults = await found;
  await Promise.all(features.map((feature) => feature.edited?.(change, faults)));
}

async function findFaults(
  channels: readonly string[],
  features: readonly Feature[],
  { health, clock, ending }: OutcomeParts,
): Promise<readonly PartFault[]> {
  const over = new AbortController();
  const cancel = clock.after(patience, () => over.abort());
  const signal = AbortSignal.any([over.signal, ending]);
  const ofFeatures = (await Promise.all(features.map((feature) => feature.faults?.(signal) ?? []))).flat();
  const known = new Set(ofFeatures.map(({ place }) => spellPath(place)));
  const ofChannels = await channelFaults(channels, health, signal);
  cancel();
  return [...ofFeatures, ...ofChannels.filter(({ place }) => !known.has(spellPath(place)))];
}

async function channelFaults(
  channels: readonly string[],
  health: HealthBoard,
  signal: AbortSignal,
): Promise<readonly PartFault[]> {
  await untilAborted(health.whenTried(channels), signal);
  return channels.flatMap((channel) => {
    const found = health.of(channel)?.health;
    if (found === undefined || found.status === 'connected') return [];
    return [{ place: ['channels', channel], words: faultWords(channel, 'reason' in found ? found.reason : undefined) }];
  });
}

function faultWords(channel: string, reason: Words | undefined): InLanguage {
  return (language) => {
    const words = daemonWords[language];
    if (reason === undefined) return words.channelConnects({ channel });
    return words.channelFails({ channel, reason: wordsIn(language, reason) });
  };
}
