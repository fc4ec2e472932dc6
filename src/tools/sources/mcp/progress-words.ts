import type { Progress } from '@modelcontextprotocol/client';
import { oneLine } from '../../../lib/plain-text.ts';

/** What a server reports of its work, in one line: `copying (3 of 10)`. */
export function progressWords({ progress, total, message }: Progress): string {
  const how = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined || message.trim() === '' ? how : `${oneLine(message, 200)} (${how})`;
}
