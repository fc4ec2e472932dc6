import type { OfferedCommand } from '../../src/contract.ts';
import { stripControls } from './render.ts';

const mostOptions = 200;

/** What the word before the cursor may become. */
export interface Completion {
  /** The word so far. */
  readonly word: string;
  /** Each begins with it. */
  readonly options: readonly string[];
}

export interface CompletionSources {
  readonly commands: readonly OfferedCommand[];
  /** Whole commands that buttons stand for. */
  readonly commandLines: readonly string[];
  /** What is in a folder of the workspace, folders with a slash at the end. */
  fileNames(folder: string): Promise<readonly string[]>;
}

/** Completes a command and its arguments at the start of the line; elsewhere a file, which may stand behind an `@`. */
export async function completionFor(before: string, sources: CompletionSources): Promise<Completion> {
  if (before.startsWith('/')) return commandFor(before, sources);
  const said = /\S*$/.exec(before)?.[0] ?? '';
  const word = said.replace(/^@/, '');
  if (said === '' || word.startsWith('/')) return { word: '', options: [] };
  const slash = word.lastIndexOf('/') + 1;
  const folder = word.slice(0, slash);
  const names = await sources.fileNames(folder === '' ? '.' : folder);
  // A hidden file is named by whoever wants it.
  const isWanted = (name: string): boolean => !name.startsWith('.') || word.slice(slash).startsWith('.');
  return {
    word,
    options: beginning(
      word,
      names.filter(isWanted).map((name) => `${folder}${name}`),
    ),
  };
}

function commandFor(line: string, { commands, commandLines }: CompletionSources): Completion {
  const [name = ''] = line.split(' ');
  const known = commands.map((command) => ({ name: `/${command.name}`, words: command.words }));
  if (name === line) {
    const names = known.map((command) => (command.words === undefined ? command.name : `${command.name} `));
    const own = ['/exit', '/quit'];
    return { word: line, options: beginning(line, [...names, ...own, ...commandLines]) };
  }
  const words = known.find((command) => command.name === name)?.words ?? '';
  const choices = words.match(/[\w-]+(?:\|[\w-]+)+/g)?.flatMap((choice) => choice.split('|')) ?? [];
  const lines = [...choices.map((choice) => `${name} ${choice}`), ...commandLines];
  return { word: line, options: beginning(line, lines) };
}

function beginning(word: string, options: readonly string[]): readonly string[] {
  const fitting = options.filter((option) => option.startsWith(word) && stripControls(option) === option);
  return [...new Set(fitting)].sort().slice(0, mostOptions);
}
