import type { PlayedCall } from '../config/played-tools.ts';
import { configWords } from '../config/words.ts';
import type { PlayedAccess } from '../conversation/access/played-access.ts';
import { textWidth } from '../lib/text-width.ts';
import type { Language } from '../lib/words.ts';
import { cliWords } from './words.ts';

/** What the config means for people and calls, as it was played. */
export interface PlayedPolicy {
  readonly people: readonly PlayedAccess[];
  readonly calls: readonly PlayedCall[];
}

/** The tables of `config check`: who is heard where, and what becomes of a call. */
export function policyTables({ people, calls }: PlayedPolicy, language: Language): readonly string[] {
  const { heardHead, callsHead, heard: heardWords } = cliWords[language];
  const say = configWords[language];
  const heard = people.map(({ channel, where, owner, friend, stranger }) => [
    say.heardIn({ channel, ...groupIn(where) }),
    heardWords[owner],
    heardWords[friend],
    heardWords[stranger],
  ]);
  const made = calls.map(({ tool, example, fate, afterWeb }) => [tool, example, say.fates[fate], say.fates[afterWeb]]);
  return [...(heard.length === 0 ? [] : ['', ...table(heardHead, heard)]), '', ...table(callsHead, made)];
}

/** `directly`, `group -100` or `other groups`. */
function groupIn(where: string) {
  const [, group] = /^group (.*)$/s.exec(where) ?? [];
  return { group, isDirect: where === 'directly' };
}

/** Columns as wide as their longest cell. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => textWidth(row[column] ?? ''))));
  return all.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - textWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
}
