/* The buttons of cards, for their readers, and what a press of one means. Anybody can forge a press. */

import type { Button } from '../../contract.ts';
import type { Language } from '../../lib/words.ts';
import type { Approval, Choice, PermissionApproval } from '../approval.ts';
import { ruleWords } from '../rules/words.ts';
import { isWholeHash, windowMinutes } from '../verdict.ts';
import { approvalWords } from '../words.ts';
import { cardWords } from './words.ts';

/** Who reads the buttons, and how long a permission for a while holds, in ms. */
interface ButtonsFor {
  readonly language: Language;
  readonly window: number | undefined;
}

type Rows = readonly (readonly Button[])[];

/**
 * The buttons of a card. Without `window`, no permission for a while is offered, and without `grantable` no saved
 * permission at all. Where there is danger, the way out comes first, and the other button says what it does.
 */
export function cardButtons(approval: PermissionApproval, { language, window }: ButtonsFor): Rows {
  const words = cardWords[language];
  const { asked = { others: [], danger: undefined }, grantable } = approval;
  const count = (asked.others ?? []).length + 1;
  const deny = buttonOf(approval, 'd', { label: count === 1 ? words.buttonDeny : words.buttonDenyAll, shortcut: 'n' });
  const more = [
    { ...buttonOf(approval, 'r', { label: words.buttonExplain, shortcut: 'r' }), asks: words.headingWhyNot },
    { ...buttonOf(approval, 'v', { label: words.buttonUnfold, shortcut: 'd' }), unfolds: true } as const,
  ];
  if (asked.danger !== undefined) {
    const label = words.buttonDeed(deedOf(approval, language));
    return [[deny, buttonOf(approval, 'a', { label, shortcut: 'y', style: 'danger' })], more];
  }
  const label = count === 1 ? words.buttonApprove : words.buttonApproveAll(count);
  const decide = [buttonOf(approval, 'a', { label, shortcut: 'y', style: 'primary' }), deny];
  const saved = grantable ? savedButtons(approval, { language, window }) : [];
  return [decide, saved, grantable ? offeredButtons(approval, language) : [], more].filter((row) => row.length > 0);
}

/** Leads to a question: what the rule covers is said there in full. */
function offeredButtons(approval: PermissionApproval, language: Language): readonly Button[] {
  const { toolName, asked: { offer } = {} } = approval;
  if (offer === undefined) return [];
  const label = ruleWords[language].buttonRule({ toolName, scope: offer.scope });
  return [buttonOf(approval, 'p', { label, shortcut: 'p' })];
}

/** What would be allowed from now on, by name. */
function savedButtons(approval: PermissionApproval, { language, window }: ButtonsFor): readonly Button[] {
  const words = cardWords[language];
  const minutes = windowMinutes(window ?? 0);
  const [target = approval.toolName, ...more] = approval.asked?.targets ?? [];
  const { targetName = target } = approval.asked ?? {};
  const forAWhile = approvalWords[language].buttonWindow({ minutes, target: targetName, more: more.length });
  const isCommand = approval.asked?.category === 'shell';
  const always = isCommand ? words.buttonAlwaysCommand : words.buttonAlwaysCall;
  return [
    ...(window === undefined ? [] : [buttonOf(approval, 'w', { label: forAWhile, shortcut: `${minutes}` })]),
    ...(isWholeHash(approval.hash) ? [buttonOf(approval, 's', { label: always, shortcut: 'a' })] : []),
  ];
}

/** Once or not, for a while, always, with a reason; or only a look at what is folded, or at the rule that is offered. */
type Verb = 'a' | 'w' | 's' | 'd' | 'r' | 'v' | 'p';

function buttonOf(
  { id }: Approval,
  verb: Verb,
  { style = 'plain', ...shown }: Pick<Button, 'label' | 'shortcut'> & Partial<Pick<Button, 'style'>>,
): Button {
  return { actionId: `ap:${id}:${verb}`, ...shown, style };
}

/** What the card asks for, as plain text. Undefined if markdown is needed to say it. */
function deedOf({ description, otherwise }: Approval, language: Language): string | undefined {
  const plain = (otherwise?.[language] ?? description).replaceAll('`', '');
  return /[\\*_[\]<>|~\n]/.test(plain) ? undefined : plain;
}

/** The buttons of a card that was shown before, for readers of this language. */
export function buttonsIn(approval: Approval, shown: Rows, language: Language): Rows {
  switch (approval.type) {
    case 'permission': {
      const forAWhile = shown.flat().find(({ actionId }) => actionId.endsWith(':w'));
      const window = forAWhile === undefined ? undefined : Number(forAWhile.shortcut) * 60_000;
      return cardButtons(approval, { language, window });
    }
    case 'extension':
      return extensionButtons(approval, language);
    case 'question':
      return shown;
  }
}

/** Uses the same action ids as other cards. */
export function extensionButtons(approval: Approval, language: Language): Rows {
  const { buttonGoOn, buttonStop } = approvalWords[language];
  return [
    [
      buttonOf(approval, 'a', { label: buttonGoOn, shortcut: 'y', style: 'primary' }),
      buttonOf(approval, 'd', { label: buttonStop, shortcut: 'n' }),
    ],
  ];
}

/** Parses a card's button and its text. */
export function parseAction(actionId: string, text = ''): { readonly id: string; readonly choice: Choice } | undefined {
  const match = /^ap:([a-z0-9]{1,20}):([awsdr])$/.exec(actionId);
  const [, id, verb] = match ?? [];
  if (id === undefined) return undefined;
  switch (verb) {
    case 'a':
      return { id, choice: { type: 'once' } };
    case 'w':
      return { id, choice: { type: 'window' } };
    case 's':
      return { id, choice: { type: 'always' } };
    default:
      return { id, choice: denial(text) };
  }
}

/** The approval whose folded details a press wants to see. */
export function parseUnfolding(actionId: string): string | undefined {
  return /^ap:([a-z0-9]{1,20}):v$/.exec(actionId)?.[1];
}

/** The approval whose offered rule a press wants to see. */
export function parseOffered(actionId: string): string | undefined {
  return /^ap:([a-z0-9]{1,20}):p$/.exec(actionId)?.[1];
}

/** A denial, with the person's reason. */
export function denial(words: string): Choice {
  const reason = words.trim().slice(0, 500).toWellFormed();
  return reason === '' ? { type: 'deny' } : { type: 'deny', reason };
}
