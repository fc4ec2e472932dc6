import { conversationId } from '../../contract.ts';
import type { FormerSchedule, IntakeOf } from '../../feature-points.ts';
import { newId } from '../../lib/ids.ts';
import { planningSettings } from './settings.ts';
import { addBrought, type BroughtTask, hasSame } from './tables.ts';

/** What another program did at set times becomes tasks in the conversation where it said so. */
export const scheduleIntake: IntakeOf<FormerSchedule> = {
  isKnown: (former, sql) => hasSame(sql, taskOf(former, 0)),
  async store(former, { sql, config, at }) {
    const { max_entries: most } = planningSettings.read(config).tools.schedule;
    return (await addBrought(sql, taskOf(former, at), most)) === 'full' ? 'full' : 'stored';
  },
};

function taskOf(former: FormerSchedule, createdAt: number): BroughtTask {
  const { conversation, accounts, untrusted: sources, principal, name, title, text, cron, timeZone, nextAt } = former;
  const schedule = { id: newId(6), type: 'task', conversationId: conversationId(conversation), createdAt } as const;
  return {
    schedule: { ...schedule, principal, name, title, text, cron, timeZone, nextAt },
    conversation,
    accounts,
    sources,
  };
}
