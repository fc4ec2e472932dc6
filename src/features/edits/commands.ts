import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { groupList } from '../../conversation/commands/people/groups.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { clockTime, dayWords, type Reader } from '../../lib/time-words.ts';
import type { EditStore } from './tables.ts';
import { editWords } from './words.ts';

export const editCommands = defineCommands(editWords, { config: { section: 'owners', order: 320 } });

interface ConfigCommandContext {
  readonly core: FeatureCore;
  readonly stored: EditStore;
  readonly startedAt: number;
}

/** `/config`, for owners. */
export function configCommand(core: FeatureCore, stored: EditStore): readonly ObeyedCommand[] {
  const context = { core, stored, startedAt: core.clock.now() };
  return editCommands.obeyed({ config: (given) => showChanges(given, context) });
}

async function showChanges(
  { origin: { principal, conversation }, answer, reader }: GivenCommand,
  { core, stored, startedAt }: ConfigCommandContext,
): Promise<void> {
  const common = commandWords[reader.language];
  if (!core.rules.isOwner(principal)) return answer(common.ownersOnlySee);
  if (conversation.kind === 'group') return answer(common.notInGroups);
  const words = editWords[reader.language];
  const edits = await stored.newest(10);
  const lines = edits.map(({ at, words: said, effect }) => {
    return { at: momentWords(at, reader), words: said(reader.language), effect };
  });
  const nothing = words.nothingChanged({ since: momentWords(startedAt, reader) });
  const changes = lines.length === 0 ? nothing : words.changes({ edits: lines });
  const groups = await core.store.people.groups();
  await answer(groups.length === 0 ? changes : `${changes}\n\n${groupList(groups, reader)}\n\n${words.changeGroups}`);
}

function momentWords(at: number, reader: Reader): string {
  return editWords[reader.language].moment({ day: dayWords(at, reader), time: clockTime(at, reader) });
}
