/* The texts and buttons of questions that the model asks a person. */

import type { Button } from '../contract.ts';
import { escapeMarkdown, oneLine, personWords } from '../lib/plain-text.ts';
import type { Language } from '../lib/words.ts';
import type { AskedQuestion, QuestionApproval } from './approval.ts';
import type { Person } from './cards.ts';
import { approvalWords } from './words.ts';

/** The card of a question, with all options in full. */
export function questionCard({ text, options, wantsText = false }: AskedQuestion, language: Language): string {
  const { writeOrPress, pressOrWrite, justWrite } = approvalWords[language];
  const list = options.map((option, index) => {
    return `${wantsText ? '-' : `${index + 1}.`} ${escapeMarkdown(oneLine(option, 300))}`;
  });
  const how = wantsText ? writeOrPress : pressOrWrite;
  // No block of the model's is taken for one of Keyturn's.
  const asked = text.replaceAll('[!details]', String.raw`\[!details]`);
  return [`❓ ${asked}`, ...(list.length === 0 ? [justWrite] : [list.join('\n'), how])].join('\n\n');
}

/** The card after the answer. */
export function answeredCard(
  { text }: AskedQuestion,
  { person, answer }: { readonly person: Person; readonly answer: string },
  language: Language,
): string {
  const said = { person: personWords(person), answer: escapeMarkdown(oneLine(answer, 300)) };
  return `❓ ${text}\n\n${approvalWords[language].answered(said)}`;
}

/** One button per option: two in a row if they are short or many. */
export function questionButtons({ id, question }: QuestionApproval): readonly (readonly Button[])[] {
  const { options } = question;
  const buttons = options.map((option, index): Button => {
    const label = oneLine(option, longestLabel);
    const shortcut = `${question.wantsText === true ? '#' : ''}${index + 1}`;
    return { actionId: `as:${id}:${index}`, label, shortcut, style: 'plain' };
  });
  const perRow = options.length > mostRows || options.every(({ length }) => length <= shortLabel) ? 2 : 1;
  const rows = Math.ceil(buttons.length / perRow);
  return Array.from({ length: rows }, (_, row) => buttons.slice(row * perRow, (row + 1) * perRow));
}

const longestLabel = 40;
const shortLabel = 15;
/** Rows of buttons, on the platform that allows the fewest. */
const mostRows = 5;

/** Parses a question's button. Anybody can forge it. */
export function parseAnswer(actionId: string): { readonly id: string; readonly index: number } | undefined {
  const [, id, index] = /^as:([a-z0-9]{1,20}):(\d{1,2})$/.exec(actionId) ?? [];
  return id === undefined || index === undefined ? undefined : { id, index: Number(index) };
}

/** The option that the person named by words or number, else their own words. Words win: options may be numbers. */
export function answerMeant(
  { options, wantsText = false }: Pick<AskedQuestion, 'options' | 'wantsText'>,
  text: string,
): string {
  const said = text.trim();
  const byWords = options.find((option) => option.toLowerCase() === said.toLowerCase());
  const byNumber = !wantsText && /^\d{1,2}[.)]?$/.test(said) ? options[Number.parseInt(said, 10) - 1] : undefined;
  return byWords ?? byNumber ?? said;
}
