import type { RunFailure } from '../contract.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { ModelError } from '../model/language-model.ts';

/** Why a run is closed: in words for the person, or the error of the model, which has some. */
export type Why = string | ModelError;

/** What the person is told of it; undefined where he is told nothing. */
export function closingWords(why: Why | undefined): string | undefined {
  return why instanceof ModelError ? `⚠️ ${escapeMarkdown(why.message)}` : why;
}

/** What the run has failed of. */
export function failureOf(why: Why | undefined): RunFailure {
  if (!(why instanceof ModelError)) return 'other';
  return why.fault === 'auth' ? 'key' : 'model';
}

export const emptyWords = '⚠️ The model gave an empty answer. Please ask again, or in other words.';
