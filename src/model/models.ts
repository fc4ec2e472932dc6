import type { LanguageModel } from './language-model.ts';

/** The models that conversations can choose from. */
export interface Models {
  /** What answers where nobody has chosen another. */
  readonly defaultName: string;
  /** All that can be chosen, the default among them, by their names in the config. */
  readonly names: readonly string[];
  /**
   * The model of that name: the default for none, and for one that the config does not have any more. Opens nothing: that
   * comes with the first request.
   */
  of(name: string | undefined): LanguageModel;
}
