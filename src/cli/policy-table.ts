import type { PlayedCall } from '../config/played-tools.ts';
import type { Heard, PlayedPlace } from '../conversation/access/played-access.ts';

/** What the config means for people and calls, as it was played. */
export interface PlayedPolicy {
  readonly people: readonly PlayedPlace[];
  readonly calls: readonly PlayedCall[];
}

/** The tables of `config check`: who is heard where, and what becomes of a call. */
export function policyTables({ people, calls }: PlayedPolicy): readonly string[] {
  const heard = people.map(({ channel, place, owner, friend, stranger }) => [
    ...[`${channel}, ${place}`, heardWords[owner], heardWords[friend], heardWords[stranger]],
  ]);
  const made = calls.map(({ tool, example, fate, afterWeb }) => [tool, example, fate, afterWeb]);
  return [
    ...(heard.length === 0 ? [] : ['', ...table(['Who is heard', 'owner', 'let in with a code', 'stranger'], heard)]),
    '',
    ...table(['Calls', 'for example', 'at first', 'after a web page'], made),
  ];
}

const heardWords = {
  yes: 'yes',
  'when addressed': 'when addressed',
  code: 'gets a code',
  absent: 'no account here',
  no: 'no',
} as const satisfies Record<Heard, string>;

/** Columns as wide as their longest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
