import type { Feature, FeatureCore } from '../../feature-points.ts';
import { lazyTool } from '../../tools/registry.ts';
import { createScheduler } from './scheduler.ts';

/** Planned tasks and reminders, which run when they are due. Each slot fires at most once. */
export function planning(core: FeatureCore): Feature {
  const scheduler = createScheduler(core);
  core.timeJumped.listen(() => scheduler.lookAgain());
  // What becomes due during shutdown is left to the next process.
  core.ending.addEventListener('abort', () => void scheduler.stop(), { once: true });
  const tools = async () => (await import('./planning-tools.ts')).planningTools(core, scheduler.watch);
  return {
    tools: () => [
      lazyTool('schedule', 'memory', async () => (await tools()).schedule),
      lazyTool('remind', 'memory', async () => (await tools()).remind),
    ],
    start: async () => scheduler.begin(),
    // A tool may be enabled again, or the time zone changed.
    reload: async () => scheduler.lookAgain(),
    stop: () => scheduler.stop(),
  };
}
