import type { CommandOutcome, CommandWish } from '../../../../src/features/page/wire/command.ts';
import { tell } from './ask.ts';
import { allChanged } from './live.ts';

/**
 * Obeys a command with the rights of the person, as if they had typed it: `schedules cancel k3f9`. Sent again after a lost
 * answer, it acts once. What is shown is asked for again. Rejects with `AskError`.
 */
export async function obey(wish: Omit<CommandWish, 'key'>): Promise<CommandOutcome> {
  const keyed: CommandWish = { ...wish, key: newKey() };
  const outcome = await tell<CommandOutcome>('command', keyed);
  allChanged();
  return outcome;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(36).padStart(2, '0')).join('');
}
