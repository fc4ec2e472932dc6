import { type CommandGroup, notInGroups } from '../../conversation/commands/given-command.ts';
import type { Feature, FeatureCore, FeatureDefinition } from '../../feature-points.ts';
import { clockTime, dayWords, type Reader } from '../../lib/time-words.ts';
import { type ConfigEdit, createEditStore, type EditStore, editTables, type NotedEdit } from './tables.ts';

/** Records config edits in the audit, and tells owners what now allows more or less. */
export const edits: FeatureDefinition = { name: 'edits', tables: editTables, make: makeEdits };

function makeEdits(core: FeatureCore): Feature {
  const { database, clock, tellOwners, redact } = core;
  const stored = createEditStore(database);
  return {
    commands: [configCommand(core, stored)],
    async reload({ from, to }) {
      // Loaded only here: most daemons never see an edit.
      const { changesOf } = await import('./changes.ts');
      const changed = changesOf(from, to).map((edit) => ({ ...edit, words: redact(edit.words) }));
      if (changed.length === 0) return;
      // Shown newest first, so the most important is added last.
      await stored.add(changed.toReversed(), clock.now());
    },
    // What was wanted is stored at once; owners are told what has become of it.
    async edited(change, faults) {
      const { noticeOf } = await import('./notice.ts');
      const words = await noticeOf(change, faults, core);
      if (words !== undefined) tellOwners(words);
    },
  };
}

/** `/config`, for owners. */
function configCommand({ clock, rules, readers }: FeatureCore, stored: EditStore): CommandGroup {
  const startedAt = clock.now();
  return {
    takes: ({ name }) => name === 'config',
    help: { section: 'owners', text: '`/config`: what was changed in the config' },
    async obey({ origin, answer }) {
      const { principal, conversation } = origin;
      if (!rules.isOwner(principal)) return answer('Only an owner of this Keyturn can see that.');
      if (conversation.kind === 'group') return answer(notInGroups);
      return answer(report(await stored.newest(10), startedAt, readers.forAnswer(origin)));
    },
  };
}

function report(newest: readonly NotedEdit[], startedAt: number, reader: Reader): string {
  if (newest.length === 0)
    return `Nothing was changed in the config since ${momentWords(startedAt, reader)}, when I started.`;
  const lines = newest.map(({ at, words, effect }) => `- ${momentWords(at, reader)}: ${words}${effectWords[effect]}`);
  return `What was changed in the config, the newest first:\n\n${lines.join('\n')}`;
}

function momentWords(at: number, reader: Reader): string {
  return `${dayWords(at, reader)}, ${clockTime(at, reader)}`;
}

const effectWords = {
  widens: ' (allows more)',
  narrows: ' (allows less)',
  other: '',
} as const satisfies Record<ConfigEdit['effect'], string>;
