import type { SentencesToMove } from './sentence-rules.ts';

/** Sentences that still stand outside of `words.ts`, by folder. None is added, and what is moved is taken off. */
export const sentencesToMove: SentencesToMove = {
  'src/features/composed': 1,
  'src/features/planning': 1,
  'src/store': 70,
};
