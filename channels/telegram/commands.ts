import type { LanguageCode } from 'grammy/types';
import { commandNames } from './settings.ts';

type CommandName = (typeof commandNames)[number];

/** What Telegram offers a person who types "/", in one language. */
export interface CommandMenu {
  /** Two letters of ISO 639-1. Left out: for everyone whose language has no menu of its own. */
  readonly language?: LanguageCode;
  readonly commands: readonly { readonly command: string; readonly description: string }[];
}

/** The core obeys these commands; here they are only announced. */
const english: Readonly<Record<CommandName, string>> = {
  approve: 'Let a waiting tool call run: /approve ID',
  deny: 'Refuse a waiting tool call: /deny ID [reason]',
  grants: 'Show the standing permissions',
  revoke: 'End a standing permission: /revoke ID',
  stop: 'Stop what is being done in this conversation',
  new: 'Begin a clean conversation',
  status: 'Show what is running and what waits',
  tools: 'List the tools that can be used here',
  help: 'Explain what can be done here',
  claim: 'Become the owner: /claim CODE',
  pair: 'Let somebody in who has a code: /pair CODE',
  people: 'Show who may talk with me',
  unpair: 'Let somebody in no longer: /unpair ID',
};

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
  return commandNames.map((command) => ({ command, description: own[command] ?? english[command] }));
}
