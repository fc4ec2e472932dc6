import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import { type Language, type Words, wordsIn } from '../../lib/words.ts';
import type { TrustStore } from './tables.ts';
import { changedWords, distrusting, type TrustBook, trustReport } from './trust.ts';
import type { TrustChange } from './trust-subject.ts';
import { extensionWords } from './words.ts';

export const extensionCommands = defineCommands(extensionWords, {
  mcp: { section: 'owners', order: 160 },
  trust: { section: 'owners', order: 300 },
  distrust: { section: 'owners', order: 310 },
});

interface ExtensionParts extends FeatureCore {
  readonly stored: TrustStore;
  readonly trust: TrustBook;
  /** What runs now. */
  readonly providers: () => readonly ReportingProvider[];
}

/** A source of tools, as far as it is reported. */
export interface ReportingProvider {
  /** Lines of plain text for owners. */
  troubles(): readonly Words[];
  /** Of an MCP server: what it is and brings, a line of plain text. */
  report?(language: Language): string;
}

/** The owners' commands about external code. An id stands for one exact state. */
export function obeyedExtensionCommands(parts: ExtensionParts): readonly ObeyedCommand[] {
  return extensionCommands.obeyed({
    mcp: (given) => asOwner(given, parts, () => showServers(given, parts)),
    trust: (given) => asOwner(given, parts, () => trust(given, parts)),
    distrust: (given) => asOwner(given, parts, () => distrust(given, parts)),
  });
}

/** Only where no group reads along. */
async function asOwner(
  { origin: { principal, conversation }, answer, reader }: GivenCommand,
  { rules }: ExtensionParts,
  obey: () => Promise<void>,
): Promise<void> {
  const words = commandWords[reader.language];
  if (!rules.isOwner(principal)) return answer(words.ownersOnly);
  if (conversation.kind === 'group') return answer(words.notInGroups);
  await obey();
}

/** `/mcp`: each server, its tools, and what is left out. */
async function showServers({ answer, reader }: GivenCommand, { providers }: ExtensionParts): Promise<void> {
  const servers = providers().filter(({ report }) => report !== undefined);
  if (servers.length === 0) return answer(extensionWords[reader.language].noServers);
  const { language } = reader;
  const lines = servers
    .flatMap((server) => server.report?.(language) ?? [])
    .map((words) => `- ${escapeMarkdown(words)}`);
  const troubles = servers.flatMap((server) => troubleWords(server, language));
  await answer([lines.join('\n'), ...troubles].join('\n\n'));
}

export function troubleWords(provider: ReportingProvider, language: Language): readonly string[] {
  return provider.troubles().map((trouble) => `⚠️ ${escapeMarkdown(oneLine(wordsIn(language, trouble), 700))}`);
}

async function trust(given: GivenCommand, { stored, trust: book }: ExtensionParts): Promise<void> {
  const { answer, obey, reader } = given;
  const ids = idsIn(given);
  if (ids.length === 0) return answer(trustReport(await stored.all(), reader));
  const obeyed = await obey(stored.trust(ids), (changes) => {
    const told = changedWords(changes, ids.length - changes.length, reader.language);
    const [word = '', ...others] = ids;
    // `/trust here` may be meant.
    if (changes.length > 0 || others.length > 0) return told;
    return unknownWordWords({ command: 'trust', word }, ['here'], told, reader.language);
  });
  if (obeyed.status === 'done') book.decided(obeyed.result);
}

async function distrust(given: GivenCommand, { stored, trust: book }: ExtensionParts): Promise<void> {
  const { answer, end, reader } = given;
  const ids = idsIn(given);
  if (ids.length === 0) return answer(extensionWords[reader.language].whichToDistrust);
  const words = (done: readonly TrustChange[]): string => changedWords(done, ids.length - done.length, reader.language);
  const changes = distrusting(await stored.all(), ids);
  await end(stored.distrust(ids), words, {
    held: words(changes),
    now: () => book.withhold(changes),
    over: (isStored) => book.withholdNoLonger(changes, isStored),
    ended: (done) => book.decided(done),
  });
}

function idsIn({ argument }: GivenCommand): readonly string[] {
  return [...new Set(argument.toLowerCase().match(/[a-z0-9]+/g))];
}
