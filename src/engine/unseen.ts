import type { Approval } from '../approval/approval.ts';
import { describeApproval, unansweredExtension, unreachableNotice } from '../approval/cards.ts';
import { unreachableResult, unshownResult } from '../words/model-words.ts';
import type { Ending } from './journal.ts';

/** The ending of what nobody has seen and nobody will. Its place is told once, by what stands there for the card. */
export function unreadableEnding(approval: Approval): Ending {
  const outcome = unseenNotice(approval);
  switch (approval.type) {
    case 'permission':
      return { approval, outcome, result: unreachableResult };
    case 'question':
      return { approval, outcome, result: unshownResult };
    case 'extension':
      return { approval, outcome, result: '' };
  }
}

/** Stands for a card that nobody has seen and nobody will. A worker's run is gone on with by the one that called it. */
function unseenNotice(approval: Approval): string {
  const goOn = approval.runsIn === undefined ? ' Say "go on", and I answer without it.' : '';
  switch (approval.type) {
    case 'permission':
      return `${unreachableNotice(approval)}${goOn}`;
    case 'question':
      return `❓ My question could not be shown here as I wrote it: ${describeApproval(approval)}${goOn}`;
    case 'extension':
      return approval.extension.bound === 'turns' ? unansweredExtension(approval) : unreachableNotice(approval);
  }
}
