/* The texts of `--help`: one screen for the program, and one for each command. */

import { breakRows, textWidth } from '../../lib/text-width.ts';
import type { Language } from '../../lib/words.ts';
import { membersOf } from '../arguments.ts';
import { columns } from '../columns.ts';
import { type CliCommand, type CliOption, sections } from './command.ts';
import { commands } from './index.ts';
import { commandListWords } from './words.ts';

/** The help of a command, of a group of commands (`config`), or of the program (an empty name). `program`: how it is started. */
export function helpText(of: string, program: string, language: Language): string {
  const command = commands.find(({ name }) => name === of);
  const rows =
    command === undefined || of === '' ? listHelp(of, program, language) : commandHelp(command, program, language);
  return `${rows.join('\n')}\n`;
}

/** In columns. */
const widest = 100;

function commandHelp(command: CliCommand, program: string, language: Language): readonly string[] {
  const say = commandListWords[language];
  const { summary, more } = command.words(language);
  const usage = say.usageRow({ usage: usageOf(command, program, language) });
  const indent = textWidth(usage) - textWidth(usageOf(command, program, language));
  return [
    ...breakRows(usage, widest - indent, 0).map((row, at) => (at === 0 ? row : `${' '.repeat(indent)}${row}`)),
    '',
    summary,
    '',
    ...columns(optionRows(command, language)),
    ...membersRows(command.name, language),
    ...(more === undefined ? [] : ['', ...more.split('\n')]),
  ];
}

/** What there is below a command that has others below it. */
function membersRows(name: string, language: Language): readonly string[] {
  const members = membersOf(name);
  return members.length === 0 ? [] : ['', ...columns(members.map((member) => summaryRow(member, language)))];
}

function listHelp(group: string, program: string, language: Language): readonly string[] {
  const say = commandListWords[language];
  if (group !== '') {
    const rows = membersOf(group).map((member) => summaryRow(member, language));
    return [say.usageRow({ usage: `${program} ${group} COMMAND` }), '', ...columns(rows)];
  }
  const [start] = commands;
  const starting = start === undefined ? program : usageOf(start, program, language);
  const usage = say.usageRow({ usage: starting });
  const indent = ' '.repeat(textWidth(usage) - textWidth(starting));
  return [
    usage,
    `${indent}${program} COMMAND [--config FILE] [--json]`,
    ...sections.flatMap((section) => sectionRows(section, language)),
    '',
    ...columns([
      ...(start === undefined ? [] : optionRows(start, language)),
      ['--json', say.options.json],
      ['--version', say.options.version],
    ]),
    '',
    say.commandHelp({ command: program }),
    say.where,
  ];
}

function sectionRows(section: CliCommand['section'], language: Language): readonly string[] {
  const say = commandListWords[language];
  const within = commands.filter((command) => command.section === section && command.name !== '');
  if (within.length === 0) return [];
  const names = [...new Set(within.map(({ name }) => name.split(' ')[0] ?? ''))];
  const rows = names.map((name): Row => {
    const command = commands.find((one) => one.name === name);
    if (command !== undefined) return summaryRow(command, language);
    const [only, ...others] = membersOf(name);
    const groups: Readonly<Record<string, string>> = say.groups;
    return only !== undefined && others.length === 0 ? summaryRow(only, language) : [name, groups[name] ?? ''];
  });
  return ['', say.sections[section], ...columns(rows)];
}

type Row = readonly [string, string];

function summaryRow(command: CliCommand, language: Language): Row {
  return [command.name, command.words(language).summary];
}

function usageOf({ name, options = [], hasJson, words }: CliCommand, program: string, language: Language): string {
  const { operands } = words(language);
  const own = options.map((option) => `[--${spelt(option)}]`);
  const all = [program, name, operands ?? '', ...own, hasJson === true ? '[--json]' : '', '[--config FILE]'];
  return all.filter((part) => part !== '').join(' ');
}

function spelt({ name, takes }: Pick<CliOption, 'name' | 'takes'>): string {
  return takes === undefined ? name : `${name} ${takes}`;
}

function shortOf({ short }: CliOption): string {
  return short === undefined ? '' : `-${short}, `;
}

function optionRows({ options = [], hasJson }: CliCommand, language: Language): readonly Row[] {
  const say = commandListWords[language].options;
  return [
    ...options.map((option): Row => [`${shortOf(option)}--${spelt(option)}`, option.words(language)]),
    ...(hasJson === true ? [['--json', say.json] as const] : []),
    ['--config FILE', say.config],
    ['--help', say.help],
  ];
}
