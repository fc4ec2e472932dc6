import type { Conversation } from '../../contract.ts';
import type { RunStore } from '../../engine/journal.ts';
import type { Command, Origin } from '../../engine/message.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import type { Compactor, ContextFigures } from '../../runs/context/compactor.ts';
import type { CommandBook } from './command-book.ts';
import type { CommandGroup } from './commands.ts';

export interface ContextCommandsDependencies {
  readonly runs: Pick<RunStore, 'load'>;
  /** Whether anything was ever said there. */
  readonly isKnown: (conversationId: string) => boolean;
  readonly compactor: Pick<Compactor, 'figures'>;
  readonly workspaceOf: (conversation: Conversation, sender?: string) => string;
  readonly book: CommandBook;
  /** Something is left to do in the conversation. */
  readonly wake: (conversationIds: readonly string[]) => void;
}

/** Shows what fills the model's window, and has the oldest part of the conversation summarised. */
export class ContextCommands implements CommandGroup {
  readonly help = "`/context`, `/compact`: what fills the model's window, and a summary that makes room";
  readonly takes = ({ name }: Command): boolean => name === 'context' || name === 'compact';
  readonly #dependencies: ContextCommandsDependencies;

  constructor(dependencies: ContextCommandsDependencies) {
    this.#dependencies = dependencies;
  }

  /** `withHint` adds what has to be said where the command was given. */
  async obey(command: Command, origin: Origin, withHint: (words: string) => string): Promise<void> {
    const { book, wake, isKnown } = this.#dependencies;
    const { conversationId } = origin;
    if (!isKnown(conversationId)) return book.answer(command, origin, withHint('Nothing was said here yet.'));
    switch (command.name) {
      case 'context':
        return book.answer(command, origin, withHint(await this.#report(origin)));
      case 'compact': {
        const words = withHint('🗜️ I summarise what was said here until now. I will tell you when it is done.');
        await book.obey(command, origin, { effect: { type: 'compact' }, words: () => words });
        return wake([conversationId]);
      }
    }
  }

  async #report({ conversation, conversationId, principal, name }: Origin): Promise<string> {
    const { runs, compactor, workspaceOf } = this.#dependencies;
    const { title: _title, ...place } = conversation;
    const scope = {
      ...place,
      conversationId,
      workspace: workspaceOf(conversation, principal),
      sender: { principal, name },
    };
    return contextReport(await compactor.figures(await runs.load(conversationId), scope));
  }
}

function contextReport(figures: ContextFigures): string {
  const { model, limit, system, pinned, tools, isCompact, summary, messages } = figures;
  const used = system + pinned.size + tools + summary + messages;
  const line = (what: string, tokens: number): string => `- ${what}: ${rounded(tokens)}`;
  return [
    `**Context**: about ${rounded(used)} of ${rounded(limit)} tokens (${Math.round((used / limit) * 100)} %), as ${escapeMarkdown(model)} is asked.`,
    [
      line('Instructions', system),
      ...(pinned.size + pinned.leftOut === 0 ? [] : [line(pinnedName(pinned.leftOut), pinned.size)]),
      line(isCompact ? 'Tools, told in short' : 'Tools', tools),
      ...(summary === 0 ? [] : [line('Summary of the oldest part', summary)]),
      line('Messages and results', messages),
    ].join('\n'),
    'What no longer fits is shortened, then summarised. `/compact` does it now; `/new` starts over.',
  ].join('\n\n');
}

function pinnedName(leftOut: number): string {
  return leftOut === 0 ? 'Pinned facts' : `Pinned facts, without the oldest ${leftOut}, for which there is no room`;
}

function rounded(tokens: number): string {
  return String(Math.round(tokens));
}
