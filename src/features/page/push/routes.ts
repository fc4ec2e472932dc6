import { accountOf } from '../../../conversation/access/access.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type { PushKey, PushState } from '../wire/push.ts';
import { ownSigningKey } from './key.ts';
import { refusalOf } from './send.ts';
import { readSubscription } from './subscription.ts';
import { keepSubscription, removeSubscription } from './tables.ts';
import { pushWords } from './words.ts';

/** Browsers of one person. One more takes the place of the oldest. */
const mostOfPerson = 10;

/** Whether this browser is told of what waits while no tab is open. */
export const pushRoutes: readonly PageRoute[] = [
  { method: 'GET', path: 'push/key', answer: keyOf },
  { method: 'POST', path: 'push/subscribe', answer: subscribe, longestBody: 8_192 },
  { method: 'POST', path: 'push/unsubscribe', answer: unsubscribe },
];

/** Nothing is redacted of it: the browser could not use it. */
async function keyOf(_asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const { publicKey: key } = await ownSigningKey(core);
  return { status: 200, body: { key } satisfies PushKey, isClean: true };
}

async function subscribe({ visitor, body }: PageAsked, core: PageCore): Promise<PageAnswer> {
  const { database, accounts, clock, config } = core;
  const subscription = readSubscription(body);
  if (subscription === undefined) return { status: 400, refusal: (language) => pushWords[language].wrong };
  if (refusalOf(new URL(subscription.endpoint), config) !== undefined)
    return { status: 400, refusal: (language) => pushWords[language].refused };
  const own = accounts.accountsOf(visitor.principal);
  const theirs = accounts.devices().filter((device) => own.includes(device.principal));
  const kept = { ...subscription, principal: visitor.principal, createdAt: clock.now() };
  await keepSubscription(database, kept, { accounts: theirs.map(accountOf), most: mostOfPerson });
  return shown({ isSubscribed: true } satisfies PushState);
}

async function unsubscribe({ visitor }: PageAsked, { database }: PageCore): Promise<PageAnswer> {
  await removeSubscription(database, visitor.principal);
  return shown({ isSubscribed: false } satisfies PushState);
}
