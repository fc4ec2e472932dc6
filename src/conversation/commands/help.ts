import type { Command } from '../../engine/message.ts';
import { nearest } from '../../lib/nearest.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { type ListAnswer, labelOf, leadingButton } from '../../words/command-buttons.ts';
import { type CommandDefinition, type HelpLine, sections } from './definition.ts';
import { commandWords } from './words.ts';

/** The line of `/help` about a command, if it has one of its own. */
export function helpLine({ section, order, isOften, words }: CommandDefinition): HelpLine | undefined {
  if (words('en').help === '') return undefined;
  return { section, order, isOften, text: (language) => words(language).help };
}

/** Who asks for help, and where. */
interface Helped {
  readonly isOwner: boolean;
  readonly isInGroup: boolean;
  readonly language: Language;
}

/** What there is to help with: the lines in any order, and the commands. */
interface HelpParts {
  readonly lines: readonly HelpLine[];
  readonly menu: readonly CommandDefinition[];
}

/** `/help`: the page that people see first; `all`: all of it; the name of a command: that one. */
export function help(argument: string, parts: HelpParts, helped: Helped): ListAnswer {
  const name = argument.replace(/^\//, '').toLowerCase();
  if (name === '') return firstPage(parts, helped);
  if (name === allWord) return allOfHelp(parts, helped);
  return helpWith(name, parts, helped);
}

const allWord = 'all';

/** Three things to say, and what is used most of what this person can do there: at most fifteen lines. */
function firstPage({ lines }: HelpParts, { isOwner, isInGroup, language }: Helped): ListAnswer {
  const { about, moreHelp, buttonAllCommands } = commandWords[language];
  const often = inOrder(lines)
    .filter(({ isOften }) => isOften === true)
    // In a group, what is about the person who asks is answered with "not here".
    .filter(({ section }) => (section === 'owners' ? isOwner && !isInGroup : section !== 'yours' || !isInGroup))
    .map(({ text }) => `- ${text(language)}`);
  return {
    markdown: [about, often.join('\n'), moreHelp].join('\n\n'),
    again: 'help',
    rows: [[leadingButton(buttonAllCommands, `help ${allWord}`)]],
  };
}

/** In each section the most used command comes first. */
function allOfHelp({ lines }: HelpParts, { isOwner, language }: Helped): ListAnswer {
  const words = commandWords[language];
  const listed = sections.flatMap((section) => {
    const own = inOrder(lines).filter((line) => line.section === section && (isOwner || section !== 'owners'));
    if (own.length === 0) return [];
    return [[`**${words.sections[section]}**`, ...own.map(({ text }) => `- ${text(language)}`)].join('\n')];
  });
  return {
    markdown: [words.about, ...listed].join('\n\n'),
    again: `help ${allWord}`,
    rows: [[leadingButton(words.buttonBack, 'help')]],
  };
}

/** What one command does, and each line that tells of it. Others' commands are told of, too: what they do is no secret. */
function helpWith(name: string, { lines, menu }: HelpParts, { language }: Helped): ListAnswer {
  const known = menu.find((one) => one.name === name);
  if (known === undefined) return unknownCommand({ name, argument: '' }, namesIn(menu), language, 'help ');
  const { description, argument } = known.words(language);
  const ofIt = inOrder(lines)
    .map(({ text }) => text(language))
    .filter((text) => text.split('`').some((code) => code.split(' ')[0] === `/${name}`));
  const command = inlineCode(`/${[name, argument].join(' ').trim()}`);
  return {
    markdown: [commandWords[language].helpWith({ command, description }), ...ofIt.map((text) => `- ${text}`)].join(
      '\n',
    ),
    again: `help ${name}`,
    rows: [],
  };
}

function inOrder(lines: readonly HelpLine[]): readonly HelpLine[] {
  return lines.toSorted((one, other) => one.order - other.order);
}

function namesIn(menu: readonly CommandDefinition[]): readonly string[] {
  return menu.map(({ name }) => name);
}

/**
 * Says that there is no such command, and which one was probably meant, with a button that is obeyed as that one. `known`:
 * the commands that there are, without the slash. `before`: what the button's line begins with.
 */
export function unknownCommand(
  { name, argument }: Command,
  known: readonly string[],
  language: Language,
  before = '',
): ListAnswer {
  const words = commandWords[language];
  const command = inlineCode(`/${oneLine(name, 60)}`);
  const meant = nearest(name, known);
  if (meant === undefined) return { markdown: words.unknown({ command }), again: '', rows: [] };
  const line = `${before}${[meant, argument].join(' ').trim()}`;
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
