import type { CliOption } from './command.ts';
import { commandListWords } from './words.ts';

/** How many lines of the log: one option, as those of one name have to be alike in all commands. */
export const linesOption: CliOption = {
  name: 'lines',
  short: 'n',
  takes: 'N',
  words: (language) => commandListWords[language].options.lines,
};
