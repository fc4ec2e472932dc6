import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import type { FeatureCore } from '../../feature-points.ts';
import type { TrustStore } from './tables.ts';
import { changedWords, distrusting, type TrustBook, trustReport } from './trust.ts';
import type { TrustChange } from './trust-entry.ts';
import { trustCommandWords } from './words.ts';

export const trustCommands = defineCommands(trustCommandWords, {
  trust: { section: 'owners', order: 300 },
  distrust: { section: 'owners', order: 310 },
});

interface TrustParts extends Pick<FeatureCore, 'rules'> {
  readonly stored: TrustStore;
  readonly book: TrustBook;
}

/** The owners' commands about external code. An id stands for one exact state. */
export function obeyedTrustCommands(parts: TrustParts): readonly ObeyedCommand[] {
  return trustCommands.obeyed({
    trust: (given) => asOwner(given, parts, () => trust(given, parts)),
    distrust: (given) => asOwner(given, parts, () => distrust(given, parts)),
  });
}

/** Only where no group reads along. */
async function asOwner(
  { origin: { principal, conversation }, answer, reader }: GivenCommand,
  { rules }: TrustParts,
  obey: () => Promise<void>,
): Promise<void> {
  const words = commandWords[reader.language];
  if (!rules.isOwner(principal)) return answer(words.ownersOnly);
  if (conversation.kind === 'group') return answer(words.notInGroups);
  await obey();
}

async function trust(given: GivenCommand, { stored, book }: TrustParts): Promise<void> {
  const { list, obey, reader } = given;
  const ids = idsIn(given);
  if (ids.length === 0) return list(trustReport(await stored.all(), reader));
  const obeyed = await obey(stored.trust(ids), (changes) => {
    const told = changedWords(changes, ids.length - changes.length, reader.language);
    const [word = '', ...others] = ids;
    // `/trust here` may be meant.
    if (changes.length > 0 || others.length > 0) return told;
    return unknownWordWords({ command: 'trust', word }, ['here'], told, reader.language);
  });
  if (obeyed.status === 'done') book.decided(obeyed.result);
}

async function distrust(given: GivenCommand, { stored, book }: TrustParts): Promise<void> {
  const { answer, end, reader } = given;
  const ids = idsIn(given);
  if (ids.length === 0) return answer(trustCommandWords[reader.language].whichToDistrust);
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
