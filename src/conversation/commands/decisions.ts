import { type Approval, needsButtons } from '../../approval/approval.ts';
import { denial } from '../../approval/asking/card-buttons.ts';
import { buttonsWords, whichWords } from '../../engine/answer-card.ts';
import type { Approvals } from '../../engine/decide.ts';
import type { Language } from '../../lib/words.ts';
import type { GivenCommand } from './given-command.ts';
import { commandWords } from './words.ts';

interface DecisionParts {
  readonly approvals: Pick<Approvals, 'decide' | 'isApproval' | 'openHere'>;
}

/** `/approve ID` and `/deny ID reason`; without an id, the only approval that is open here. */
export async function decide(
  { argument, origin, answer, reader }: GivenCommand,
  verb: 'approve' | 'deny',
  { approvals }: DecisionParts,
): Promise<void> {
  const open = await approvals.openHere(origin);
  const { word, rest } = approvalNamed(argument);
  // A reason may begin with any word, as in "100 files are too many". What looks like an id may be one with a slip.
  const isLikeId = verb === 'approve' ? word !== '' : /^(?=.*\d)[a-z0-9]{7,9}$/.test(word);
  const isId = isLikeId || (await approvals.isApproval(word));
  const meant = isId ? word : onlyOne(open, verb, reader.language);
  const choice = verb === 'approve' ? ({ type: 'once' } as const) : denial(isId ? rest : argument);
  const words = typeof meant === 'string' ? await approvals.decide(origin, meant, choice) : meant.words;
  if (words !== undefined) await answer(words);
}

/** The id of the only approval that is meant, or words about why it is not clear which. */
function onlyOne(
  open: readonly Approval[],
  verb: 'approve' | 'deny',
  language: Language,
): string | { readonly words: string } {
  const [only, ...others] = open;
  if (only === undefined) return { words: commandWords[language].nothingToDecide };
  if (others.length > 0) return { words: whichWords(verb, open, language) };
  return verb === 'approve' && needsButtons(only) ? { words: buttonsWords(only, language) } : only.id;
}

/** The first word of a decision, whatever signs stand around it, and what follows. */
function approvalNamed(argument: string): { readonly word: string; readonly rest: string } {
  const said = argument.normalize('NFKC');
  const [, word = '', rest = ''] = /^[^\p{L}\p{N}]*([a-z0-9]*)([\s\S]*)$/iu.exec(said) ?? [];
  return { word: word.toLowerCase(), rest: rest.replace(/^[\s\p{P}]+/u, '') };
}
