import { type Command, forEachChild, parse, type Redirection, type SyntaxNode } from 'unbash';
import { finding } from './command-kind.ts';
import type { CommandReading, ReadAssignment, ReadCommand, ReadRedirect } from './command-reading.ts';
import { type CallSite, readCall, type WrittenCommand } from './read-call.ts';
import { anyWord, knownWord, shellWord } from './shell-word.ts';
import { doubtOf } from './syntax-doubts.ts';

/** The longest text, in characters, that is read. */
const longestText = 32_768;

/** How many commands are read, how deep a text may stand in a text, and how much all these hold, in characters. */
const mostCommands = 2_000;
const deepest = 6;
const mostText = 8 * longestText;
/** How deep the parts of one text may stand in each other, counted in nodes: about 50 substitutions. */
const deepestNode = 300;

/** Reads a text for the shell, and never throws: what cannot be read is in the reading as unknown. */
export function readCommands(text: string): CommandReading {
  if (text.length > longestText) {
    const findings = [finding('unknown', 'a very long text')];
    return { text, commands: [], innerTexts: [], isLeftRunning: false, isWhole: false, findings };
  }
  const walk = new Walk();
  try {
    walk.read(text, { via: [], upstream: [], isPiped: false }, 0);
  } catch (thrown) {
    // How deep a parser can go depends on the stack that is left.
    if (!(thrown instanceof RangeError)) throw thrown;
    walk.giveUp('deep nesting');
  }
  const { commands, innerTexts, isLeftRunning, isWhole } = walk;
  const findings = [...walk.doubts].map((doubt) => finding('unknown', doubt));
  return { text, commands, innerTexts, isLeftRunning, isWhole, findings };
}

/** One way through a text and the texts in it. */
class Walk {
  readonly commands: ReadCommand[] = [];
  readonly innerTexts: string[] = [];
  readonly doubts = new Set<string>();
  isLeftRunning = false;
  isWhole = true;
  #length = 0;
  #level = 0;

  read(text: string, site: CallSite, depth: number): void {
    this.#length += text.length;
    if (depth > deepest) {
      this.giveUp('deep nesting');
      return;
    }
    if (this.#length > mostText) {
      this.giveUp('very many commands');
      return;
    }
    this.#visit(parse(text), site, depth);
  }

  /** A part of it is not read. */
  giveUp(doubt: string): void {
    this.isWhole = false;
    this.doubts.add(doubt);
  }

  #visit(node: SyntaxNode, site: CallSite, depth: number): void {
    if (this.commands.length > mostCommands) {
      this.giveUp('very many commands');
      return;
    }
    // The parser reads what is inside again for each level.
    if (this.#level >= deepestNode) {
      this.giveUp('deep nesting');
      return;
    }
    this.#level += 1;
    this.#enter(node, site, depth);
    this.#level -= 1;
  }

  #enter(node: SyntaxNode, site: CallSite, depth: number): void {
    const doubt = doubtOf(node);
    if (doubt !== undefined) this.doubts.add(doubt);
    if (node.type === 'Pipeline') {
      this.#pipe(node.commands, site, depth);
      return;
    }
    const begin = this.commands.length;
    forEachChild(node, (child) => this.#visit(child, site, depth));
    // dash takes it for two subshells and runs what is in it.
    if (node.type === 'ArithmeticCommand') this.read(node.body, site, depth + 1);
    const written = writtenCommand(node);
    if (written !== undefined) this.#call(written, { ...site, filledIn: this.commands.slice(begin) }, depth);
    if (node.type === 'Statement' && node.background === true) this.isLeftRunning = true;
  }

  #pipe(stages: readonly SyntaxNode[], site: CallSite, depth: number): void {
    let upstream = site.upstream;
    let isPiped = site.isPiped;
    for (const stage of stages) {
      const begin = this.commands.length;
      this.#visit(stage, { ...site, upstream, isPiped }, depth);
      upstream = [...upstream, ...this.commands.slice(begin)];
      isPiped = true;
    }
  }

  #call(written: WrittenCommand, site: CallSite, depth: number): void {
    const { commands, texts, isWhole } = readCall(written, site);
    if (!isWhole) this.giveUp('deep nesting');
    this.commands.push(...commands);
    for (const { text, via } of texts) {
      this.innerTexts.push(text);
      this.read(text, { via, upstream: site.upstream, isPiped: site.isPiped }, depth + 1);
    }
  }
}

/** What of a node is a command itself, rather than made of commands. */
function writtenCommand(node: SyntaxNode): WrittenCommand | undefined {
  switch (node.type) {
    case 'Command':
      return simpleCommand(node);
    case 'Redirected':
      return { words: [], assignments: [], redirects: redirectsOf(node.redirects) };
    case 'For':
    case 'Select':
      return { words: [], assignments: loopVariable(node), redirects: [] };
    default:
      return undefined;
  }
}

function simpleCommand({ name, args, prefix, redirects }: Command): WrittenCommand {
  const assignments = prefix.flatMap((part): readonly ReadAssignment[] => {
    if (part.type !== 'Assignment') return [];
    return [{ name: part.name, ...(part.value.type === 'Word' ? { value: shellWord(part.value) } : {}) }];
  });
  const words = [...(name === undefined ? [] : [name]), ...args].map(shellWord);
  return { words, assignments, redirects: redirectsOf(redirects) };
}

function loopVariable(node: Extract<SyntaxNode, { type: 'For' | 'Select' }>): readonly ReadAssignment[] {
  const values = (node.wordlist ?? []).map(shellWord);
  return [{ name: node.name.value, value: anyWord('') }, ...values.map((value) => ({ name: node.name.value, value }))];
}

function redirectsOf(redirections: readonly Redirection[]): readonly ReadRedirect[] {
  return redirections.map((redirection) => {
    const { type, operator } = redirection;
    if (type !== 'HereDoc') {
      const { target } = redirection;
      return { operator, target: target === undefined ? anyWord('') : shellWord(target) };
    }
    const { body, delimiter } = redirection;
    const isKnown = delimiter?.quoted === true || (body.parts ?? []).every((part) => part.type === 'Literal');
    return { operator, target: isKnown ? knownWord(body.text) : anyWord(body.text) };
  });
}
