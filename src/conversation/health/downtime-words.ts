import type { Conversation } from '../../contract.ts';
import { durationWords } from '../../lib/duration.ts';
import { clockTime, dayWords, isSameDay } from '../../lib/local-time.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';

/** Messages in one place, that waited while nobody took them up. */
export interface LateMessages {
  readonly conversation: Conversation;
  /** Who wrote one of them. */
  readonly name: string;
  readonly count: number;
}

/** How many lines the list may have. */
const longestList = 10;

/** What owners read after a time in which Keyturn was away. Instants are milliseconds since 1970. */
export function downtimeWords(
  away: { readonly from: number; readonly until: number },
  late: readonly LateMessages[],
): string {
  const [from, until] = [timeWords(away.from, away.until), timeWords(away.until, away.from)];
  const first = `I was away for ${durationWords(away.until - away.from)}, from ${from} to ${until}.`;
  if (late.length === 0) return first;
  return `${first} What waited meanwhile is taken up now:\n\n${list(late).join('\n')}`;
}

function list(late: readonly LateMessages[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const messages of late) {
    const where = whereWords(messages);
    counts.set(where, (counts.get(where) ?? 0) + messages.count);
  }
  const lines = [...counts].sort(([, one], [, other]) => other - one);
  if (lines.length <= longestList) return lines.map(([where, count]) => `- ${messagesWords(count)} ${where}`);
  const [shown, rest] = [lines.slice(0, longestList - 1), lines.slice(longestList - 1)];
  const left = rest.reduce((sum, [, count]) => sum + count, 0);
  return [
    ...shown.map(([where, count]) => `- ${messagesWords(count)} ${where}`),
    `- ${messagesWords(left)} in ${rest.length} other chats`,
  ];
}

function whereWords({ conversation: { kind, title }, name }: LateMessages): string {
  if (kind === 'direct') return `from ${shortened(name)}`;
  return title === undefined ? 'in a group' : `in the group ${shortened(title)}`;
}

function messagesWords(count: number): string {
  return count === 1 ? '1 message' : `${count} messages`;
}

function shortened(name: string): string {
  return escapeMarkdown(oneLine(name, 60));
}

/** With its day, if the other instant is not on the same. */
function timeWords(at: number, other: number): string {
  return isSameDay(at, other) ? clockTime(at) : `${dayWords(at)}, ${clockTime(at)}`;
}
