import { type Conversation, partsOf } from '../contract.ts';
import type { HouseRules } from '../conversation/access/house-rules.ts';
import { Scheduler } from '../conversation/planning/scheduler.ts';
import type { Ground } from './parts.ts';
import { planningSettingsOf } from './settings.ts';

/** What does in time what people have planned. */
export function makeScheduler(ground: Ground, rules: HouseRules): Scheduler {
  const { store, config, owners, adapters, clock, log, crashPoint, deliver, wake } = ground;
  return new Scheduler({
    store: store.schedules,
    settings: planningSettingsOf(config),
    isReachable: ({ channel }: Conversation) => adapters.has(channel),
    isWelcome: ({ principal, name, roles, conversation }) =>
      rules.isWelcome({ id: partsOf(principal).senderId, name, isPerson: true, roles }, conversation),
    owners: () => owners.all().filter((principal) => adapters.has(partsOf(principal).channel)),
    clock,
    log,
    crashPoint,
    deliver,
    wake,
  });
}
