import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, oneLine } from '../../lib/plain-text.ts';
import type { Language } from '../../lib/words.ts';
import { createPinStore, type MemoryStore, mostPinned, type Pinning, type PinStore } from './tables.ts';
import { memoryWords } from './words.ts';

export const memoryCommands = defineCommands(memoryWords, {
  pin: { section: 'here', order: 110 },
  pins: { section: 'here', order: 120 },
  unpin: { section: 'here', order: 130 },
  memories: { section: 'yours', order: 139 },
});

/** Pinned facts belong to the conversation: everybody who may use commands there may change them. Memories belong to a person. */
export function obeyedMemoryCommands(core: FeatureCore, memories: MemoryStore): readonly ObeyedCommand[] {
  const { inbox } = core.store;
  const pins = createPinStore();
  return memoryCommands.obeyed({
    memories: async (given) => (await import('./managing.ts')).manageMemories(given, { ...core, memories }),
    pin: (given) => pin(given, pins),
    pins: (given) => list(given, inbox),
    unpin: (given) => unpin(given, pins),
  });
}

/** Per fact, in characters. */
const longestPinned = 500;

async function pin({ argument: text, answer, obey, withHint, reader }: GivenCommand, pins: PinStore): Promise<void> {
  const words = memoryWords[reader.language];
  if (text === '') return answer(withHint(words.whatToPin));
  const length = Array.from(text).length;
  if (length > longestPinned) return answer(withHint(words.tooLong({ length, most: longestPinned })));
  await obey(pins.pin(text), (pinning) => withHint(pinWords(pinning, reader.language)));
}

function pinWords(pinning: Pinning, language: Language): string {
  const words = memoryWords[language];
  switch (pinning.type) {
    case 'pinned':
      return words.pinned(pinning);
    case 'known':
      return words.known(pinning);
    case 'full':
      return words.full({ most: mostPinned });
  }
}

async function unpin({ argument, answer, obey, withHint, reader }: GivenCommand, pins: PinStore): Promise<void> {
  const words = memoryWords[reader.language];
  const wanted = argument.toLowerCase();
  const written = /^#?(\d{1,9})$/.exec(wanted)?.[1];
  if (written === undefined && wanted !== 'all') return answer(withHint(words.whichToUnpin));
  const number = written === undefined ? undefined : Number(written);
  await obey(pins.unpin(number), (unpinned) => {
    const [first] = unpinned;
    if (number === undefined)
      return withHint(first === undefined ? words.nothingToUnpin : words.unpinnedAll({ count: unpinned.length }));
    if (first === undefined) return withHint(words.noSuchFact({ number }));
    return withHint(words.unpinned({ text: shown(first.text, 200) }));
  });
}

async function list(
  { origin, answer, withHint, reader }: GivenCommand,
  inbox: FeatureCore['store']['inbox'],
): Promise<void> {
  const facts = (await inbox.pinnedIn(origin.conversationId)).map(({ number, name, text }) => ({
    number,
    name: shown(name, 64),
    text: shown(text, longestShown),
  }));
  await answer(withHint(memoryWords[reader.language].list({ facts })));
}

function shown(text: string, most: number): string {
  return escapeMarkdown(oneLine(text, most));
}

/** Line ends and invisible characters take more characters when shown. */
const longestShown = 2 * longestPinned;
