import { catalogue } from '../../lib/words.ts';

/** What is wrong with the keys of external code, in the config. */
export const kitSettingWords = catalogue({
  en: {
    either: ({ keys }: { readonly keys: readonly string[] }) => `either "${keys.join('" or "')}" is needed, not both`,
  },
  zh: {
    either: ({ keys }) => `需要 "${keys.join('" 或 "')}"，不能同时写`,
  },
});
