/*
 * What people may type. The part that obeys a command owns all of it: its place in menus and `/help`, its words in each
 * language, and who sees it. Menus, `/help`, completion and "did you mean" are derived from the list of what runs.
 */

import type { OfferedCommand } from '../../contract.ts';
import type { Command, Origin } from '../../engine/message.ts';
import type { Catalogue, Language } from '../../lib/words.ts';
import type { GivenCommand } from './given-command.ts';

/** The sections of `/help`, in their order. Only owners see theirs. */
export const sections = ['now', 'here', 'yours', 'owners'] as const;

export type Section = (typeof sections)[number];

/** A command in menus and in `/help`. */
export interface MenuWords {
  /** What it does, in a few words. */
  readonly description: string;
  /** Its arguments, optional ones in brackets; empty if it takes none. */
  readonly argument: string;
  /** Its line of `/help`, which begins with the command. Empty if the line of another command tells of it. */
  readonly help: string;
}

interface Placing {
  readonly section: Section;
  /** Menus begin with the smallest: what is used most. */
  readonly order: number;
  /** It stands on the first page of `/help`, which has room for ten: what is used most. */
  readonly isOften?: true | undefined;
}

/** A command, whether or not it can be obeyed yet. */
export interface CommandDefinition extends Placing {
  readonly name: string;
  readonly words: (language: Language) => MenuWords;
}

/** A line of `/help`. */
export interface HelpLine extends Placing {
  readonly text: (language: Language) => string;
}

/** A command and what it does. */
export interface ObeyedCommand extends CommandDefinition {
  obey(given: GivenCommand): Promise<void>;
}

/** A special form of a command: `/trust here`. It comes before the command of this name, which another part may own. */
export interface CommandVariant {
  readonly name: string;
  takes(command: Command, origin: Origin): boolean;
  readonly help?: HelpLine;
  obey(given: GivenCommand): Promise<void>;
}

/** A command that is also accepted from people who may not talk yet. */
export interface StrangersCommand {
  takes(command: Command): boolean;
  obey(given: GivenCommand): Promise<void>;
}

/** The commands of one part. */
export interface Commands<Name extends string> {
  readonly all: readonly CommandDefinition[];
  /** Ties each command to what it does. None can be forgotten, and there can be no other. */
  obeyed(by: Readonly<Record<Name, ObeyedCommand['obey']>>): readonly ObeyedCommand[];
}

/** The menu of a part's words says which commands it has; each needs a place. */
export function defineCommands<Name extends string>(
  words: Catalogue<{ readonly menu: Readonly<Record<Name, MenuWords>> }>,
  placings: Readonly<Record<NoInfer<Name>, Placing>>,
): Commands<Name> {
  const define = (name: Name): CommandDefinition => ({
    ...placings[name],
    name,
    words: (language) => words[language].menu[name],
  });
  const names = namesOf(words.en.menu);
  return {
    all: names.map(define),
    obeyed: (by) => names.map((name) => ({ ...define(name), obey: by[name] })),
  };
}

function namesOf<Entries extends object>(entries: Entries): readonly Extract<keyof Entries, string>[] {
  const names: Extract<keyof Entries, string>[] = [];
  for (const name in entries) names.push(name);
  return names;
}

/** The commands in the order of menus. Throws if two have the same name. */
export function inMenuOrder(commands: readonly CommandDefinition[]): readonly CommandDefinition[] {
  const names = commands.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw new TypeError(`Two parts have a command /${twice}: only one of them would be obeyed.`);
  return commands.toSorted((one, other) => one.order - other.order);
}

/** The command as channels announce it. */
export function offered({ name, section, words }: CommandDefinition): OfferedCommand {
  const inLanguage = (language: Language) => {
    const { description, argument } = words(language);
    return argument === '' ? { description } : { description, words: argument };
  };
  const seenBy = section === 'owners' ? 'owners' : 'all';
  const isPersonal = section === 'yours';
  return { name, ...inLanguage('en'), translations: { zh: inLanguage('zh') }, seenBy, isPersonal };
}
