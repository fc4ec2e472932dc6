import { longestPinned, mostPinned, type PinnedFact } from '../../agent/pinned-facts.ts';
import type { Origin } from '../../approval/approval.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Command } from '../command.ts';
import type { EffectResult, InboxStore } from '../inbox.ts';
import type { CommandBook } from './command-book.ts';

export interface PinCommandDependencies {
  readonly inbox: Pick<InboxStore, 'pinnedIn'>;
  readonly book: CommandBook;
}

export type PinCommandName = 'pin' | 'pins' | 'unpin';

/** Facts that stay in mind in a conversation: they are the conversation's, so whoever may use commands there may change them. */
export class PinCommands {
  readonly #dependencies: PinCommandDependencies;

  constructor(dependencies: PinCommandDependencies) {
    this.#dependencies = dependencies;
  }

  /** `withHint` adds what has to be said where the command was given. */
  async obey(
    command: Command & { readonly name: PinCommandName },
    origin: Origin,
    withHint: (words: string) => string,
  ): Promise<void> {
    const { inbox, book } = this.#dependencies;
    switch (command.name) {
      case 'pin':
        return this.#pin(command, origin, withHint);
      case 'pins':
        return book.answer(command, origin, withHint(listWords(await inbox.pinnedIn(origin.conversationId))));
      case 'unpin':
        return this.#unpin(command, origin, withHint);
    }
  }

  async #pin(command: Command, origin: Origin, withHint: (words: string) => string): Promise<void> {
    const { book } = this.#dependencies;
    const text = command.argument;
    if (text === '') return book.answer(command, origin, withHint(whatToPin));
    const length = Array.from(text).length;
    if (length > longestPinned) return book.answer(command, origin, withHint(tooLongWords(length)));
    await book.obey(command, origin, { effect: { type: 'pin', text }, words: (result) => withHint(pinWords(result)) });
  }

  async #unpin(command: Command, origin: Origin, withHint: (words: string) => string): Promise<void> {
    const { book } = this.#dependencies;
    const wanted = command.argument.toLowerCase();
    const number = /^#?(\d{1,9})$/.exec(wanted)?.[1];
    if (number === undefined && wanted !== 'all') return book.answer(command, origin, withHint(whichToUnpin));
    await book.obey(command, origin, {
      effect: { type: 'unpin', ...(number === undefined ? {} : { number: Number(number) }) },
      words: ({ unpinned = [] }) => withHint(unpinWords(unpinned, number)),
    });
  }
}

function listWords(facts: readonly PinnedFact[]): string {
  if (facts.length === 0) return 'Nothing is pinned here. `/pin TEXT` has me keep a fact in mind.';
  const lines = facts.map(
    ({ number, name, text }) => `- ${inlineCode(String(number))}, by ${shown(name, 64)}: ${shown(text, longestShown)}`,
  );
  return ['Pinned here:', ...lines, '', 'Take one away with `/unpin N`, or all with `/unpin all`.'].join('\n');
}

function pinWords({ pinning }: EffectResult): string {
  switch (pinning?.type) {
    case 'pinned':
      return `📌 Pinned as ${pinning.number}. I keep it in mind here until you say \`/unpin ${pinning.number}\`.`;
    case 'known':
      return `That is pinned already, as ${pinning.number}.`;
    case 'full':
    case undefined:
      return `Not pinned: ${mostPinned} facts are pinned here, which is as many as there may be. \`/pins\` shows them, \`/unpin N\` takes one away.`;
  }
}

function unpinWords(unpinned: readonly PinnedFact[], number: string | undefined): string {
  const [first] = unpinned;
  if (number === undefined) {
    if (first === undefined) return 'Nothing was pinned here.';
    return unpinned.length === 1 ? 'Unpinned the one fact.' : `Unpinned all ${unpinned.length} facts.`;
  }
  if (first === undefined) return `No fact is pinned here as ${Number(number)}. \`/pins\` shows those that are.`;
  return `Unpinned: ${shown(first.text, 200)}`;
}

function tooLongWords(length: number): string {
  return `Not pinned: a fact has at most ${longestPinned} characters, and this has ${length}. Say it in fewer words, or pin it in parts.`;
}

function shown(text: string, most: number): string {
  return escapeMarkdown(oneLine(text, most));
}

/** Line ends and what cannot be seen take more than one character when they are shown. */
const longestShown = 2 * longestPinned;

const whatToPin = 'Say what: `/pin TEXT`. I keep it in mind here, whatever else is summarised or left out.';
const whichToUnpin = 'Say which: `/unpin N` or `/unpin all`. `/pins` shows the numbers.';
