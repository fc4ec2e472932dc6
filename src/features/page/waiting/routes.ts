import { isDangerous } from '../../../approval/approval.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type { WaitingCount, WaitingRoom } from '../wire/waiting.ts';
import { cardOf, decidable, mayDecide } from './cards.ts';
import { decide, standing } from './decide.ts';
import { decidedList } from './decided.ts';
import { grantList, revoke } from './grants.ts';
import { contextOf } from './people.ts';
import { mattersFor, undeliveredTo } from './undelivered.ts';
import { waitingWords } from './words.ts';

/** More cards are not told. */
const mostCards = 100;
/** Of changed files, in characters: of each card in a list, and of a card alone. */
const inList = { characters: 100_000 } as const;
const alone = { characters: 2_000_000 } as const;

/** What waits for this person, what was decided, and what they have allowed. */
export const waitingRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'waiting', answer: room },
  { method: 'GET', path: 'waiting/count', answer: count },
  { method: 'GET', path: 'waiting/:id', answer: one },
  { method: 'POST', path: 'decide', answer: decide },
  { method: 'GET', path: 'decided', answer: async (asked, core) => shown(await decidedList(contextOf(asked, core))) },
  { method: 'GET', path: 'decided/:id', answer: ending },
  { method: 'GET', path: 'grants', answer: async (asked, core) => shown(await grantList(contextOf(asked, core))) },
  { method: 'POST', path: 'grants/revoke', answer: revoke },
];

async function room(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const context = contextOf(asked, core);
  const waiting = await decidable(asked, core);
  const told: WaitingRoom = {
    cards: await Promise.all(waiting.slice(0, mostCards).map((approval) => cardOf(approval, context, inList))),
    isCut: waiting.length > mostCards,
    matters: await mattersFor(asked, core),
    undelivered: await undeliveredTo(context),
  };
  return shown(told);
}

async function count(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const waiting = await decidable(asked, core);
  const matters = (await mattersFor(asked, core)).filter(({ buttons }) => buttons.length > 0);
  const undelivered = (await undeliveredTo(contextOf(asked, core))).filter(({ fate }) => fate === 'asks');
  const told: WaitingCount = {
    count: waiting.length + matters.length + undelivered.length,
    dangerous: waiting.filter(isDangerous).length,
  };
  return shown(told);
}

/** One card with all of its texts. Somebody else's is answered as if there was none. */
async function one(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const approval = await core.store.approvals.find(asked.params.id ?? '');
  if (approval?.state !== 'pending' || !mayDecide(approval, asked, core))
    return { status: 404, refusal: (language) => waitingWords[language].gone };
  return shown(await cardOf(approval, contextOf(asked, core), alone));
}

/** How one ended, for those who may know of it. */
async function ending(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  return shown(await standing(asked.params.id ?? '', asked, core));
}
