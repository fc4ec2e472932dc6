/* Whose a key is, by its form, and keys that cannot be what they should be. Nothing of a key is shown. */

import type { InLanguage } from '../lib/words.ts';
import { spellPath } from './config-error.ts';
import type { Config } from './schema.ts';
import { warningWords } from './warnings/words.ts';

/** The keys of models that somebody has copied with too much, or from another place. */
export function keyWarnings({ models }: Pick<Config, 'models'>): readonly InLanguage[] {
  return Object.entries(models).flatMap(([name, model]) => {
    const written = model.api_key;
    if (written === undefined || written.trim() === '') return [];
    const key = spellPath(['models', name, 'api_key']);
    // Behind an address of one's own, another server takes another key.
    const provider = model.base_url === undefined ? model.provider : 'openai_compatible';
    return keyWarning(key, written, provider) ?? [];
  });
}

function keyWarning(key: string, written: string, provider: string): InLanguage | undefined {
  const value = written.trim();
  if (/^(?:\$\w+|%\w+%|env:\w+|process\.env\.\w+)$/i.test(value))
    return (language) => warningWords[language].keyVariable({ key });
  if (
    /^<.*>$|^(?:sk-)?(?:your|my|insert|replace|paste)[-_ ]?(?:own[-_ ]?)?(?:api[-_ ]?)?(?:key|token)|^(?:sk-)?\.{3,}$|…/i.test(
      value,
    )
  )
    return (language) => warningWords[language].keyPlaceholder({ key });
  if (/^bearer\s/i.test(value)) return (language) => warningWords[language].keyBearer({ key });
  const other = makerOf(value);
  // Any server may stand behind `openai_compatible`.
  if (other !== undefined && provider !== 'openai_compatible' && other.provider !== provider)
    return (language) => warningWords[language].keyOfOther({ key, provider, other: other.title });
  return value === written ? undefined : (language) => warningWords[language].keySpaces({ key });
}

/** Whose keys have a form of their own. */
export interface KeyMaker {
  readonly shape: RegExp;
  /** What takes such a key. */
  readonly provider: 'anthropic' | 'openai' | 'google' | 'openai_compatible';
  readonly title: string;
  /** That usually holds it. */
  readonly variable: string;
  /** Of its API, where the provider alone does not say it. */
  readonly baseUrl?: string;
}

/** Undefined if the form is nobody's, or that of several: `sk-…` alone is OpenAI's of before, and also others'. */
export function makerOf(key: string): KeyMaker | undefined {
  return keyMakers.find(({ shape }) => shape.test(key));
}

export const keyMakers: readonly KeyMaker[] = [
  { shape: /^sk-ant-/, provider: 'anthropic', title: 'Anthropic', variable: 'ANTHROPIC_API_KEY' },
  { shape: /^sk-(?:proj|svcacct|admin)-/, provider: 'openai', title: 'OpenAI', variable: 'OPENAI_API_KEY' },
  { shape: /^(?:AIza|AQ\.)/, provider: 'google', title: 'Google', variable: 'GEMINI_API_KEY' },
  {
    shape: /^sk-or-/,
    provider: 'openai_compatible',
    title: 'OpenRouter',
    variable: 'OPENROUTER_API_KEY',
    baseUrl: 'https://openrouter.ai/api/v1',
  },
  {
    shape: /^gsk_/,
    provider: 'openai_compatible',
    title: 'Groq',
    variable: 'GROQ_API_KEY',
    baseUrl: 'https://api.groq.com/openai/v1',
  },
  {
    shape: /^xai-/,
    provider: 'openai_compatible',
    title: 'xAI',
    variable: 'XAI_API_KEY',
    baseUrl: 'https://api.x.ai/v1',
  },
];
