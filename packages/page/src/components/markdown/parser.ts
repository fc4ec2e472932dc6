import MarkdownIt, { type Token } from 'markdown-it';
import cjkFriendly from 'markdown-it-cjk-friendly';
import { createMathRules } from './math-rules.ts';
import { timeInLine } from './time-rule.ts';

/** What definitions of links have been read: they hold in what follows. */
export type Definitions = Record<string, unknown>;

/** Reads Markdown, as models and Keyturn write it, into tokens: CommonMark with tables, strikethrough, bare links and math. HTML is text. */
export type Parse = (text: string, definitions: Definitions) => readonly Token[];

export function createParse(): Parse {
  const parser = MarkdownIt({ html: false, linkify: true, typographer: false });
  parser.use(cjkFriendly);
  // A name of a file is no address: only what has a scheme, or begins with www.
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  // What links lead to is judged where they are drawn, with the same rules for all.
  parser.validateLink = () => true;
  const math = createMathRules();
  parser.inline.ruler.before('escape', 'math', math.inLine);
  parser.inline.ruler.before('escape', 'time', timeInLine);
  parser.block.ruler.before('fence', 'math', math.inBlock, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
  return (text, definitions) => parser.parse(text, definitions);
}
