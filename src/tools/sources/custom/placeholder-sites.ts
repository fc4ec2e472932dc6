import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { doubtOf } from '../../guard/command/read-commands.ts';
import { isPowerfulVariable } from '../../guard/command/risks.ts';
import type { Placeholder } from './placeholders.ts';

/**
 * Where a placeholder is: alone, where any number of words may be · in or as one word · in double or single quotes · in
 * a here-document, which a line with the delimiter ends.
 */
export type Site =
  | { readonly type: 'words' | 'word' | 'double' | 'single' }
  | { readonly type: 'here'; readonly delimiter: string };

/** Replaces the text from `start` up to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Finds out how the shell reads each placeholder of a masked text. It has a site if its value is data there, else a
 * reason why not; `edits` prepare the text for values. Returns a fault instead if shells may read the text differently.
 */
export function placeholderSites(text: string, placeholders: readonly Placeholder[]) {
  const script = parse(text);
  const fault = syntaxFault(script);
  if (fault !== undefined) return fault;
  const paths = pathsTo(script, placeholders);
  return {
    sites: paths.map((path, index) => siteAt(path, placeholders[index], text)),
    edits: [...new Set(paths.flat())].flatMap(editsOf),
  };
}

/** For each placeholder the nodes that contain it, from the whole script to the smallest one. */
function pathsTo(script: SyntaxNode, placeholders: readonly Placeholder[]): readonly (readonly SyntaxNode[])[] {
  const paths = placeholders.map((): readonly SyntaxNode[] => []);
  const visit = (node: SyntaxNode, above: readonly SyntaxNode[]): void => {
    // Backticks with backslashes are parsed from another text, with other positions.
    if (node.type === 'Script' && node.source !== undefined) return;
    const path = [...above, node];
    for (const [index, { start, end }] of placeholders.entries()) {
      if (node.pos > start || node.end < end) continue;
      // The text of a here-document may also lie within a node that it does not belong to.
      const { pos = 0, end: last = Number.POSITIVE_INFINITY } = paths[index]?.at(-1) ?? {};
      if (node.end - node.pos <= last - pos) paths[index] = path;
    }
    forEachChild(node, (child) => visit(child, path));
  };
  visit(script, []);
  return paths;
}

/** How a value is read at the end of the path, or why it can't be there: the first reason on the way counts. */
function siteAt(path: readonly SyntaxNode[], placeholder: Placeholder | undefined, text: string): Site | string {
  // The site of a value that is not quoted.
  let plain: Site = { type: 'word' };
  for (const [at, node] of path.entries()) {
    const child = path[at + 1];
    const refused = refusedTypes[node.type];
    if (refused !== undefined) return refusals[refused];
    switch (node.type) {
      case 'Command':
        if (child !== undefined && child === node.name) return refusals.program;
        plain = { type: 'words' };
        break;
      case 'For':
      case 'Select':
        if (child === node.name) return refusals.name;
        plain = { type: 'words' };
        break;
      case 'Function':
      case 'Coproc':
        if (child !== undefined && child === node.name) return refusals.name;
        break;
      case 'Case':
        plain = { type: 'word' };
        break;
      case 'Assignment':
        if (child !== undefined && child === node.index) return refusals.arithmetic;
        if (node.value.type === 'ArrayValue') return refusals.list;
        if (isPowerfulVariable(node.name)) return refusals.powerfulVariable;
        plain = { type: 'word' };
        break;
      case 'Redirect':
      case 'HereString':
        if (node.operator === '>&' || node.operator === '<&') return refusals.descriptor;
        plain = { type: 'word' };
        break;
      case 'HereDoc':
        if (node.delimiter === undefined) return refusals.unread;
        if (child === node.delimiter) return refusals.name;
        plain = { type: 'here', delimiter: node.delimiter.value };
        // Here, a backslash and a dollar are plain characters.
        if (node.delimiter.quoted) return plain;
        break;
      case 'Word':
        if (node.pos !== placeholder?.start || node.end !== placeholder.end) plain = { type: 'word' };
        if (node.parts === undefined) return placed(plain, placeholder, text);
        break;
      case 'HereDocBody':
        if (node.parts === undefined) return placed(plain, placeholder, text);
        break;
      case 'DoubleQuoted':
        plain = { type: 'double' };
        break;
      case 'Literal':
        return placed(plain, placeholder, text);
      case 'SingleQuoted':
        return { type: 'single' };
      case 'CommandExpansion':
        if (node.text.startsWith('`') && node.text.includes('\\')) return refusals.backticks;
        break;
      case 'ArithmeticFor':
        if (child !== node.body) return refusals.arithmetic;
        break;
    }
  }
  // No node can take a value here.
  return refusals.unread;
}

/** The nodes in which no value is data. */
const refusedTypes: Readonly<Partial<Record<SyntaxNode['type'], keyof typeof refusals>>> = {
  ArithmeticCommand: 'arithmetic',
  ArithmeticExpansion: 'arithmetic',
  TestCommand: 'test',
  AnsiCQuoted: 'dollarQuotes',
  LocaleString: 'dollarQuotes',
  SimpleExpansion: 'parameter',
  ParameterExpansion: 'parameter',
  Glob: 'pattern',
  ExtendedGlob: 'pattern',
  BraceExpansion: 'pattern',
};

/** Refuses a backslash or a dollar before the value, which would change it. */
function placed(site: Site, placeholder: Placeholder | undefined, text: string): Site | string {
  const before = text.slice(0, placeholder?.start);
  if (isOdd(/\\*$/.exec(before))) return refusals.backslash;
  return before.endsWith('$') && !isOdd(/\\*(?=\$$)/.exec(before)) ? refusals.dollar : site;
}

/** The edits that make values possible in this node. */
function editsOf(node: SyntaxNode): readonly Edit[] {
  if (node.type === 'CommandExpansion' && node.text.startsWith('`')) {
    // Quotes inside need no change; the line end ends a comment.
    return [
      { start: node.pos, end: node.pos + 1, text: '$(' },
      { start: node.end - 1, end: node.end, text: node.text.includes('#') ? '\n)' : ')' },
    ];
  }
  if (node.type !== 'HereDoc' || node.delimiter?.quoted !== true) return [];
  // Only an unquoted here-document can take values: special characters are escaped instead.
  const { delimiter, body } = node;
  const escaped = Array.from(body.text.matchAll(/[\\$`]/g), (match) => {
    const start = body.pos + match.index;
    return { start, end: start + 1, text: `\\${match[0]}` };
  });
  return [{ start: delimiter.pos, end: delimiter.end, text: delimiter.value }, ...escaped];
}

/** The deepest nesting of nodes: about 50 substitutions. */
const deepest = 300;

/** Why it is uncertain how shells read a text. Undefined if it is certain. */
function syntaxFault(node: SyntaxNode, level = 0): string | undefined {
  if (level > deepest) return 'its parts stand too deep in each other. Put it into a script file, and run that.';
  const [error] = node.type === 'Script' ? (node.errors ?? []) : [];
  if (error !== undefined) return `it has a mistake in its syntax: ${error.message}.`;
  // If shells disagree on where a string ends, they disagree on all that follows.
  const mayDiffer = node.type === 'AnsiCQuoted' || node.type === 'HereDocDelimiter';
  if (mayDiffer && doubtOf(node) !== undefined)
    return `shells read ${node.text.slice(0, 60)} differently. Write it with plain quotes.`;
  let fault: string | undefined;
  forEachChild(node, (child) => {
    fault ??= syntaxFault(child, level + 1);
  });
  return fault;
}

function isOdd(match: RegExpExecArray | null): boolean {
  return (match?.[0].length ?? 0) % 2 === 1;
}

/**
 * Why a placeholder can't be where it is, and what to write instead; for appending to the placeholder. A value there
 * would be part of a program, not one piece of data.
 */
export const refusals = {
  program: 'is where a program is named: a value must not choose what runs. Name the program in the command.',
  name: 'is where a name is expected. Write the name itself; a value can only be an argument.',
  arithmetic:
    "is in arithmetic, where a value would be run as code. Have a program compute: awk -v n={{x}} 'BEGIN { print n + 1 }'.",
  test: 'is in [[ … ]], where a value can be run as code. Write [ "{{x}}" = … ] instead.',
  parameter: 'is inside braces that begin with a dollar. Set a variable before, as x={{x}}, and use that.',
  list: 'is in a list in parentheses, which sh does not have. Write it as an argument.',
  powerfulVariable: 'sets a variable by which other programs are run. Set it to a fixed value, in "env".',
  descriptor: 'is where the number of a file descriptor is expected. Write the number itself.',
  pattern: 'is inside a pattern, or a list in braces. Write it outside of the brackets.',
  dollarQuotes: 'stands in $\'…\' or $"…", which shells read differently. Write plain double quotes.',
  backticks: 'is in backticks together with backslashes. Write $(…) instead of the backticks.',
  backslash: 'has a backslash before it. Leave it out: a value needs none.',
  dollar: 'has a "$" before it, which would make a variable of it. Write \\$ for the character.',
  tooDeep: 'is in a command that is too long or too deep to be read. Put it into a script file, and run that.',
  unread: 'is where nothing is run, as in a comment. Take it out.',
} as const;
