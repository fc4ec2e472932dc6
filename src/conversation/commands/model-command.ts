import { type Command, firstWord, type Origin } from '../../engine/message.ts';
import { nearest } from '../../lib/nearest.ts';
import { escapeMarkdown, inlineCode, oneLine } from '../../lib/plain-text.ts';
import type { Models } from '../../models/configured-models.ts';
import type { InboxStore } from '../inbox.ts';
import type { CommandBook } from './command-book.ts';
import type { CommandGroup } from './commands.ts';

export interface ModelCommandDependencies {
  readonly inbox: Pick<InboxStore, 'modelOf'>;
  readonly models: Models;
  readonly book: CommandBook;
}

/**
 * Shows and chooses the model that answers in a conversation. Everybody who may use commands there may choose: what the
 * operator has put into the config is meant to be used.
 */
export class ModelCommand implements CommandGroup {
  readonly help = '`/model`, `/model NAME`: the model that answers here';
  readonly takes = ({ name }: Command): boolean => name === 'model';
  readonly #dependencies: ModelCommandDependencies;

  constructor(dependencies: ModelCommandDependencies) {
    this.#dependencies = dependencies;
  }

  /** `withHint` adds what has to be said where the command was given. */
  async obey(command: Command, origin: Origin, withHint: (words: string) => string): Promise<void> {
    const { models, book } = this.#dependencies;
    const { word } = firstWord(command.argument);
    if (word === '') return book.answer(command, origin, withHint(await this.#list(origin)));
    const name = models.names.find((known) => known === word) ?? named(word, models.names);
    if (name === undefined && word.toLowerCase() !== theDefault) {
      return book.answer(command, origin, unknownWords(word, models.names));
    }
    const { label } = models.of(name);
    const words = withHint(`From now on ${escapeMarkdown(label)} answers here.`);
    const effect = { type: 'model', name } as const;
    await book.obey(command, origin, { effect, words: () => words });
  }

  async #list({ conversationId }: Origin): Promise<string> {
    const { inbox, models } = this.#dependencies;
    const chosen = await inbox.modelOf(conversationId);
    const here = chosen !== undefined && models.names.includes(chosen) ? chosen : models.defaultName;
    const lines = models.names.map((name) => {
      const marks = [...(name === here ? ['**used here**'] : []), ...(name === models.defaultName ? ['default'] : [])];
      const mark = marks.length === 0 ? '' : `: ${marks.join(', ')}`;
      return `- ${escapeMarkdown(models.of(name).label)}${mark}`;
    });
    const advice =
      lines.length === 1
        ? 'The config has no other.'
        : 'Choose one with `/model NAME`; `/model default` goes back to the default.';
    return ['Models:', ...lines, '', advice].join('\n');
  }
}

/** Chooses none, unless a model has this name. */
const theDefault = 'default';

/** The one that is called so, if upper and lower case do not matter. */
function named(word: string, names: readonly string[]): string | undefined {
  const found = names.filter((name) => name.toLowerCase() === word.toLowerCase());
  return found.length === 1 ? found[0] : undefined;
}

function unknownWords(word: string, names: readonly string[]): string {
  const guess = nearest(word, names);
  const hint =
    guess === undefined ? `There are: ${names.map(inlineCode).join(', ')}.` : `Do you mean ${inlineCode(guess)}?`;
  return `There is no model ${inlineCode(oneLine(word, 60))}. ${hint}`;
}
