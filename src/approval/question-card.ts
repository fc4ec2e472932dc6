import type { Button } from '../contract.ts';
import { escapeMarkdown, oneLine } from '../lib/plain-text.ts';
import type { Approval, AskedQuestion } from './approval.ts';

/** The message that asks what the model wants to know, with all options in full. */
export function questionCard({ text, options, wantsText = false }: AskedQuestion): string {
  const list = options.map((option, index) => {
    return `${wantsText ? '-' : `${index + 1}.`} ${escapeMarkdown(oneLine(option, 300))}`;
  });
  const how = wantsText ? 'Write your answer, or press a button.' : 'Press a button, or write your own answer.';
  return [`❓ ${text}`, ...(list.length === 0 ? ['Just write your answer.'] : [list.join('\n'), how])].join('\n\n');
}

/** What the card shows once it is answered. */
export function answeredCard({ text }: AskedQuestion, by: string, answer: string): string {
  return `❓ ${text}\n\n💬 ${escapeMarkdown(by)}: ${escapeMarkdown(oneLine(answer, 300))}`;
}

/** One button for each option: two in a row where they are short, or where there are many. */
export function questionButtons({ id, question }: Approval): readonly (readonly Button[])[] {
  const options = question?.options ?? [];
  const buttons = options.map((option, index): Button => {
    const label = oneLine(option, longestLabel);
    const shortcut = `${question?.wantsText === true ? '#' : ''}${index + 1}`;
    return { actionId: `as:${id}:${index}`, label, shortcut, style: 'plain' };
  });
  const perRow = options.length > mostRows || options.every(({ length }) => length <= shortLabel) ? 2 : 1;
  const rows = Math.ceil(buttons.length / perRow);
  return Array.from({ length: rows }, (_, row) => buttons.slice(row * perRow, (row + 1) * perRow));
}

const longestLabel = 40;
const shortLabel = 15;
/** Of buttons, on the platform that takes the fewest. */
const mostRows = 5;

/** Reads a button of a question. Anybody may have made it up. */
export function parseAnswer(actionId: string): { readonly id: string; readonly index: number } | undefined {
  const [, id, index] = /^as:([a-z0-9]{1,20}):(\d{1,2})$/.exec(actionId) ?? [];
  return id === undefined || index === undefined ? undefined : { id, index: Number(index) };
}

/** What a person means who writes an option's words or its number; else what he wrote. Words count first: they may be numbers. */
export function answerMeant(
  { options, wantsText = false }: Pick<AskedQuestion, 'options' | 'wantsText'>,
  text: string,
): string {
  const said = text.trim();
  const byWords = options.find((option) => option.toLowerCase() === said.toLowerCase());
  const byNumber = !wantsText && /^\d{1,2}[.)]?$/.test(said) ? options[Number.parseInt(said, 10) - 1] : undefined;
  return byWords ?? byNumber ?? said;
}
