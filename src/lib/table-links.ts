import { type MarkdownInline, type MarkdownTable, namesItself, readableAddress } from './markdown-tree.ts';

/** A table without its links, for readers that show it as code; and they, in order. */
export interface NumberedTable {
  /** Its cells. A number stands behind the words of each link: `words¹`. */
  readonly rows: readonly (readonly string[])[];
  /** To be listed below it. */
  readonly links: readonly { readonly number: string; readonly link: TableLink }[];
}

type TableLink = Extract<MarkdownInline, { readonly type: 'link' }>;

/** The same address has the same number. */
export function numberedTable({ rows }: MarkdownTable): NumberedTable {
  const links = new Map<string, NumberedTable['links'][number]>();
  const cells = rows.map((row) => row.map((cell) => cellWords(cell, links).replace(/\s+/g, ' ').trim()));
  return { rows: cells, links: [...links.values()] };
}

function cellWords(nodes: readonly MarkdownInline[], links: Map<string, NumberedTable['links'][number]>): string {
  return nodes
    .map((node) => {
      if ('value' in node) return node.value;
      const words = cellWords(node.children, links);
      if (node.type !== 'link' || readableAddress(node.url) === '') return words;
      const number = links.get(node.url)?.number ?? raised(links.size + 1);
      if (!links.has(node.url)) links.set(node.url, { number, link: node });
      return (namesItself(words, node.url) ? hostOf(node.url, words) : words) + number;
    })
    .join('');
}

/** An address that takes more room than this in a table is shown as its host: it stands whole below. */
const longestAddress = 24;

function hostOf(address: string, words: string): string {
  if (words.length <= longestAddress) return words;
  return URL.parse(address)?.hostname ?? words;
}

const digits = [...'⁰¹²³⁴⁵⁶⁷⁸⁹'];

function raised(number: number): string {
  return [...`${number}`].map((digit) => digits[Number(digit)]).join('');
}
