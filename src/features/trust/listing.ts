import { trustWords } from '../../extension-kit/trust/words.ts';
import type { Listed, ListedAct, ListedRow, ListingAsked } from '../../feature-points.ts';
import { oneLine, unmarked } from '../../lib/plain-text.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import type { TrustStore } from './tables.ts';
import type { TrustEntry, TrustedState } from './trust-entry.ts';
import { trustCommandWords } from './words.ts';

/** The code and texts of others, for owners: what waits for one, what they trust, and what they have refused. */
export async function listTrust({ language }: ListingAsked, stored: Pick<TrustStore, 'all'>): Promise<Listed> {
  return { rows: (await stored.all()).flatMap((entry) => rowsOf(entry, language)) };
}

function rowsOf(entry: TrustEntry, language: Language): readonly ListedRow[] {
  const words = trustCommandWords[language].listed;
  const { kind, name, asked, trusted } = entry;
  const title = trustWords[language].subjectFirst({ kind, name: oneLine(name, 200) });
  const rows: ListedRow[] = [];
  if (asked !== undefined) {
    const { id, what, at, fingerprint, isRefused } = asked;
    const act = { label: words.trust, style: 'primary', line: `trust ${id}`, question: words.askTrust } as const;
    const refusal: ListedAct = { label: words.refuse, style: 'danger', line: `distrust ${id}` };
    rows.push({
      id,
      title,
      text: plain(wordsIn(language, what)),
      notes: [isRefused ? words.refused : words.waits, words.fingerprint({ fingerprint: fingerprint.slice(0, 16) })],
      instants: [{ label: words.seen, at }],
      acts: isRefused ? [act] : [act, refusal],
    });
  }
  if (trusted !== undefined) rows.push(trustedRow(trusted, title, language));
  return rows;
}

function trustedRow({ id, what, at, by, fingerprint }: TrustedState, title: string, language: Language): ListedRow {
  const words = trustCommandWords[language].listed;
  return {
    id,
    title,
    text: plain(wordsIn(language, what)),
    notes: [words.trustedBy({ by }), words.fingerprint({ fingerprint: fingerprint.slice(0, 16) })],
    instants: [{ label: words.since, at }],
    acts: [{ label: words.distrust, style: 'danger', line: `distrust ${id}`, question: words.askDistrust }],
  };
}

function plain(markdown: string): string {
  return markdown
    .split('\n')
    .map((line) => unmarked(line))
    .join('\n');
}
