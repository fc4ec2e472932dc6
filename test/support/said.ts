import { approvalWords } from '../../src/approval/words.ts';

/** Why a call is asked for that could carry out what was read, whatever it was. */
export const couldLeak = approvalWords.en.reason({ because: 'could-leak', sources: [], more: 0 });
