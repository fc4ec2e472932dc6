import { catalogue } from '../lib/words.ts';

/** What operators are told about a database. */
export const storeWords = catalogue({
  en: {
    left: ({ feature }: { readonly feature: string }) =>
      `The database has tables of the feature "${feature}", which is not part of this Keyturn. They stay as they are, and are used again when it is.`,
  },
  zh: {
    left: ({ feature }) =>
      `数据库里有功能“${feature}”的数据表，但这个 Keyturn 不含该功能。数据原样保留，功能装回后继续使用。`,
  },
});
