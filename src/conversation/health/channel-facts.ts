import type { ChannelAdapter, ChannelHealth } from '../../contract.ts';
import { oneLine } from '../../lib/plain-text.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import type { ChannelState, HealthBoard } from './health-board.ts';

/** How a channel is. Instants are ms since 1970. */
export interface ChannelFacts {
  readonly name: string;
  readonly status: ChannelHealth['status'];
  readonly since: number;
  /** Until when everything that came in was received. */
  readonly heardAt: number;
  /** What is wrong now, and what to do about it. */
  readonly reason: string | undefined;
  readonly retryAt: number | undefined;
}

/** The same with what was wrong before. */
export interface ToldChannel extends ChannelFacts {
  /** The name under which the platform knows us. */
  readonly account: string | undefined;
  readonly lastFault: { readonly reason: string; readonly at: number } | undefined;
}

interface ChannelParts {
  readonly health: Pick<HealthBoard, 'all'>;
  readonly adapters: ReadonlyMap<string, Pick<ChannelAdapter, 'heardAt'>>;
}

/** The longest reason, in characters. */
export const longestReason = 400;

export function channelFacts(language: Language, { health, adapters }: ChannelParts): readonly ChannelFacts[] {
  return health.all().map((state) => factsOf(state, language, adapters));
}

export function toldChannels(language: Language, { health, adapters }: ChannelParts): readonly ToldChannel[] {
  return health.all().map((state) => ({
    ...factsOf(state, language, adapters),
    account: state.health.status === 'connected' ? state.health.account : undefined,
    lastFault: state.fault && { reason: line(state.fault.reason, language), at: state.fault.at },
  }));
}

function factsOf(
  { name, health, since, heardAt, retryAt }: ChannelState,
  language: Language,
  adapters: ChannelParts['adapters'],
): ChannelFacts {
  const reason = 'reason' in health ? line(health.reason, language) : undefined;
  const receivedAt = adapters.get(name)?.heardAt ?? heardAt;
  return { name, status: health.status, since, heardAt: receivedAt, reason, retryAt };
}

function line(words: Words, language: Language): string {
  return oneLine(wordsIn(language, words), longestReason);
}
