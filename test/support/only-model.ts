import type { LanguageModel } from '../../src/model/language-model.ts';
import type { Models } from '../../src/model/models.ts';

/** One model, and no choice. */
export function onlyModel(model: LanguageModel): Models {
  return { defaultName: 'only', names: ['only'], of: () => model };
}
