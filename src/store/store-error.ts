import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { storeWords } from './words.ts';

type StoreWords = (typeof storeWords)['en'];

/** The data is unusable. The message says why in English, and what the operator can do; `saidIn` says it to its reader. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly saidIn: InLanguage;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.saidIn = (language) => wordsIn(language, words);
  }
}

/** Another process uses the data. The message names it in English; `saidIn` says it to its reader. */
export class DataLockedError extends Error {
  override readonly name = 'DataLockedError';
  readonly saidIn: InLanguage;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.saidIn = (language) => wordsIn(language, words);
  }
}

/** Another process has the database open, though it does not hold the folder's lock: perhaps it just reads. */
export class DataInUseError extends DataLockedError {
  /** Says that the start waits for it. */
  readonly waiting: InLanguage;

  constructor(file: string, options?: ErrorOptions) {
    super(
      storeSays((say) => say.opened({ file })),
      options,
    );
    this.waiting = storeSays((say) => say.waitsForReader({ file }));
  }
}

/** What to say, in the words of the catalogue. */
export function storeSays(words: (say: StoreWords) => string): InLanguage {
  return (language) => words(storeWords[language]);
}
