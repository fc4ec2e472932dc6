import { forEachChild, parse, type SyntaxNode } from 'unbash';
import { doubtOf } from '../../guard/command/read-commands.ts';
import { isPowerfulVariable } from '../../guard/command/risks.ts';
import type { Placeholder } from '../parameters.ts';

/**
 * Where a placeholder is: alone, where any number of words may be · in or as one word · in double or single quotes · in
 * a here-document, which a line with the delimiter ends.
 */
export type Site =
  | { readonly type: 'words' | 'word' | 'double' | 'single' }
  | { readonly type: 'here'; readonly delimiter: string };

/**
 * Finds out how the shell reads each placeholder of a masked text: its site if its value is data there, else why not.
 * Returns a fault instead if shells may read the text differently.
 */
export function placeholderSites(
  text: string,
  placeholders: readonly Placeholder[],
): readonly (Site | string)[] | string {
  const script = parse(text);
  const fault = syntaxFault(script);
  if (fault !== undefined) return fault;
  const paths = pathsTo(script, placeholders);
  return placeholders.map((placeholder, index) => siteAt(paths[index] ?? [], placeholder, text));
}

/** For each placeholder the nodes that contain it, from the whole script to the smallest one. */
function pathsTo(script: SyntaxNode, placeholders: readonly Placeholder[]): readonly (readonly SyntaxNode[])[] {
  const paths = placeholders.map((): readonly SyntaxNode[] => []);
  const visit = (node: SyntaxNode, above: readonly SyntaxNode[]): void => {
    const path = [...above, node];
    for (const [index, { start, end }] of placeholders.entries()) {
      if (node.pos > start || node.end < end) continue;
      // The text of a here-document may also lie within a node that it does not belong to.
      const { pos = 0, end: last = Number.POSITIVE_INFINITY } = paths[index]?.at(-1) ?? {};
      if (node.end - node.pos <= last - pos) paths[index] = path;
    }
    // What is in backticks has other positions.
    if (!isBackticks(node)) forEachChild(node, (child) => visit(child, path));
  };
  visit(script, []);
  return paths;
}

function isBackticks(node: SyntaxNode): boolean {
  return node.type === 'CommandExpansion' && node.text.startsWith('`');
}

/** How a value is read at the end of the path, or why it can't be there: the first reason on the way counts. */
function siteAt(path: readonly SyntaxNode[], placeholder: Placeholder, text: string): Site | string {
  // The site of a value that is not quoted.
  let plain: Site = { type: 'word' };
  for (const [at, node] of path.entries()) {
    const child = path[at + 1];
    const refused = refusedTypes[node.type];
    if (refused !== undefined) return refused;
    if (isBackticks(node)) return 'is in backticks. Write $(…) instead of them.';
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
        if (node.value.type === 'ArrayValue')
          return 'is in a list in parentheses, which sh does not have. Write it as an argument.';
        if (isPowerfulVariable(node.name))
          return 'sets a variable by which other programs are run. Set it to a fixed value, in "env".';
        plain = { type: 'word' };
        break;
      case 'Redirect':
      case 'HereString':
        if (node.operator === '>&' || node.operator === '<&')
          return 'is where the number of a file descriptor is expected. Write the number itself.';
        plain = { type: 'word' };
        break;
      case 'HereDoc':
        if (node.delimiter === undefined) return refusals.unread;
        if (child === node.delimiter) return refusals.name;
        if (node.delimiter.quoted)
          return 'is in a here-document with a quoted delimiter, which takes no values. Write the delimiter without quotes, and a backslash before each $, ` and \\ in it.';
        plain = { type: 'here', delimiter: node.delimiter.value };
        break;
      case 'Word':
        if (node.pos !== placeholder.start || node.end !== placeholder.end) plain = { type: 'word' };
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
      case 'ArithmeticFor':
        if (child !== node.body) return refusals.arithmetic;
        break;
    }
  }
  // No node can take a value here.
  return refusals.unread;
}

/** Refuses a backslash or a dollar before the value, which would change it. */
function placed(site: Site, { start }: Placeholder, text: string): Site | string {
  const [, backslashes = '', dollar] = /(\\*)(\$?)$/.exec(text.slice(0, start)) ?? [];
  const isEscaped = backslashes.length % 2 === 1;
  if (dollar === '') return isEscaped ? 'has a backslash before it. Leave it out: a value needs none.' : site;
  return isEscaped ? site : 'has a "$" before it, which would make a variable of it. Write \\$ for the character.';
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

/**
 * Why a placeholder can't be where it is, and what to write instead; for appending to the placeholder. A value there
 * would be part of a program, not one piece of data.
 */
export const refusals = {
  program: 'is where a program is named: a value must not choose what runs. Name the program in the command.',
  name: 'is where a name is expected. Write the name itself; a value can only be an argument.',
  arithmetic:
    "is in arithmetic, where a value would be run as code. Have a program compute: awk -v n={{x}} 'BEGIN { print n + 1 }'.",
  parameter: 'is inside braces that begin with a dollar. Set a variable before, as x={{x}}, and use that.',
  pattern: 'is inside a pattern, or a list in braces. Write it outside of the brackets.',
  dollarQuotes: 'stands in $\'…\' or $"…", which shells read differently. Write plain double quotes.',
  tooDeep: 'is in a command that is too long or too deep to be read. Put it into a script file, and run that.',
  unread: 'is where nothing is run, as in a comment. Take it out.',
} as const;

/** The nodes in which no value is data. */
const refusedTypes: Readonly<Partial<Record<SyntaxNode['type'], string>>> = {
  ArithmeticCommand: refusals.arithmetic,
  ArithmeticExpansion: refusals.arithmetic,
  TestCommand: 'is in [[ … ]], where a value can be run as code. Write [ "{{x}}" = … ] instead.',
  AnsiCQuoted: refusals.dollarQuotes,
  LocaleString: refusals.dollarQuotes,
  SimpleExpansion: refusals.parameter,
  ParameterExpansion: refusals.parameter,
  Glob: refusals.pattern,
  ExtendedGlob: refusals.pattern,
  BraceExpansion: refusals.pattern,
};
