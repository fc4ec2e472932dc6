import { inlineCode } from '../lib/plain-text.ts';
import type { Stuck } from './stuck.ts';

/** What people are told of a run that gets nowhere. */
export function stuckWords({ type, toolName, times }: Stuck): string {
  const tool = inlineCode(toolName);
  const what =
    type === 'failing'
      ? `${tool} has failed ${times} times in a row`
      : `the same call of ${tool} gave the same result ${times} times`;
  return `⏸️ I stopped here: ${what}. Say "go on" if I should try further, or tell me what to do instead.`;
}
