import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import type { ToolRegistration } from '../../tools/registry.ts';
import type { ToolScope } from '../../tools/tool.ts';
import { obeyedPlanningCommands, plannedMatters, planningCommands } from './commands.ts';
import { createScheduler } from './scheduler.ts';
import { planningSettings } from './settings.ts';
import { createScheduleStore, planningTables } from './tables.ts';

/** Planned tasks and reminders, which run when they are due. Each slot fires at most once. */
export const planning: FeatureDefinition = {
  name: 'planning',
  commands: planningCommands.all,
  settings: planningSettings,
  tables: planningTables,
  intake: async () => ({ schedule: (await import('./intake.ts')).scheduleIntake }),
  make: makePlanning,
};

function makePlanning(core: FeatureCore): Feature {
  const schedules = createScheduleStore(core.database);
  const scheduler = createScheduler(core, schedules);
  core.figures.set('schedules_due', {
    description: 'Tasks and reminders whose time has come, and that have not begun.',
    read: () => schedules.countDue(core.clock.now()),
  });
  core.timeJumped.listen(() => scheduler.lookAgain());
  // What becomes due during shutdown is left to the next process.
  core.ending.addEventListener('abort', () => void scheduler.stop(), { once: true });
  const tools = async (scope?: ToolScope) =>
    (await import('./planning-tools.ts')).planningTools(core, schedules, scheduler.watch, scope);
  // Where a person is decides what their times mean.
  const registrationOf = (name: 'schedule' | 'remind'): ToolRegistration => ({
    name,
    category: 'memory',
    definition: async () => (await tools())[name].spec(),
    create: async (scope) => (await tools(scope))[name],
  });
  const planned = { ...core, schedules, planned: scheduler.watch };
  core.listings.set('schedules', {
    list: async (asked) => (await import('./listing.ts')).listSchedules(asked, schedules),
  });
  return {
    commands: obeyedPlanningCommands(planned),
    waiting: (origin) => plannedMatters(origin, planned),
    tools: () => [registrationOf('schedule'), registrationOf('remind')],
    start: async () => scheduler.begin(),
    // A tool may be enabled again, or the time zone changed.
    reload: async () => scheduler.lookAgain(),
    stop: () => scheduler.stop(),
  };
}
