import { stubWords } from '../../src/words/words.ts';
import { anything, saidLike } from './said.ts';

/** What stubs call a message without files of which nothing was shown. `size` in characters. */
export function unshownMessage(kind: 'reply' | 'notice', size: number): string {
  return stubWords.en.message({ kind, size, files: [], more: false, shown: 'nothing' });
}

/** A stub, in the place of a message that could not be shown. */
export function stubOf({ what = anything, why = anything } = {}): RegExp {
  return saidLike(stubWords.en.unshown({ what, why, id: anything }));
}

/** What owners read of a stub elsewhere. `conversation` is markdown. */
export function stubElsewhere(conversation: string, { what = anything, why = anything } = {}): RegExp {
  return saidLike(stubWords.en.unshownElsewhere({ what, conversation, why, id: anything }));
}

/** What is offered in a chat that takes messages again. */
export function offerOf(what = anything): RegExp {
  const at = Date.UTC(2023, 10, 14);
  const reader = { timeZone: 'UTC', isNamed: false, language: 'en' } as const;
  return saidLike(stubWords.en.undelivered({ what, at, reader, id: anything }));
}
