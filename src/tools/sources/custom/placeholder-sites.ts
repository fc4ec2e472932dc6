import { forEachChild, parse, type SyntaxNode, type Word, type WordPart } from 'unbash';
import { isPowerfulVariable } from '../../guard/command/risks.ts';
import { marksIn } from '../parameters.ts';

/** Where a placeholder is: alone, where any number of words may be · in or as one word · in double or single quotes. */
export type Site = 'words' | 'word' | 'double' | 'single';

/**
 * The sites of the placeholders of a masked text, by index, if the shell reads their values as data there: in
 * arguments, in values of variables and in names of files. All others are left out, and take no values.
 */
export function placeholderSites(text: string): ReadonlyMap<number, Site> {
  const sites: Sites = new Map();
  visit(parse(text), sites);
  return sites;
}

type Sites = Map<number, Site>;

function visit(node: SyntaxNode, sites: Sites): void {
  const mayBeMany = node.type === 'Command' || node.type === 'For' || node.type === 'Select';
  const data = dataWords(node);
  forEachChild(node, (child) => {
    if (child.type === 'Word') {
      if (data.includes(child)) visitWord(child, mayBeMany ? 'words' : 'word', sites);
    } else if (!takesNone.test(child.type)) visit(child, sites);
  });
}

function visitWord(word: Word, alone: Site, sites: Sites): void {
  if (word.parts === undefined) place(word.text, isMark(word.text) ? alone : 'word', sites);
  else for (const part of word.parts) visitPart(part, 'word', sites);
}

function visitPart(part: WordPart, site: Site, sites: Sites): void {
  if (part.type === 'Literal') place(part.text, site, sites);
  else if (part.type === 'SingleQuoted') place(part.text, 'single', sites);
  else if (part.type === 'DoubleQuoted') for (const inner of part.parts) visitPart(inner, 'double', sites);
  // In backticks, a backslash means something else.
  else if (part.type === 'ProcessSubstitution' || (part.type === 'CommandExpansion' && part.text.startsWith('$(')))
    forEachChild(part, (child) => visit(child, sites));
}

function place(written: string, site: Site, sites: Sites): void {
  for (const mark of marksIn(written)) sites.set(mark, site);
}

/** The words of a node, without those inside its parts, in which a value is data. */
function dataWords(node: SyntaxNode): readonly (SyntaxNode | undefined)[] {
  switch (node.type) {
    case 'Command':
      return node.args;
    case 'For':
    case 'Select':
      return node.wordlist ?? [];
    case 'Case':
      return [node.word];
    case 'Assignment':
      return node.index === undefined && !isPowerfulVariable(node.name) ? [node.value] : [];
    case 'Redirect':
    case 'HereString':
      // Behind these is the number of a descriptor.
      return node.operator === '>&' || node.operator === '<&' ? [] : [node.target];
    default:
      return [];
  }
}

/** Nodes in which no value is data, or in which shells see different texts. */
const takesNone = /^(?:Test|Arithmetic(?!For$)|ArrayValue$|HereDoc)/;

function isMark(text: string): boolean {
  return marksIn(text).length === 1 && new Set(text).size === 1;
}
