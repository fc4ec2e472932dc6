import type { Origin } from '../../approval/approval.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { ToolRegistry } from '../../tools/registry.ts';
import type { ComposedToolStore, StoredComposedTool } from '../../tools/sources/composed/composed-store.ts';
import { type Command, firstWord } from '../command.ts';
import type { CommandBook } from './command-book.ts';

export interface ComposedCommandDependencies {
  readonly store: Pick<ComposedToolStore, 'all'>;
  readonly registry: Pick<ToolRegistry, 'unregister'>;
  /** All accounts of the person, this one among them. */
  readonly accountsOf: (principal: string) => readonly string[];
  readonly isOwner: (principal: string) => boolean;
  readonly book: CommandBook;
}

/** Shows the tools that were made of words in chats, and takes them away: for owners, and for whoever had one made. */
export class ComposedCommand {
  readonly #dependencies: ComposedCommandDependencies;

  constructor(dependencies: ComposedCommandDependencies) {
    this.#dependencies = dependencies;
  }

  async obey(command: Command, origin: Origin): Promise<void> {
    const { store, book } = this.#dependencies;
    const { word, rest } = firstWord(command.argument);
    const tools = await store.all();
    if (word === '') return book.answer(command, origin, listWords(tools));
    if (word !== 'remove') return book.answer(command, origin, usage);
    return this.#remove(firstWord(rest).word, tools, command, origin);
  }

  async #remove(name: string, tools: readonly StoredComposedTool[], command: Command, origin: Origin): Promise<void> {
    const { registry, accountsOf, isOwner, book } = this.#dependencies;
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) return book.answer(command, origin, noneWords(name));
    if (!accountsOf(origin.principal).includes(tool.author) && !isOwner(origin.principal)) {
      return book.answer(command, origin, 'Only an owner, and whoever had it made, can remove it.');
    }
    const obeyed = await book.obey(command, origin, {
      effect: { type: 'remove-composed', name },
      words: ({ removed }) => (removed ? `Removed: ${inlineCode(name)} is no tool any more.` : noneWords(name)),
    });
    if (obeyed.status === 'done') registry.unregister(name, { type: 'composed', author: tool.author });
  }
}

const usage = 'Say `/composed`, or `/composed remove NAME`.';

function noneWords(name: string): string {
  return `No tool ${inlineCode(oneLine(name, 64))} was made in a chat. ${inlineCode('/composed')} shows those that were.`;
}

function listWords(tools: readonly StoredComposedTool[]): string {
  if (tools.length === 0) return 'No tools were made of words in a chat.';
  const lines = tools.map(
    ({ name, description, author }) =>
      `- ${inlineCode(name)}, made for ${escapeMarkdown(author)}: ${escapeMarkdown(oneLine(description, 300))}`,
  );
  return ['Tools that were made of words:', ...lines, '', 'Remove one with `/composed remove NAME`.'].join('\n');
}
