import type { CommandOutcome, CommandWish } from '../../../../src/features/page/wire/command.ts';
import { allChanged } from './live.ts';
import { tellOnce } from './tell-once.ts';

/**
 * Obeys a command with the rights of the person, as if they had typed it: `schedules cancel k3f9`. Given again after a lost
 * answer, it acts once. What is shown is asked for again. Rejects with `AskError`.
 */
export async function obey(wish: Omit<CommandWish, 'key'>): Promise<CommandOutcome> {
  const outcome = await tellOnce<CommandOutcome>('command', wish);
  allChanged();
  return outcome;
}
