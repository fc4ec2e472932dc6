/* Keys that cannot be what they should be, by their form. Nothing of a key is shown. */

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
  const other = makers.find(([form]) => form.test(value));
  // Any server may stand behind `openai_compatible`.
  if (other !== undefined && provider !== 'openai_compatible' && other[1] !== provider)
    return (language) => warningWords[language].keyOfOther({ key, provider, other: other[2] });
  return value === written ? undefined : (language) => warningWords[language].keySpaces({ key });
}

/** By their forms, the special ones first: the provider that takes such a key, and whose it is. */
const makers: readonly (readonly [form: RegExp, provider: string, maker: string])[] = [
  [/^sk-ant-/, 'anthropic', 'Anthropic'],
  [/^sk-or-/, 'openai_compatible', 'OpenRouter'],
  [/^gsk_/, 'openai_compatible', 'Groq'],
  [/^xai-/, 'openai_compatible', 'xAI'],
  [/^(?:AIza|AQ\.)/, 'google', 'Google'],
  [/^sk-(?:proj|svcacct|admin)-/, 'openai', 'OpenAI'],
];
