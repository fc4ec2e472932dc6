import type { Command } from '../../engine/message.ts';
import { nearest } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { type ListAnswer, labelOf, leadingButton } from '../../words/command-buttons.ts';
import { type CommandDefinition, type HelpLine, sections } from './definition.ts';
import { commandWords } from './words.ts';

/** The line of `/help` about a command, if it has one of its own. */
export function helpLine({ section, order, words }: CommandDefinition): HelpLine | undefined {
  return words('en').help === '' ? undefined : { section, order, text: (language) => words(language).help };
}

/** In each section the most used command comes first. */
export function helpText(lines: readonly HelpLine[], isOwner: boolean, language: Language): string {
  const words = commandWords[language];
  const inOrder = lines.toSorted((one, other) => one.order - other.order);
  const listed = sections.flatMap((section) => {
    const own = inOrder.filter((line) => line.section === section && (isOwner || section !== 'owners'));
    if (own.length === 0) return [];
    return [[`**${words.sections[section]}**`, ...own.map(({ text }) => `- ${text(language)}`)].join('\n')];
  });
  return [words.about, ...listed].join('\n\n');
}

/**
 * Says that there is no such command, and which one was probably meant, with a button that is obeyed as that one. `known`:
 * the commands that there are, without the slash.
 */
export function unknownCommand({ name, argument }: Command, known: readonly string[], language: Language): ListAnswer {
  const words = commandWords[language];
  const command = inlineCode(`/${oneLine(name, 60)}`);
  const meant = nearest(name, known);
  if (meant === undefined) return { markdown: words.unknown({ command }), again: '', rows: [] };
  const line = [meant, argument].join(' ').trim();
  return {
    markdown: words.didYouMean({ command, meant: inlineCode(`/${meant}`) }),
    again: '',
    rows: [[leadingButton(labelOf(`/${line}`), line)]],
  };
}

/** The word that somebody has written after a command. */
interface WrittenWord {
  readonly command: string;
  readonly word: string;
}

/** The same for the word after a command. `otherwise`: what to do if none is near. */
export function unknownWordWords(
  { command, word }: WrittenWord,
  known: readonly string[],
  otherwise: string,
  language: Language,
): string {
  const meant = nearest(word, known);
  if (meant === undefined) return otherwise;
  return commandWords[language].didYouMean({
    command: inlineCode(`/${command} ${oneLine(word, 60)}`),
    meant: inlineCode(`/${command} ${meant}`),
  });
}
