import { isToolOn } from '../../config/tool-rules.ts';
import { partsOf } from '../../contract.ts';
import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { createScheduler } from './scheduler.ts';

/** Planned tasks and reminders, which run when they are due. Each slot fires at most once. */
export function planning(core: FeatureCore): Feature {
  const { config, store, rules, adapters } = core;
  const isOn = (name: string): boolean => isToolOn(config, { name, category: 'memory' });
  const scheduler = createScheduler({
    ...core,
    store: store.schedules,
    catchUp: () => config.tools.schedule.catch_up_secs * 1000,
    types: () => [...(isOn('schedule') ? ['task' as const] : []), ...(isOn('remind') ? ['reminder' as const] : [])],
    isReachable: ({ channel }) => adapters.has(channel),
    isWelcome: ({ principal, name, roles, conversation }) =>
      rules.isWelcome({ id: partsOf(principal).senderId, name, isPerson: true, roles }, conversation),
    owners: core.reachableOwners,
  });
  core.timeJumped.listen(() => scheduler.lookAgain());
  // What becomes due during shutdown is left to the next process.
  core.ending.addEventListener('abort', () => void scheduler.stop(), { once: true });
  const parts = { ...core, planned: scheduler.watch };
  return {
    tools: () => [
      lazyTool('schedule', 'memory', async () => (await import('./planning-tools.ts')).schedule(parts)),
      lazyTool('remind', 'memory', async () => (await import('./planning-tools.ts')).remind(parts)),
    ],
    start: async () => scheduler.begin(),
    // A tool may be enabled again, or the time zone changed.
    reload: async () => scheduler.lookAgain(),
    stop: () => scheduler.stop(),
  };
}
