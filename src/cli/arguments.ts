import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { nearest } from '../lib/nearest.ts';
import type { Language } from '../lib/words.ts';
import { type CliCommand, optionNames } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { cliWords } from './words.ts';

export type Arguments =
  | {
      readonly type: 'command';
      readonly command: CliCommand;
      /** The options that were given, by name: their values, or true. */
      readonly given: ReadonlyMap<string, string | true>;
      readonly operands: readonly string[];
    }
  /** Of a command, a group of commands (`config`), or the whole program (an empty name). */
  | { readonly type: 'help'; readonly of: string }
  | { readonly type: 'version' }
  | { readonly type: 'wrong'; readonly reason: string };

/**
 * Parses the command-line arguments. What is wrong with them is said in this language. `ofChat`: the commands of chats,
 * which people also try here.
 */
export function readArguments(
  words: readonly string[],
  ofChat: readonly string[],
  language: Language = 'en',
): Arguments {
  const say = cliWords[language];
  // Which options there are depends on the command, and where that stands on them: an option is alike in all commands.
  const loose = parseArgs({ args: [...words], allowPositionals: true, strict: false, options: optionsOf(commands) });
  const command = commandOf(loose.positionals);
  if (loose.values.help === true) return { type: 'help', of: command?.name ?? groupOf(loose.positionals) };
  if (loose.values.version === true) return { type: 'version' };
  if (command === undefined) {
    // An option that there is not may have hidden the command.
    const fault = optionFaultOf(words, commands, language);
    return { type: 'wrong', reason: fault ?? unknownCommand(loose.positionals, ofChat, language) };
  }
  const fault = optionFaultOf(words, [command], language);
  if (fault !== undefined) return { type: 'wrong', reason: fault };
  const given = givenOptions(loose.values);
  if (given.has('strict') && given.has('last-good')) return { type: 'wrong', reason: say.oneOfTwo };
  const operands = loose.positionals.slice(wordsIn(command).length);
  const reason = operandFault(command, operands, language);
  return reason === undefined ? { type: 'command', command, given, operands } : { type: 'wrong', reason };
}

function optionsOf(of: readonly CliCommand[]): ParseArgsOptionsConfig {
  const own = of.flatMap(({ options = [] }) => options);
  return {
    config: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
    version: { type: 'boolean', short: 'v' },
    ...(of.some(({ hasJson }) => hasJson === true) && { json: { type: 'boolean' } }),
    ...Object.fromEntries(
      own.map(({ name, short, takes }) => {
        const type = takes === undefined ? 'boolean' : 'string';
        return [name, short === undefined ? { type } : { type, short }] as const;
      }),
    ),
  };
}

function wordsIn({ name }: CliCommand): readonly string[] {
  return name === '' ? [] : name.split(' ');
}

/** The command with the longest name that these words begin with. */
function commandOf(positionals: readonly string[]): CliCommand | undefined {
  if (positionals.length === 0) return commands.find(({ name }) => name === '');
  const begun = commands.filter(
    (command) => command.name !== '' && wordsIn(command).every((word, index) => positionals[index] === word),
  );
  return begun.toSorted((one, other) => wordsIn(other).length - wordsIn(one).length)[0];
}

/** The group of commands that the first word names; else the program. */
function groupOf([first = '']: readonly string[]): string {
  return membersOf(first).length > 0 ? first : '';
}

/** The commands whose names begin with this word, and have more. */
export function membersOf(group: string): readonly CliCommand[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `));
}

function givenOptions(
  values: Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>,
): ReadonlyMap<string, string | true> {
  return new Map(
    Object.entries(values).flatMap(([name, value]) =>
      value === true || typeof value === 'string' ? [[name, value] as const] : [],
    ),
  );
}

/** What is wrong with the number of the words behind a command. */
function operandFault(command: CliCommand, operands: readonly string[], language: Language): string | undefined {
  const { name, operands: { least, most } = { least: 0, most: 0 } } = command;
  const say = cliWords[language];
  const takes = command.words(language).operands;
  if (operands.length < least) return say.lacksOperand({ name, takes: takes ?? '' });
  const extra = operands[most];
  return extra === undefined ? undefined : say.extraOperand({ name, extra, takes });
}

/** Words that people try, and that are options here. */
const wordsOfOptions: ReadonlyMap<string, string> = new Map([
  ['help', '--help'],
  ['version', '--version'],
]);

/** What is wrong with these words, and what was probably meant: a command of this program, or one of the chat. */
function unknownCommand(words: readonly string[], ofChat: readonly string[], language: Language): string {
  const say = cliWords[language];
  const written = words.join(' ');
  const [first = ''] = words;
  const name = first.replace(/^\//, '').toLowerCase();
  if (isStart(name)) return say.startsWithout({ written });
  const members = membersOf(first);
  if (words.length === 1 && members.length > 1)
    return say.groupNeeds({ group: first, commands: members.map((member) => member.name) });
  const isOfChat = ofChat.includes(name) && (first.startsWith('/') || !wordsOfOptions.has(name));
  if (isOfChat && first.startsWith('/')) return say.chatCommand({ name });
  const names = commands.map((command) => command.name).filter((known) => known !== '');
  const part = names.find((known) => known.endsWith(` ${name}`)) ?? names.find((known) => known.startsWith(`${name} `));
  const isLast = part?.endsWith(` ${name}`) === true ? part : undefined;
  const own = wordsOfOptions.get(name) ?? isLast ?? nearest(written, names) ?? part ?? nearest(first, names);
  if (own !== undefined && (!isOfChat || part !== undefined)) return say.meantCommand({ written, meant: own });
  if (isOfChat) return say.chatCommand({ name });
  const meant = nearest(name, ofChat);
  return meant === undefined ? say.noCommand({ written }) : say.meantChatCommand({ written, meant });
}

function isStart(name: string): boolean {
  return name === 'start' || name === 'run' || name === 'serve';
}

/** What is wrong with an option, for these commands. */
function optionFaultOf(words: readonly string[], of: readonly CliCommand[], language: Language): string | undefined {
  try {
    parseArgs({ args: [...words], allowPositionals: true, strict: true, options: optionsOf(of) });
    return undefined;
  } catch (error) {
    const [reason = ''] = String(error instanceof Error ? error.message : error).split(/(?<=\.) /);
    return optionFault(reason, of, language);
  }
}

/** What is wrong with an option, and the option that is near if it is unknown. */
function optionFault(reason: string, of: readonly CliCommand[], language: Language): string {
  const say = cliWords[language];
  const unknown = /^Unknown option '([^'=]+)/.exec(reason)?.[1];
  if (unknown !== undefined) {
    const name = unknown.replace(/^-+/, '');
    const [only] = of.length === 1 ? of : [];
    if (only !== undefined && commands.some((command) => optionNames(command).includes(name)))
      return say.optionOfOthers({ option: unknown, command: only.name });
    const fault = say.unknownOption({ reason, option: unknown });
    const meant = nearest(name, [...of.flatMap(optionNames), ...commands.flatMap(optionNames), 'version']);
    return meant === undefined ? fault : say.meantOption({ reason: fault, meant });
  }
  const lacks = /^Option '(?:-\w, )?(-[^' ]+)[^']*' argument (?:missing|is ambiguous)/.exec(reason)?.[1];
  if (lacks !== undefined) return say.optionLacksValue({ reason, option: lacks });
  const takesNone = /^Option '(?:-\w, )?(-[^' ]+)' does not take an argument/.exec(reason)?.[1];
  return takesNone === undefined ? reason : say.optionTakesNoValue({ reason, option: takesNone });
}
