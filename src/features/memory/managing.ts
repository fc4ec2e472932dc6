/* `/memories`: what is remembered for a person, in all of their chats. Only where nobody else reads along. */

import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { lineOfPage, numbered, pageNumber, pageOf, rowsOfPage } from '../../conversation/commands/pages.ts';
import { commandWords } from '../../conversation/commands/words.ts';
import type { Effect } from '../../conversation/effects.ts';
import { firstWord } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import { dayWords } from '../../lib/time-words.ts';
import { cleanText } from '../../tools/text.ts';
import { actingButton, leadingButton } from '../../words/command-buttons.ts';
import { memorySettings } from './settings.ts';
import type { Memory, MemoryStore } from './tables.ts';
import { memoryWords } from './words.ts';

interface ManagingParts extends Pick<FeatureCore, 'accounts' | 'clock' | 'settings'> {
  readonly memories: Pick<MemoryStore, 'browse' | 'change' | 'remove'>;
}

/** Pages further back are found by their words. */
const mostListed = 300;

export function manageMemories(given: GivenCommand, parts: ManagingParts): Promise<void> {
  const { argument, origin, answer, reader } = given;
  const { language } = reader;
  if (origin.conversation.kind === 'group') return answer(commandWords[language].notInGroups);
  const { word, rest } = firstWord(argument);
  switch (word) {
    case 'find':
      return show({ query: rest, page: 1 }, given, parts);
    case 'edit':
      return edit(given, parts);
    case 'forget':
      return forget(firstWord(rest).word.toLowerCase(), given, parts);
  }
  if (word === '' || pageNumber(word) !== undefined)
    return show({ query: '', page: pageNumber(word) ?? 1 }, given, parts);
  const meant = { command: 'memories', word };
  return answer(unknownWordWords(meant, ['find', 'edit', 'forget'], memoryWords[language].memoriesUsage, language));
}

interface Wanted {
  readonly query: string;
  readonly page: number;
}

async function show({ query, page: wanted }: Wanted, given: GivenCommand, parts: ManagingParts): Promise<void> {
  const { reader, list } = given;
  const { language } = reader;
  const words = memoryWords[language];
  const all = await browse(query, given, parts);
  const page = pageOf(all, wanted);
  const lines = page.entries.map(([number, { id, text, storedAt }]) =>
    numbered(number, words.memoryLine({ id: inlineCode(id), text: shown(text), day: dayWords(storedAt, reader) })),
  );
  const buttons = page.entries.map(([number, { id }]) =>
    leadingButton(words.buttonForgetNumber({ number }), `memories forget ${id}?`),
  );
  const sought = query === '' ? undefined : inlineCode(oneLine(query, 60));
  await list({
    markdown: words.remembered({ lines, sought }),
    again: lineOfPage('memories', page),
    rows: rowsOfPage(buttons, { ...page, pages: query === '' ? page.pages : 1, command: 'memories' }, language),
  });
}

function browse(
  query: string,
  { origin }: GivenCommand,
  { accounts, clock, memories }: ManagingParts,
): Promise<readonly Memory[]> {
  const theirs = accounts.accountsOf(origin.principal);
  const most = query === '' ? mostListed : 10;
  return memories.browse({ accounts: theirs, query, before: undefined, most, at: clock.now() });
}

async function edit({ argument, origin, answer, obey, reader }: GivenCommand, parts: ManagingParts): Promise<void> {
  const words = memoryWords[reader.language];
  const [, id = '', written = ''] = /^\S+\s+(\S+)\s+([\s\S]+)$/.exec(argument) ?? [];
  const text = cleanText(written).trim();
  if (text === '') return answer(words.memoriesUsage);
  const { max_chars: most } = parts.settings(memorySettings).tools.memory_store;
  const { length } = Array.from(text);
  if (length > most) return answer(words.memoryTooLong({ length, most }));
  const accounts = parts.accounts.accountsOf(origin.principal);
  const effect: Effect<Memory | undefined> = {
    name: 'change-memory',
    apply: (doing) => parts.memories.change(id.toLowerCase(), { accounts, text, at: doing.at }, doing),
  };
  await obey(effect, (changed) =>
    changed === undefined ? words.noSuchMemory : words.memoryChanged({ text: shown(changed.text) }),
  );
}

/** With a question mark, it asks first. */
async function forget(id: string, given: GivenCommand, parts: ManagingParts): Promise<void> {
  const { origin, answer, list, obey, reader } = given;
  const words = memoryWords[reader.language];
  if (id === '') return answer(words.memoriesUsage);
  if (id.endsWith('?')) {
    const doubted = (await browse('', given, parts)).find((one) => `${one.id}?` === id);
    if (doubted === undefined) return answer(words.noSuchMemory);
    return list({
      markdown: words.askForget({ text: shown(doubted.text) }),
      again: 'memories',
      rows: [
        [
          actingButton(words.buttonForget, `memories forget ${doubted.id}`, 'danger'),
          leadingButton(words.buttonKeep, 'memories'),
        ],
      ],
    });
  }
  const accounts = parts.accounts.accountsOf(origin.principal);
  const effect: Effect<Memory | undefined> = {
    name: 'forget-memory',
    apply: (doing) => parts.memories.remove(id, accounts, doing),
  };
  await obey(effect, (removed) =>
    removed === undefined ? words.noSuchMemory : words.forgotten({ text: shown(removed.text) }),
  );
}

function shown(text: string): string {
  return escapeMarkdown(oneLine(text, 200));
}
