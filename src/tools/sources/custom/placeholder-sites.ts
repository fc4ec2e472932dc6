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
  const sites = new Map<number, Site>();
  const place = (written: string, site: Site): void => {
    for (const mark of marksIn(written)) sites.set(mark, site);
  };
  const visitPart = (part: WordPart, site: Site): void => {
    if (part.type === 'Literal') place(part.text, site);
    else if (part.type === 'SingleQuoted') place(part.text, 'single');
    else if (part.type === 'DoubleQuoted') for (const inner of part.parts) visitPart(inner, 'double');
    // In backticks, a backslash means something else.
    else if (part.type === 'ProcessSubstitution' || (part.type === 'CommandExpansion' && part.text.startsWith('$(')))
      forEachChild(part, visit);
  };
  const visitWord = (word: Word, alone: Site): void => {
    if (word.parts === undefined) place(word.text, isMark(word.text) ? alone : 'word');
    else for (const part of word.parts) visitPart(part, 'word');
  };
  const visit = (node: SyntaxNode): void => {
    const mayBeMany = node.type === 'Command' || node.type === 'For' || node.type === 'Select';
    const data = dataWords(node);
    forEachChild(node, (child) => {
      if (child.type === 'Word') {
        if (data.includes(child)) visitWord(child, mayBeMany ? 'words' : 'word');
      } else if (!takesNone.test(child.type)) visit(child);
    });
  };
  visit(parse(text));
  return sites;
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
