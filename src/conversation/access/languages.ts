import type { Conversation } from '../../contract.ts';
import type { Origin } from '../../engine/message.ts';
import type { Language, Written } from '../../lib/words.ts';
import type { AccountsOf } from './access.ts';

/** A language as it is stored. `set`: the person has said it · `platform`: it tells it · `written`: they write in it. */
export interface NotedLanguage {
  readonly principal: string;
  readonly source: 'set' | 'platform' | 'written';
  readonly language: Language;
}

/** The language that holds for somebody, and why: see `Languages`. */
export interface HeldLanguage {
  readonly language: Language;
  readonly source: NotedLanguage['source'] | 'config' | 'machine';
}

/** Who says something, and what their event tells of their language. */
export type Speaker = Pick<Origin, 'principal' | 'language' | 'writes'>;

/**
 * Knows which language holds for whom: what they have set for all their accounts · what the platform tells · what they
 * write in · `language` in the config · the machine's · English. In a group, the config comes first, and then the person who began there.
 */
export interface Languages {
  /** For the answer to somebody. */
  of(speaker: Speaker): HeldLanguage;
  /** For the operator, and whom nothing is known of. */
  usual(): Language;
  /** For those who read along: the person of a direct chat, or the group. */
  inConversation(conversation: Conversation): Language;
  /** Somebody who may talk here has said something. */
  learn(speaker: Speaker): void;
  /** What a person has set is stored now; undefined: it is forgotten, for all their accounts. */
  set(principal: string, language: Language | undefined): void;
}

interface LanguageParts {
  readonly noted: readonly NotedLanguage[];
  readonly accountsOf: AccountsOf;
  /** The `language` of the config. */
  readonly configured: () => Language | undefined;
  /** The language of the machine, if it is one that we speak. */
  readonly machine: Language | undefined;
  /** The person who talks in a direct conversation, or who was the first to talk in a group. */
  readonly personIn: (conversation: Conversation) => string | undefined;
  /** Stores what somebody writes in. Returns at once. */
  readonly note: (language: NotedLanguage) => void;
}

interface LanguageContext extends LanguageParts {
  /** By account. */
  readonly known: Readonly<Record<NotedLanguage['source'], Map<string, Language>>>;
  /** Accounts whose last clear message was in another language than those before. */
  readonly wavering: Set<string>;
}

/** What people have set and write in is in memory, and stored. */
export function createLanguages(parts: LanguageParts): Languages {
  const known = {
    set: new Map<string, Language>(),
    platform: new Map<string, Language>(),
    written: new Map<string, Language>(),
  };
  for (const { principal, source, language } of parts.noted) known[source].set(principal, language);
  const context: LanguageContext = { ...parts, known, wavering: new Set() };
  return {
    of: (speaker) => languageOfPerson(speaker, context) ?? usualLanguage(context),
    usual: () => usualLanguage(context).language,
    inConversation: (conversation) => languageIn(conversation, context),
    learn({ principal, language, writes }) {
      if (language !== undefined) known.platform.set(principal, language);
      if (writes !== undefined) hear(principal, writes, context);
    },
    set(principal, language) {
      for (const account of parts.accountsOf(principal)) known.set.delete(account);
      if (language !== undefined) known.set.set(principal, language);
    },
  };
}

function languageOfPerson(
  { principal, language, writes }: Speaker,
  context: LanguageContext,
): HeldLanguage | undefined {
  const accounts = [principal, ...context.accountsOf(principal)];
  const before =
    heldBy(accounts, 'set', context) ??
    (language === undefined ? heldBy(accounts, 'platform', context) : { language, source: 'platform' }) ??
    heldBy(accounts, 'written', context);
  return before ?? (writes === undefined ? undefined : { language: writes.language, source: 'written' });
}

function heldBy(
  accounts: readonly string[],
  source: NotedLanguage['source'],
  { known }: LanguageContext,
): HeldLanguage | undefined {
  const language = accounts.map((account) => known[source].get(account)).find(Boolean);
  return language === undefined ? undefined : { language, source };
}

function usualLanguage({ configured, machine }: LanguageContext): HeldLanguage {
  const inConfig = configured();
  return inConfig === undefined
    ? { language: machine ?? 'en', source: 'machine' }
    : { language: inConfig, source: 'config' };
}

function languageIn(conversation: Conversation, context: LanguageContext): Language {
  const inConfig = conversation.kind === 'group' ? context.configured() : undefined;
  if (inConfig !== undefined) return inConfig;
  const principal = context.personIn(conversation);
  const held = principal === undefined ? undefined : languageOfPerson({ principal }, context);
  return (held ?? usualLanguage(context)).language;
}

/** One message in another language changes nothing: it may be a quote, or something to translate. */
function hear(principal: string, { language, isClear }: Written, { known, wavering, note }: LanguageContext): void {
  if (!isClear) return;
  const before = known.written.get(principal);
  const isOther = before !== undefined && before !== language;
  if (isOther && !wavering.has(principal)) {
    wavering.add(principal);
    return;
  }
  wavering.delete(principal);
  if (before === language) return;
  known.written.set(principal, language);
  note({ principal, source: 'written', language });
}
