import { type Approval, needsButtons } from '../../approval/approval.ts';
import { denial } from '../../approval/asking/card-buttons.ts';
import { buttonsWords, whichWords } from '../../engine/answer-card.ts';
import type { Approvals } from '../../engine/decide.ts';
import type { Language } from '../../lib/words.ts';
import { addingButton, inRows, type ListAnswer } from '../../words/command-buttons.ts';
import type { GivenCommand } from './given-command.ts';
import { statusWords } from './reports/words.ts';
import { commandWords } from './words.ts';

interface DecisionParts {
  readonly approvals: Pick<Approvals, 'decide' | 'isApproval' | 'openHere'>;
}

/**
 * `/approve ID` and `/deny ID reason`; without an id, the only approval that is open here. Where it is not clear which one is
 * meant, or a yes is not enough, buttons show the cards again.
 */
export async function decide(
  { argument, origin, answer, list, reader }: GivenCommand,
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
  if (typeof meant !== 'string') return list({ ...meant, again: '' });
  const words = await approvals.decide(origin, isId ? meant : { onlyOpen: meant }, choice);
  if (words !== undefined) await answer(words);
}

/** The id of the only approval that is meant, or words about why it is not clear which. */
function onlyOne(
  open: readonly Approval[],
  verb: 'approve' | 'deny',
  language: Language,
): string | Pick<ListAnswer, 'markdown' | 'rows'> {
  const [only, ...others] = open;
  if (only === undefined) return { markdown: commandWords[language].nothingToDecide, rows: [] };
  if (others.length > 0) return { markdown: whichWords(verb, open, language), rows: showing(open, language) };
  if (verb === 'deny' || !needsButtons(only)) return only.id;
  return { markdown: buttonsWords(only, language), rows: showing([only], language) };
}

/** Each puts the card at the bottom again. */
function showing(open: readonly Approval[], language: Language): ListAnswer['rows'] {
  const label = (index: number): string =>
    open.length === 1 ? statusWords[language].buttonShow : `${statusWords[language].buttonShow} ${index + 1}`;
  return inRows(open.slice(0, mostShown).map(({ id }, index) => addingButton(label(index), `status ${id}`)));
}

const mostShown = 12;

/** The first word of a decision, whatever signs stand around it, and what follows. */
function approvalNamed(argument: string): { readonly word: string; readonly rest: string } {
  const said = argument.normalize('NFKC');
  const [, word = '', rest = ''] = /^[^\p{L}\p{N}]*([a-z0-9]*)([\s\S]*)$/iu.exec(said) ?? [];
  return { word: word.toLowerCase(), rest: rest.replace(/^[\s\p{P}]+/u, '') };
}
