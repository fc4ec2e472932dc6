import type { InLanguage } from '../lib/words.ts';
import { configWords } from './words.ts';

/** Words in names of tools that read what is a person's own. */
const ownThings =
  /(?:^|_|(?<=\p{Ll})(?=\p{Lu}))(inbox|e?mails?|messages?|chats?|dms?|calendars?|events?|contacts?|drive|files?|documents?|notes?|accounts?|balance|transactions?|iban|statements?|invoices?|salar(?:y|ies)|patients?|health|passwords?|secrets?|tokens?|profile|photos?|locations?|history|sms|user_?info\w*)(?=$|_|\*|\p{Lu})/iu;

/** The note about a tool that only reads, if its name looks as if what it reads is private. Empty if it does not. */
export function privateHint(key: string, tool: string): readonly InLanguage[] {
  const word = ownThings.exec(tool)?.[1]?.toLowerCase();
  return word === undefined ? [] : [(language) => configWords[language].looksPrivate({ key, word })];
}
