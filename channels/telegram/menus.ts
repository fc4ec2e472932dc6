import type { LanguageCode } from 'grammy/types';
import type { OfferedCommand } from '../../src/contract.ts';
import type { TelegramSettings } from './settings.ts';

/** Who sees a menu: everybody else · everybody in groups · the person of a direct chat. */
export type MenuScope =
  | { readonly type: 'default' }
  | { readonly type: 'all_group_chats' }
  | { readonly type: 'chat'; readonly chat_id: number };

/** The menu for one language; without one, for all others. */
export interface CommandMenu {
  readonly scope: MenuScope;
  readonly language: LanguageCode | undefined;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/**
 * The menu of these readers: in English, in each language that we have, and in each that the config adds or changes. Friends
 * do not see what is for owners, and groups nothing that is about one person.
 */
export function commandMenus(
  offered: readonly OfferedCommand[],
  descriptions: TelegramSettings['commands'],
  scope: MenuScope,
): readonly CommandMenu[] {
  const translated = offered.flatMap(({ translations }) => Object.keys(translations));
  const languages = new Set([...translated, ...Object.keys(descriptions)].filter(isLanguage));
  const seen = offered.filter((command) => isFor(command, scope));
  return [undefined, ...languages].map((language) => ({
    scope,
    language,
    commands: seen.map((command) => ({
      command: command.name,
      description: descriptions[language ?? '']?.[command.name] ?? menuText(command, language ?? ''),
    })),
  }));
}

function isFor({ seenBy, isPersonal }: OfferedCommand, { type }: MenuScope): boolean {
  switch (type) {
    case 'default':
      return seenBy === 'all';
    case 'all_group_chats':
      return seenBy === 'all' && isPersonal !== true;
    case 'chat':
      return true;
  }
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
