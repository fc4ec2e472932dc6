import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import { unknownWordWords } from '../../conversation/commands/help.ts';
import { firstWord } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ComposedToolStore, StoredComposedTool } from './tables.ts';
import { composedWords } from './words.ts';

export const composedCommands = defineCommands(composedWords, { composed: { section: 'here', order: 190 } });

interface ComposedParts extends FeatureCore {
  readonly stored: ComposedToolStore;
  /** Tools that were removed, though that is not stored yet. */
  readonly removing: Set<string>;
}

/** Lists the tools made in chats. Owners, and the person who had one made, can remove it. */
export function composedCommand(parts: ComposedParts): readonly ObeyedCommand[] {
  return composedCommands.obeyed({ composed: (given) => obey(given, parts) });
}

async function obey(given: GivenCommand, parts: ComposedParts): Promise<void> {
  const { language } = given.reader;
  const words = composedWords[language];
  const { word, rest } = firstWord(given.argument);
  const tools = await parts.stored.all();
  if (word === '') return given.answer(words.list({ tools: tools.map(toolWords) }));
  if (word !== 'remove')
    return given.answer(unknownWordWords({ command: 'composed', word }, ['remove'], words.usage, language));
  const { word: name } = firstWord(rest);
  if (name === '') return given.answer(words.whichToRemove);
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) return given.answer(words.noSuchTool({ name: inlineCode(oneLine(name, 64)) }));
  return remove(tool, given, parts);
}

async function remove(
  { name, author }: StoredComposedTool,
  { origin, answer, end, reader }: GivenCommand,
  { stored, registry, accounts, rules, removing }: ComposedParts,
): Promise<void> {
  const words = composedWords[reader.language];
  if (!accounts.accountsOf(origin.principal).includes(author) && !rules.isOwner(origin.principal))
    return answer(words.notYours);
  const removed = words.removed({ name: inlineCode(name) });
  await end(stored.remove(name), () => removed, {
    held: removed,
    now() {
      removing.add(name);
      registry.unregister({ type: 'composed', author }, name);
    },
    over: () => void removing.delete(name),
  });
}

function toolWords({ name, description, author }: StoredComposedTool) {
  return {
    name: inlineCode(name),
    author: escapeMarkdown(author),
    description: escapeMarkdown(oneLine(description, 300)),
  };
}
