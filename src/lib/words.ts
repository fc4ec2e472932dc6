/** The languages that people are spoken to in. */
export const languages = ['en', 'zh'] as const;

export type Language = (typeof languages)[number];

/** The sentences of a folder, in each language: `memoryWords[language].forgotten(count)`. */
export type Catalogue<Words> = Readonly<Record<Language, Words>>;

/** What is said to somebody, in the language that they turn out to read. */
export type InLanguage = (language: Language) => string;

/** What is said, or a text that is the same in each language. */
export type Words = InLanguage | string;

export function wordsIn(language: Language, words: Words): string {
  return typeof words === 'string' ? words : words(language);
}

/** English says which sentences there are and what goes into them; every other language must have the same. */
export function catalogue<Words extends object>(words: {
  readonly en: Words;
  readonly zh: NoInfer<Words>;
}): Catalogue<Words> {
  return words;
}

/**
 * The language of a BCP 47 tag, as platforms tell it: `zh-CN`, `zh_TW`, `en-US`. Chinese in any script is `zh`. Undefined for
 * languages that we do not speak, and for what is no tag.
 */
export function languageOf(tag: string | undefined): Language | undefined {
  if (tag === undefined) return undefined;
  try {
    const { language } = new Intl.Locale(tag.replaceAll('_', '-')).maximize();
    return languages.find((known) => known === language);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The language of this process's messages by POSIX: `LC_ALL`, `LC_MESSAGES`, `LANG`. Undefined for `C`, and if none is set. */
export function languageOfLocale(environment: Readonly<Record<string, string | undefined>>): Language | undefined {
  const { LC_ALL, LC_MESSAGES, LANG } = environment;
  const locale = [LC_ALL, LC_MESSAGES, LANG].find(Boolean);
  const [tag = ''] = locale?.split(/[.@]/) ?? [];
  return tag === 'POSIX' ? undefined : languageOf(tag);
}

/** What a text says about the language that its author writes in. */
export interface Written {
  readonly language: Language;
  /** At least a short sentence. A word alone may be borrowed: `ok`. */
  readonly isClear: boolean;
}

/**
 * The language that a text is written in. Commands, code and links do not count. Undefined if there are no words of a
 * language that we speak: Japanese and Korean are none, though they have Chinese characters.
 */
export function languageOfText(text: string): Written | undefined {
  const prose = text.slice(0, longest).replace(notProse, ' ');
  const others = count(prose, /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu);
  const characters = count(prose, /\p{Script=Han}/gu);
  const words = count(prose, /[a-z]+(?:['’][a-z]+)*/gi);
  // Chinese text borrows Latin words: names, terms. A Chinese word has two characters.
  if (others > 0 || characters + words === 0) return undefined;
  if (characters / 2 >= words) return { language: 'zh', isClear: characters >= 4 };
  // Letters with accents, and other scripts: some language, but not English.
  const foreign = count(prose, /[^\p{Script=Han}\p{Script=Latin}\P{L}]|[\u00df-\u024f]/gu);
  return foreign > words / 4 ? undefined : { language: 'en', isClear: words >= 3 };
}

/** Enough to know. In UTF-16 code units. */
const longest = 2_000;

/** Code, links, addresses, mentions, and commands with their slash. */
const notProse = /```[\s\S]*?(?:```|$)|`[^`\n]*`|https?:\/\/\S+|\S+@\S+|@\S+|(?<!\S)\/\S+/g;

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
