import { catalogue } from '../../../lib/words.ts';

/** What a command does, after "May I". The command is markdown. */
export const commandWords = catalogue({
  en: { run: (command: string) => `run ${command}` },
  zh: { run: (command) => `运行 ${command}` },
});
