import { callSigns } from '../lib/call-signs.ts';
import { catalogue } from '../lib/words.ts';

/** What was spent of a limit, as people write it: money, or numbers of tokens. */
interface Used {
  readonly spent: string;
  readonly limit: string;
  readonly isMoney: boolean;
}

/** Limits of a run: sentences of markdown, and what it would do after "May I". */
export const budgetWords = catalogue({
  en: {
    turnsTaken: (turns: number) => `I have taken ${turns} ${turns === 1 ? 'turn' : 'turns'} for this and stopped here.`,
    runUsedUp: (used: Used) => `The budget for this ${englishUse(used)}.`,
    personUsedUp: ({ person, timeZone, ...used }: Used & { readonly person: string; readonly timeZone: string }) =>
      `The budget of ${person} ${englishUse(used)} today (${timeZone}).`,
    allUsedUp: ({ timeZone, ...used }: Used & { readonly timeZone: string }) =>
      `Everybody's budget ${englishUse(used)} today (${timeZone}).`,
    moreTurns: (turns: number) => `go on with this for up to ${turns} more ${turns === 1 ? 'turn' : 'turns'}`,
    moreMoney: (money: string) => `go on with this and spend up to ${money} more`,
    moreTokens: (tokens: string) => `go on with this for up to ${tokens} more tokens`,
  },
  zh: {
    turnsTaken: (turns) => `这件事我已做了 ${turns} 轮，先停在这里。`,
    runUsedUp: (used) => `这件事的额度${chineseUse(used)}。`,
    personUsedUp: ({ person, timeZone, ...used }) => `${person} 今日的额度${chineseUse(used)}（${timeZone}）。`,
    allUsedUp: ({ timeZone, ...used }) => `所有人今日的额度${chineseUse(used)}（${timeZone}）。`,
    moreTurns: (turns) => `继续做这件事，最多再用 ${turns} 轮`,
    moreMoney: (money) => `继续做这件事，最多再花 ${money}`,
    moreTokens: (tokens) => `继续做这件事，最多再用 ${tokens} 个 token`,
  },
});

function englishUse({ spent, limit, isMoney }: Used): string {
  return `is used up: ${spent} of ${limit}${isMoney ? '' : ' tokens'}`;
}

function chineseUse({ spent, limit, isMoney }: Used): string {
  return `已用完：用了 ${spent}，上限 ${limit}${isMoney ? '' : ' 个 token'}`;
}

/** The ends of work that was delegated, on the card of its call. */
export const workWords = catalogue({
  en: {
    success: `${callSigns.done} Done.`,
    error: `${callSigns.failed} It came to nothing.`,
    cancelled: `${callSigns.stopped} Stopped.`,
  },
  zh: {
    success: `${callSigns.done} 已完成。`,
    error: `${callSigns.failed} 没有结果。`,
    cancelled: `${callSigns.stopped} 已停止。`,
  },
});
