import type { LanguageCode } from 'grammy/types';
import { commandMenu, type OfferedCommand } from '../../src/contract.ts';

/** What Telegram offers a person who types "/", in one language. */
export interface CommandMenu {
  /** Two letters of ISO 639-1. Left out: for everyone whose language has no menu of its own. */
  readonly language?: LanguageCode;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/** The descriptions of the config: language → command → description. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The menu for everyone, in English, and one for each language. What has no description there has the English one. */
export function commandMenus(descriptions: Descriptions): readonly CommandMenu[] {
  const languages = Object.entries(descriptions).flatMap(([language, own]) =>
    isLanguage(language) ? [{ language, commands: menuWith(own) }] : [],
  );
  return [{ commands: menuWith({}) }, ...languages];
}

/** The settings take any two letters; which of them are a language Telegram knows better. */
function isLanguage(code: string): code is LanguageCode {
  return /^[a-z]{2}$/.test(code);
}

function menuWith(own: Readonly<Record<string, string>>): CommandMenu['commands'] {
  return commandMenu.map((offered) => ({
    command: offered.name,
    description: own[offered.name] ?? englishDescription(offered),
  }));
}

/** Telegram has no place for what is written after a command but its description. */
function englishDescription({ name, description, words }: OfferedCommand): string {
  return words === undefined ? description : `${description}: /${name} ${words}`;
}
