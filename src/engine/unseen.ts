import type { Approval } from '../approval/approval.ts';
import { describeApproval, unansweredExtension, unreachableNotice } from '../approval/cards.ts';
import type { Language } from '../lib/words.ts';
import { unreachableResult, unshownResult } from '../words/model-words.ts';
import type { Ending } from './journal.ts';
import { engineWords } from './words.ts';

/** The ending of what nobody has seen and nobody will. Its place is told once, by what stands there for the card. */
export function unreadableEnding(approval: Approval): Ending {
  const outcome = (language: Language): string => unseenNotice(approval, language);
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
function unseenNotice(approval: Approval, language: Language): string {
  const words = engineWords[language];
  const withGoOn = (said: string): string => (approval.runsIn === undefined ? words.goOn({ words: said }) : said);
  switch (approval.type) {
    case 'permission':
      return withGoOn(unreachableNotice(approval, language));
    case 'question':
      return withGoOn(words.questionUnshown(describeApproval(approval, language)));
    case 'extension':
      return approval.extension.bound === 'turns'
        ? unansweredExtension(approval, language)
        : unreachableNotice(approval, language);
  }
}
