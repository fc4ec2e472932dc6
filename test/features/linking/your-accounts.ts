import { linkingWords } from '../../../src/features/linking/words.ts';

/** How `/links` begins. */
export const yourAccounts = linkingWords.en.yourAccounts({ lines: [] }).split('\n')[0] ?? '';
