import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const pages = [
  'README.md',
  'README.zh.md',
  ...globSync(['docs/*.md', 'docs/zh/*.md', 'channels/*/README*.md'], { cwd: root }),
];

/** A command of the program as a page shows it, without `keyturn`. */
export interface ShownCommand {
  readonly words: string;
  /** Where it stands first: `docs/cli.md:20`. */
  readonly place: string;
}

/** What the program is called: in a clone, and installed. */
const program = '(?:keyturn|npm start --)';
/** In a block: where a command begins, perhaps as another user; up to what the shell takes. */
const inBlock = new RegExp(
  String.raw`(?:^[ \t]*|[|;&(][ \t]*)(?:sudo (?:-u \w+ )?)?${program}[ \t]+([^|&;)>\n]*)`,
  'gm',
);
const inline = new RegExp(`\`${program} ([^\`]+)\``, 'g');
/** A row of a table about a command: what it may be given stands in the second cell. */
const row = new RegExp(`^\\| \`${program} ([^\`]+)\` \\| (.*) \\|$`, 'gm');

/** All that README and docs show, each once. */
export function shownCommands(): readonly ShownCommand[] {
  const found = pages.flatMap((path) => commandsOn(readFileSync(join(root, path), 'utf8'), path));
  const first = new Map(found.toReversed().map((shown) => [shown.words, shown] as const));
  return [...first.values()].toReversed();
}

function commandsOn(text: string, path: string): readonly ShownCommand[] {
  const blocks = [...text.matchAll(/^ *```(?:sh|bash|console)?\n([\s\S]*?)^ *```/gm)];
  const prose = text.replace(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replace(/[^\n]/g, ' '));
  return [
    ...blocks.flatMap(({ 1: block = '', index }) =>
      [...block.matchAll(inBlock)].map((one) => at(one, index, text, path)),
    ),
    ...[...prose.matchAll(inline)].map((one) => at(one, 0, text, path)),
    ...[...prose.matchAll(row)].flatMap((one) => withOptions(one, text, path)),
  ].filter(({ words }) => words !== '' && !/^(?:COMMAND|…)/.test(words));
}

/** The command of a row with each option that the row names. */
function withOptions(match: RegExpMatchArray, text: string, path: string): readonly ShownCommand[] {
  const { words, place } = at(match, 0, text, path);
  const options = [...(match[2] ?? '').matchAll(/`(--[a-z][^`]*)`/g)].map(([, option = '']) => option);
  return options.map((option) => ({ words: `${words} ${option}`, place }));
}

function at({ 1: words = '', index = 0 }: RegExpMatchArray, from: number, text: string, path: string): ShownCommand {
  const line = text.slice(0, from + index).split('\n').length;
  return {
    words: words
      .replace(/(?:^|\s)#.*$/, '')
      .replace(/\s+/g, ' ')
      .trim(),
    place: `${path}:${line}`,
  };
}
