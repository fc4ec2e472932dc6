import type { LanguageCode } from 'grammy/types';
import type { OfferedCommand } from '../../src/contract.ts';
import type { TelegramSettings } from './settings.ts';

/** The menu for one language; without one, for all others. */
export interface CommandMenu {
  readonly language: LanguageCode | undefined;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/** The default menu in English, one for each language that we have, and one for each that the config adds or changes. */
export function commandMenus(
  offered: readonly OfferedCommand[],
  descriptions: TelegramSettings['commands'],
): readonly CommandMenu[] {
  const translated = offered.flatMap(({ translations }) => Object.keys(translations));
  const languages = new Set([...translated, ...Object.keys(descriptions)].filter(isLanguage));
  return [undefined, ...languages].map((language) => ({
    language,
    commands: offered.map((command) => ({
      command: command.name,
      description: descriptions[language ?? '']?.[command.name] ?? menuText(command, language ?? ''),
    })),
  }));
}

/** The menu has no field for arguments, so the description shows them. */
function menuText({ name, translations, ...english }: OfferedCommand, language: string): string {
  const { description, words } = translations[language] ?? english;
  const colon = language === 'zh' ? '：' : ': ';
  return words === undefined ? description : `${description}${colon}/${name} ${words}`;
}

/** The settings accept any two letters; Telegram checks that they are a language. */
function isLanguage(code: string): code is LanguageCode {
  return /^[a-z]{2}$/.test(code);
}
