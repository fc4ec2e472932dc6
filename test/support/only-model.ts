import type { LanguageModel } from '../../src/models/language-model.ts';
import type { Models } from '../../src/models/open-models.ts';

/** One model, and no choice. */
export function onlyModel(model: LanguageModel): Models {
  return { defaultName: 'only', names: ['only'], of: () => model };
}
