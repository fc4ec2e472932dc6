/* The link to the page, printed at the start: the person at the terminal need not ask for it. */

import type { Daemon } from '../daemon/daemon.ts';
import { isJsonObject } from '../lib/json.ts';
import { type Language, wordsIn } from '../lib/words.ts';
import { cliWords } from './words.ts';

/** Opens the page's port. Undefined: the page is off, or left out. */
export async function pageLinkText(
  { askedHere }: Pick<Daemon, 'askedHere'>,
  language: Language,
): Promise<string | undefined> {
  const say = cliWords[language];
  const answer = await askedHere('web', { language, params: { isAtStart: true } });
  if (answer === undefined) return undefined;
  if (!isJsonObject(answer)) return `${say.noPage({ why: wordsIn(language, answer.refusal) })}\n\n`;
  const { here, instead } = answer;
  if (typeof here !== 'string') return undefined;
  const taken = typeof instead === 'number' ? [say.pageElsewhere({ port: instead })] : [];
  return `${[say.pageLink({ url: here }), ...taken].join('\n')}\n\n`;
}
