/*
 * How an answer ended that is not whole. The answer itself has only the model's words: a row keeps the key of its ending
 * beside them. People read it as a line of its own behind the answer, and the model as an event: as part of its answer, it
 * would take it for its own words, and write it again.
 */

import { withClosedFence } from '../lib/split/heal-markdown.ts';
import { type Language, languages } from '../lib/words.ts';
import type { AnswerEnding, TurnPart } from '../transcript.ts';
import { messageWords } from './words.ts';

/** `interrupted`: people saw the beginning of an answer that broke off. */
type Ending = AnswerEnding | 'interrupted';

/** The answer as people read it: with a line that says how it ended. Nothing that is open in the answer goes on in that line. */
export function withEnding(markdown: string, ending: Ending | undefined, language: Language): string {
  if (ending === undefined) return markdown;
  const answer = withClosedFence(markdown.trimEnd());
  const notice = messageWords[language].ended(ending);
  return answer === '' ? notice : `${answer}\n\n${notice}`;
}

/** The text without the line at its end, with its marks or as a platform shows it. */
export function withoutEnding(text: string): string {
  const end = text.trimEnd();
  const found = languages
    .flatMap((language) => allEndings.map((ending) => messageWords[language].ended(ending)))
    .flatMap((notice) => [notice, notice.replaceAll('*', '')])
    .find((notice) => end.endsWith(notice));
  return found === undefined ? text : end.slice(0, -found.length).trimEnd();
}

const endings = ['cut', 'withheld'] as const;
const allEndings = [...endings, 'interrupted'] as const;
/** The line was part of the text before it was in other languages. */
const noticeOf = messageWords.en.ended;

/** The ending of a turn that was stored while the line was still part of its text, and its parts without it. */
export function endingInText(
  parts: readonly TurnPart[],
): { readonly parts: readonly TurnPart[]; readonly ending: AnswerEnding } | undefined {
  const last = parts.at(-1);
  if (last?.type !== 'text') return undefined;
  const ending = endings.find((one) => last.text.endsWith(noticeOf(one)));
  if (ending === undefined) return undefined;
  const text = last.text.slice(0, -noticeOf(ending).length).trimEnd();
  const before = parts.slice(0, -1);
  return { ending, parts: text === '' && last.provider === undefined ? before : [...before, { ...last, text }] };
}
