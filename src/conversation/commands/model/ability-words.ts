import type { Language } from '../../../lib/words.ts';
import type { LanguageModel } from '../../../models/language-model.ts';
import { modelWords } from './words.ts';

type AbilitiesOf = Pick<LanguageModel, 'abilities' | 'ownAbilities'>;

/** What is known of a model, and where from, in a line of plain text; empty if nothing is. */
export function abilityWords({ abilities, ownAbilities = abilities }: AbilitiesOf, language: Language): string {
  const words = modelWords[language];
  const { window, windowFrom, tools, toolsFrom, images, imagesFrom, server } = ownAbilities?.() ?? {};
  const known = [
    ...(window === undefined || windowFrom === undefined ? [] : [words.window({ window, from: windowFrom, server })]),
    ...(tools === undefined || toolsFrom === undefined ? [] : [words.toolCalls({ tools, from: toolsFrom, server })]),
    ...(images === undefined || imagesFrom === undefined ? [] : [words.images({ images, from: imagesFrom, server })]),
  ];
  return words.abilities({ known });
}
