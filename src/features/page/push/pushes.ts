/*
 * Tells browsers that something waits for their person's decision, while no tab is open. Nobody waits for it, and it is not
 * tried again: what waits stands in the waiting room.
 */

import type { Approval } from '../../../approval/approval.ts';
import { accountOf, type Device } from '../../../conversation/access/access.ts';
import { KeyedWorker } from '../../../lib/background.ts';
import type { PageParts } from '../page-parts.ts';
import { pageSettings } from '../settings.ts';
import { mayDecide } from '../waiting/cards.ts';
import { ownSigningKey } from './key.ts';
import { send } from './send.ts';
import type { Subscription } from './subscription.ts';
import { removeGone, removeSubscription, subscriptionOf } from './tables.ts';
import { pushWords } from './words.ts';

export interface Pushes {
  /** This begins to wait. Returns at once. */
  asked(approvalId: string): void;
  /** The device is let in no longer. */
  removed(deviceId: string): Promise<void>;
  /** Calls off what is on its way. */
  stop(): Promise<void>;
}

interface PushContext extends PageParts {
  /** What is told next, by the account of the browser: one at a time, and of several the newest. */
  readonly next: Map<string, string>;
}

/** Push services keep nothing for longer. In seconds. */
const longestLife = 2_419_200;
const shortestLife = 60;

export function createPushes(parts: PageParts): Pushes {
  const context: PushContext = { ...parts, next: new Map() };
  const worker = new KeyedWorker((principal, signal) => push(principal, signal, context));
  return {
    asked(approvalId) {
      for (const device of parts.accounts.devices()) {
        const principal = accountOf(device);
        context.next.set(principal, approvalId);
        worker.wake(principal);
      }
    },
    async removed(deviceId) {
      const principal = accountOf({ id: deviceId });
      worker.abort(principal, undefined);
      await removeSubscription(parts.database, principal);
    },
    async stop() {
      context.next.clear();
      worker.abortAll(undefined);
      await worker.close();
    },
  };
}

async function push(principal: string, signal: AbortSignal, context: PushContext): Promise<void> {
  const { database, store, log, next } = context;
  let subscription: Subscription | undefined;
  try {
    subscription = await subscriptionOf(database.sql, principal);
    // Behind that reading: what was asked meanwhile is the newest.
    const id = next.get(principal);
    next.delete(principal);
    if (subscription === undefined || id === undefined) return;
    const approval = await store.approvals.find(id);
    if (signal.aborted || approval === undefined || !isFor(principal, approval, context)) return;
    const status = await sendTo(principal, subscription, { approval, signal, context });
    if (status === 404 || status === 410) await removeGone(database, principal, subscription);
    else if (status >= 300) log.warn({ ...shownOf(subscription), status }, 'a push service has not taken a message');
  } catch (err) {
    if (!signal.aborted)
      log.warn({ ...shownOf(subscription), err }, 'a browser could not be told that something waits');
  }
}

/** The rest of its address is secret. */
function shownOf(subscription: Subscription | undefined): object {
  return { part: 'page', host: subscription && URL.parse(subscription.endpoint)?.host };
}

/** Whether it still waits, and for the person of this browser, with their rights of now. */
function isFor(principal: string, approval: Approval, context: PushContext): boolean {
  const device = deviceOf(principal, context);
  const isOn = context.settings(pageSettings).page.enabled;
  if (!isOn || approval.state !== 'pending' || device === undefined) return false;
  return context.rules.isLetIn(device.principal) && mayDecide(approval, { visitor: { principal } }, context);
}

function deviceOf(principal: string, { accounts }: PushContext): Device | undefined {
  return accounts.devices().find((device) => accountOf(device) === principal);
}

interface Sending {
  readonly approval: Approval;
  readonly signal: AbortSignal;
  readonly context: PushContext;
}

async function sendTo(principal: string, to: Subscription, { approval, signal, context }: Sending): Promise<number> {
  const { languages, clock, webDoor, config, network } = context;
  const { language } = languages.of({ principal });
  const places = await webDoor.open();
  const elsewhere = 'refusal' in places ? undefined : places.elsewhere;
  // Of what waits it says nothing but its id, by which a tab that tells of the same is not shown twice.
  const text = JSON.stringify({ title: pushWords[language].waits, tag: `keyturn-${approval.id}`, language });
  const lifetime = Math.ceil((approval.expiresAt - clock.now()) / 1000);
  const message = {
    text,
    lifetime: Math.min(longestLife, Math.max(shortestLife, lifetime)),
    key: await ownSigningKey(context),
    contact: elsewhere?.startsWith('https:') === true ? elsewhere : 'https://localhost',
  };
  return send(message, to, { config, network, clock, signal });
}
