/**
 * Files of `src/` and `channels/` whose sentences no person reads in a chat, the terminal or `config check`, and who does read
 * them: a model (what tools and prompts tell it, in English), a log, a program, or the author of one. Words that rules look
 * for count as read by a program.
 */
export const otherReaders: Readonly<Record<string, 'a model' | 'a log' | 'a program' | 'an author'>> = {
  'src/tools/deeds.ts': 'a program',
};
