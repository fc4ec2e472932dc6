import type { FoundMemory } from './findings.ts';

/** A memory longer than this is cut into several: `tools.memory_store.max_chars` allows more. */
const longestEntry = 2000;

/** What stands in templates, and says nothing of anybody. */
const isTemplate = /^(?:\(.*\)|\*?\s*This file .*|_.*_|[-*]?\s*\**[\w /']{1,40}:\**\s*(?:_\(.*\)_)?|#.*|---+)$/s;

/**
 * The entries of a Markdown file: each point of a list and each paragraph by itself, with its headings before it, since it
 * is found and read alone. Entries that a line with only `§` separates stay as they are.
 */
export function entriesOf(text: string, file: string, tags: readonly string[]): readonly FoundMemory[] {
  const plain = text
    .replaceAll('\r\n', '\n')
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/<!--[\s\S]*?-->/g, '');
  const blocks = /^§$/m.test(plain) ? plain.split(/^§$/m) : blocksOf(plain);
  const entries = blocks.map((block) => block.trim()).filter((block) => block !== '' && !isTemplate.test(block));
  const cut = entries.flatMap((entry) => pieces(entry));
  return [...new Set(cut)].map((entry) => ({ file, text: entry, tags }));
}

function blocksOf(text: string): readonly string[] {
  const outline = new Outline();
  for (const line of text.split('\n')) outline.take(line);
  return outline.end();
}

/** The blocks of a text, each with the headings that it stands below. */
class Outline {
  readonly #blocks: string[] = [];
  #headings: readonly string[] = [];
  #open: readonly string[] = [];

  take(line: string): void {
    const [, marks, heading = ''] = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line) ?? [];
    const isPoint = point.test(line);
    if (marks !== undefined || isPoint || line.trim() === '') this.#close();
    if (marks === undefined) this.#open = [...this.#open, line.replace(point, '')];
    // The title of the file says nothing.
    else this.#headings = marks.length === 1 ? [] : [...this.#headings.slice(0, marks.length - 2), heading];
  }

  end(): readonly string[] {
    this.#close();
    return this.#blocks;
  }

  #close(): void {
    const block = this.#open.join('\n').trim();
    this.#open = [];
    if (block === '' || isTemplate.test(block)) return;
    const headings = this.#headings.filter((one) => one !== '').map((one) => one.replaceAll('*', ''));
    this.#blocks.push(headings.length === 0 ? block : `${headings.join(' · ')}: ${block}`);
  }
}

/** What begins a point of a list: those further in belong to it. */
const point = /^(?:[-*+]|\d+[.)])\s+/;

/** Cut between lines, or else anywhere. */
function pieces(entry: string): readonly string[] {
  if (entry.length <= longestEntry) return [entry];
  const end = Math.max(entry.lastIndexOf('\n', longestEntry), entry.lastIndexOf(' ', longestEntry));
  const at = end < longestEntry / 2 ? longestEntry : end;
  return [entry.slice(0, at).trim(), ...pieces(entry.slice(at).trim())].filter((piece) => piece !== '');
}
