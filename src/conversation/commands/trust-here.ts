import { sourceWords } from '../../approval/verdict.ts';
import type { CommandBook } from './command-book.ts';
import type { CommandGroup } from './commands.ts';

/** `/trust here`: an owner takes for trusted what was read in the conversation until now. */
export function trustHere(book: CommandBook, isOwner: (principal: string) => boolean): CommandGroup {
  return {
    takes: ({ name, argument }) => name === 'trust' && /^here$/i.test(argument.trim()),
    help: '`/trust here`: what was read in this conversation counts as trusted, for owners',
    async obey(command, origin) {
      if (!isOwner(origin.principal)) return book.answer(command, origin, 'Only an owner of this Keyturn can do that.');
      await book.obey(command, origin, {
        effect: { type: 'trust-here' },
        words: ({ trusted = [] }) =>
          trusted.length === 0
            ? 'Nothing was read here that others may have written.'
            : `From now on I take for trusted what was read here: ${sourceWords(trusted)}. What is read next counts again.`,
      });
    },
  };
}
