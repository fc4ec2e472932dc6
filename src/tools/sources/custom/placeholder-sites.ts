import {
  type Assignment,
  type Command,
  type CommandExpansionPart,
  forEachChild,
  type HereDoc,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { isPowerfulVariable } from '../../guard/command/syntax-doubts.ts';
import type { Placeholder } from './placeholders.ts';
import { refusals } from './refusals.ts';
import { type Site, SiteList } from './site-list.ts';
import { syntaxFault } from './syntax-fault.ts';

/** What is to stand in the text instead, from `start` up to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface PlaceholderSites {
  /** By the place of the placeholder in the list. */
  readonly sites: ReadonlyMap<number, Site>;
  /** Why there is none. */
  readonly refused: ReadonlyMap<number, string>;
  /** What makes a value possible there. */
  readonly edits: readonly Edit[];
  /** What is wrong with the text as a whole. */
  readonly fault?: string;
}

/** Finds out how the shell reads each placeholder of a masked text. Only where a value is a piece of data it has a site. */
export function placeholderSites(text: string, placeholders: readonly Placeholder[]): PlaceholderSites {
  const list = new SiteList(text, placeholders);
  const finder = new SiteFinder(list);
  const script = parse(text);
  const fault = syntaxFault(script);
  if (fault !== undefined) return { sites: list.sites, refused: list.refused, edits: [], fault };
  finder.visit(script);
  // What no visit has come upon is not read as anything that a value could be.
  list.refuse({ pos: 0, end: text.length }, refusals.unread);
  return { sites: list.sites, refused: list.refused, edits: finder.edits };
}

/** One way through a script. */
class SiteFinder {
  readonly edits: Edit[] = [];
  readonly #list: SiteList;

  constructor(list: SiteList) {
    this.#list = list;
  }

  visit(node: SyntaxNode): void {
    switch (node.type) {
      case 'Command':
        this.#command(node);
        return;
      case 'Redirected':
        for (const redirection of node.redirects) this.#redirection(redirection);
        this.visit(node.command);
        return;
      case 'For':
      case 'Select':
        this.#list.refuse(node.name, refusals.name);
        for (const word of node.wordlist ?? []) this.#word(word, 'words');
        this.visit(node.body);
        return;
      case 'Case':
        this.#word(node.word, 'word');
        for (const { pattern, body } of node.items) {
          for (const word of pattern) this.#word(word, 'word');
          this.visit(body);
        }
        return;
      case 'Function':
      case 'Coproc':
        if (node.name !== undefined) this.#list.refuse(node.name, refusals.name);
        this.visit(node.body);
        return;
      case 'ArithmeticFor':
        this.visit(node.body);
        this.#list.refuse(node, refusals.arithmetic);
        return;
      case 'ArithmeticCommand':
        this.#list.refuse(node, refusals.arithmetic);
        return;
      case 'TestCommand':
        this.#list.refuse(node, refusals.test);
        return;
      default:
        forEachChild(node, (child) => this.visit(child));
    }
  }

  #command({ name, prefix, args, redirects }: Command): void {
    if (name !== undefined) this.#list.refuse(name, refusals.program);
    for (const part of prefix) if (part.type === 'Assignment') this.#assignment(part);
    for (const argument of args) {
      if (argument.type === 'Assignment') this.#assignment(argument);
      else this.#word(argument, 'words');
    }
    for (const redirection of redirects) this.#redirection(redirection);
  }

  #assignment({ name, value, index }: Assignment): void {
    if (index !== undefined) this.#list.refuse(index, refusals.arithmetic);
    if (value.type === 'ArrayValue') {
      this.#list.refuse(value, refusals.list);
      return;
    }
    if (isPowerfulVariable(name)) this.#list.refuse(value, refusals.powerfulVariable);
    this.#word(value, 'word');
  }

  #redirection(redirection: Redirection): void {
    if (redirection.type === 'HereDoc') {
      this.#hereDocument(redirection);
      return;
    }
    const { target, operator } = redirection;
    if (target === undefined) return;
    if (operator === '>&' || operator === '<&') this.#list.refuse(target, refusals.descriptor);
    this.#word(target, 'word');
  }

  #hereDocument({ delimiter, body }: HereDoc): void {
    if (delimiter === undefined) return;
    this.#list.refuse(delimiter, refusals.name);
    const site = { type: 'here', delimiter: delimiter.value } as const;
    if (!delimiter.quoted) {
      if (body.parts === undefined) this.#list.place(body, site);
      for (const part of body.parts ?? []) {
        if (part.type === 'Literal') this.#list.place(part, site);
        else this.#part(part);
      }
      return;
    }
    if (!this.#list.has(body)) return;
    // Only in one that is not quoted a value can be filled in: what is special there is escaped instead.
    this.edits.push({ start: delimiter.pos, end: delimiter.end, text: delimiter.value });
    for (const match of body.text.matchAll(/[\\$`]/g)) {
      const start = body.pos + match.index;
      this.edits.push({ start, end: start + 1, text: `\\${match[0]}` });
    }
    this.#list.placeAsIs(body, site);
  }

  #word(word: Word, type: 'words' | 'word'): void {
    if (!this.#list.has(word)) return;
    if (word.parts === undefined) this.#list.place(word, { type: this.#list.isOne(word) ? type : 'word' });
    for (const part of word.parts ?? []) this.#part(part);
  }

  #part(part: WordPart): void {
    switch (part.type) {
      case 'Literal':
        this.#list.place(part, { type: 'word' });
        return;
      case 'SingleQuoted':
        this.#list.placeAsIs(part, { type: 'single' });
        return;
      case 'DoubleQuoted':
        for (const child of part.parts) {
          if (child.type === 'Literal') this.#list.place(child, { type: 'double' });
          else this.#part(child);
        }
        return;
      case 'CommandExpansion':
        this.#substitution(part);
        return;
      case 'ProcessSubstitution':
        if (part.script !== undefined) this.visit(part.script);
        return;
      case 'AnsiCQuoted':
      case 'LocaleString':
        this.#list.refuse(part, refusals.dollarQuotes);
        return;
      case 'SimpleExpansion':
      case 'ParameterExpansion':
        this.#list.refuse(part, refusals.parameter);
        return;
      case 'ArithmeticExpansion':
        this.#list.refuse(part, refusals.arithmetic);
        return;
      case 'Glob':
      case 'ExtendedGlob':
      case 'BraceExpansion':
        this.#list.refuse(part, refusals.pattern);
    }
  }

  #substitution(part: CommandExpansionPart): void {
    if (!this.#list.has(part)) return;
    if (part.text.startsWith('`')) {
      if (part.text.includes('\\')) this.#list.refuse(part, refusals.backticks);
      // What is quoted within is quoted there in any case, and a comment ends.
      this.edits.push({ start: part.pos, end: part.pos + 1, text: '$(' });
      this.edits.push({ start: part.end - 1, end: part.end, text: part.text.includes('#') ? '\n)' : ')' });
    }
    if (part.script !== undefined) this.visit(part.script);
  }
}
