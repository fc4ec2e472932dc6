import type { Button } from '../contract.ts';
import { clockTime } from '../lib/local-time.ts';
import { escapeMarkdown, inlineCode } from '../lib/plain-text.ts';
import type { Approval } from './approval.ts';

/** What a card says that asks whether a run may go on, beside its approval. */
export interface ExtensionContent {
  /** Which bound it has reached, as a markdown sentence. */
  readonly reason: string;
  /** The place that it was asked in, where the card stands somewhere else. */
  readonly forwardedFrom?: string;
}

/** The message that asks whether a run may go on. */
export function extensionCard(approval: Approval, { reason, forwardedFrom }: ExtensionContent): string {
  const place = forwardedFrom === undefined ? '' : ` in ${escapeMarkdown(forwardedFrom)}`;
  const { id, requesterName, requester } = approval;
  return [
    `⏸️ ${reason} May I **${approval.description}**?`,
    `For ${escapeMarkdown(requesterName)} (${inlineCode(requester)})${place}. Until ${clockTime(approval.expiresAt)}; then it ends. Or type ${inlineCode(`/approve ${id}`)}, ${inlineCode(`/deny ${id}`)}.${orWrite(approval)}`,
  ].join('\n\n');
}

/** What the card shows once somebody has decided. */
export function decidedExtension({ description }: Approval, isApproved: boolean, by: string, at: number): string {
  const who = `${escapeMarkdown(by)} at ${clockTime(at)}`;
  return isApproved ? `▶️ ${who} let me ${description}.` : `⏹️ Stopped by ${who}: I did not ${description}.`;
}

/** What is said in the conversation when nobody has decided in time. */
export function unansweredExtension({ extension }: Approval): string {
  const words = '⏸️ Nobody said whether I should go on, so I have stopped here.';
  return extension?.bound === 'turns' ? `${words} Say "go on" if I should continue.` : words;
}

/** What a person is told who says more while it is not decided. */
export function waitingWords({ expiresAt }: Approval): string {
  return `⏳ I have read this, and will answer it when somebody lets me go on: the budget is used up. If nobody does until ${clockTime(expiresAt)}, I drop what I was at.`;
}

/** Pressed like the buttons of other cards. */
export function extensionButtons({ id }: Approval): readonly (readonly Button[])[] {
  return [
    [
      { actionId: `ap:${id}:a`, label: '▶️ Go on for this run', shortcut: 'y', style: 'primary' },
      { actionId: `ap:${id}:d`, label: '⏹️ Stop', shortcut: 'n', style: 'danger' },
    ],
  ];
}

function orWrite({ extension }: Approval): string {
  return extension?.bound === 'turns' ? ' Or just write what I should do.' : '';
}
