import { type Language, languages } from '../../../lib/words.ts';
import { actingButton, type ListAnswer } from '../../../words/command-buttons.ts';
import type { HeldLanguage } from '../../access/languages.ts';
import type { ConversationCore } from '../../conversation-core.ts';
import type { CommandEffects } from '../../effects.ts';
import type { GivenCommand } from '../given-command.ts';
import { languageWords } from './words.ts';

interface LanguageParts extends Pick<ConversationCore, 'languages' | 'accounts'> {
  readonly effects: Pick<CommandEffects, 'language'>;
}

/** `/language`: shows which language holds for the person, and why; sets it, or forgets what they have set. */
export async function chooseLanguage(given: GivenCommand, parts: LanguageParts): Promise<void> {
  const { argument, origin, answer, list } = given;
  parts.languages.learn(origin);
  const held = parts.languages.of(origin);
  const words = languageWords[held.language];
  if (argument === '') return list({ markdown: words.held(held), again: 'language', rows: rowsFor(held) });
  if (/^(?:off|reset|none|default)$/i.test(argument)) return set(given, undefined, parts);
  const language = named(argument);
  return language === undefined ? answer(words.unknown) : set(given, language, parts);
}

/** The languages, and a way back to what holds by itself. */
function rowsFor({ language, source }: HeldLanguage): ListAnswer['rows'] {
  const others = languages.filter((one) => one !== language);
  const choices = (source === 'set' ? others : languages).map((one) =>
    actingButton(languageWords[one].buttonName, `language ${one}`),
  );
  return [
    [...choices, ...(source === 'set' ? [actingButton(languageWords[language].buttonForget, 'language off')] : [])],
  ];
}

async function set(
  { origin, obey }: GivenCommand,
  language: Language | undefined,
  { languages: heldLanguages, accounts, effects }: LanguageParts,
): Promise<void> {
  const { principal } = origin;
  const effect = effects.language(language, accounts.accountsOf(principal));
  const words = languageWords[language ?? heldLanguages.of(origin).language];
  const obeyed = await obey(effect, () => (language === undefined ? words.forgotten : words.set));
  if (obeyed.status === 'done') heldLanguages.set(principal, language);
}

/** The language that a person names, in either language. */
function named(name: string): Language | undefined {
  if (/^(?:en(?:[-_]\w+)?|english|英文|英语|英語)$/i.test(name)) return 'en';
  return /^(?:zh(?:[-_]\w+)*|cn|chinese|mandarin|[简繁簡]?[体體]?中文|[汉漢][语語]|普通话)$/i.test(name)
    ? 'zh'
    : undefined;
}
