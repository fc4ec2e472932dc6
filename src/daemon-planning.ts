import type { Conversation } from './contract.ts';
import type { HouseRules } from './conversation/access/house-rules.ts';
import { Scheduler } from './conversation/planning/scheduler.ts';
import type { Ground } from './daemon-parts.ts';
import { planningSettingsOf } from './daemon-settings.ts';

/** What does in time what people have planned. */
export function makeScheduler(ground: Ground, rules: HouseRules): Scheduler {
  const { store, config, owners, adapters, clock, log, crashPoint, deliver, wake } = ground;
  return new Scheduler({
    store: store.schedules,
    settings: planningSettingsOf(config),
    isReachable: ({ channel }: Conversation) => adapters.has(channel),
    isWelcome: ({ principal, name, roles, conversation }) => {
      const id = principal.slice(conversation.channel.length + 1);
      return rules.isWelcome({ id, name, isPerson: true, roles }, conversation);
    },
    owners: () => owners.all().filter((principal) => adapters.has(principal.slice(0, principal.indexOf(':')))),
    clock,
    log,
    crashPoint,
    deliver,
    wake,
  });
}
