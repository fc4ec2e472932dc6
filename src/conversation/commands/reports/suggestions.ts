/* What a person is offered while they type a command, on platforms that ask for that: what it is about, as buttons would. */

import { describeApproval } from '../../../approval/cards.ts';
import type { Suggestion } from '../../../contract.ts';
import type { Approvals } from '../../../engine/decide.ts';
import type { Origin } from '../../../engine/message.ts';
import { oneLine } from '../../../lib/plain-text.ts';
import { languages } from '../../../lib/words.ts';
import { languageWords } from '../language/words.ts';
import type { ReportParts } from './report-parts.ts';
import type { WaitingMatter } from './waiting-matter.ts';
import { grantMatters, undeliveredMatters } from './waiting-room.ts';

export type SuggestionParts = ReportParts & { readonly openHere: Approvals['openHere'] };

type Suggest = (origin: Origin, parts: SuggestionParts) => Promise<readonly Suggestion[]>;

/** By command. */
const suggesters = {
  model: async (_origin, { models }) => [
    ...models.names.map((name) => ({ value: name, label: models.of(name).label })),
    { value: 'default', label: `default: ${models.of(undefined).label}` },
  ],
  language: async () => languages.map((one) => ({ value: one, label: languageWords[one].buttonName })),
  approve: openApprovals,
  deny: openApprovals,
  revoke: async (origin, parts) =>
    argumentsOf('revoke', await grantMatters(origin, parts.readers.forAnswer(origin), parts)),
  retry: async (origin, parts) =>
    argumentsOf('retry', await undeliveredMatters(origin, parts.readers.forAnswer(origin), parts)),
  drop: async (origin, parts) =>
    argumentsOf('drop', await undeliveredMatters(origin, parts.readers.forAnswer(origin), parts)),
} as const satisfies Readonly<Record<string, Suggest>>;

const byName: ReadonlyMap<string, Suggest> = new Map(Object.entries(suggesters));

/** Whether what follows this command can be offered. */
export function isSuggested(command: string): boolean {
  return byName.has(command);
}

/**
 * What may follow the command, as far as this person may use it there: what contains what they have typed. Nothing for a
 * command that nothing is offered for.
 */
export async function suggestionsFor(
  origin: Origin,
  { command, typed }: { readonly command: string; readonly typed: string },
  parts: SuggestionParts,
): Promise<readonly Suggestion[]> {
  const all = (await byName.get(command)?.(origin, parts)) ?? [];
  const wanted = typed.trim().toLowerCase();
  return all.filter(({ value, label }) => [value, label].some((text) => text.toLowerCase().includes(wanted)));
}

async function openApprovals(origin: Origin, { openHere, readers }: SuggestionParts): Promise<readonly Suggestion[]> {
  const { language } = readers.forAnswer(origin);
  const open = await openHere(origin);
  return open.map((approval) => ({
    value: approval.id,
    label: plainly(`${approval.id}: ${describeApproval(approval, language, 200)}`),
  }));
}

/** What stands behind the command in the buttons of these matters. */
function argumentsOf(command: string, matters: readonly WaitingMatter[]): readonly Suggestion[] {
  const prefix = `cmd:${command} `;
  return matters.flatMap(({ markdown, buttons }) =>
    buttons
      .filter(({ button }) => button.actionId.startsWith(prefix))
      .map(({ button }) => ({ value: button.actionId.slice(prefix.length), label: plainly(markdown) })),
  );
}

/** Where no markdown is read. */
function plainly(markdown: string): string {
  return oneLine(markdown.replaceAll(/\\([^\w\s])|[`*]/g, '$1'), 200);
}
