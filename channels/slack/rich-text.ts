import { isTimeOfDay } from '../../src/lib/folds.ts';
import {
  type MarkdownBlock,
  type MarkdownInline,
  type MarkdownItem,
  plainWords,
  readableAddress,
  tableText,
} from '../../src/lib/markdown-tree.ts';
import { numberedTable } from '../../src/lib/table-links.ts';
import { neutral } from './neutral.ts';

/** A part of a `rich_text` block. Slack takes no empty text. */
export type RichElement = Readonly<Record<string, unknown>>;

interface Style {
  readonly bold?: true;
  readonly italic?: true;
  readonly strike?: true;
  readonly code?: true;
  readonly underline?: true;
}

/** Blocks as the elements of one `rich_text` block, each beginning a line. A stretch of one style is one element. */
export function richText(blocks: readonly MarkdownBlock[]): readonly RichElement[] {
  return blocks.flatMap(richBlock).filter(({ elements }) => Array.isArray(elements) && elements.length > 0);
}

function richBlock(block: MarkdownBlock): readonly RichElement[] {
  switch (block.type) {
    case 'paragraph':
      return [section(inlineElements(block.children, {}))];
    case 'heading':
      return [section(inlineElements(block.children, { bold: true }))];
    case 'code':
      return [preformatted(block.value)];
    case 'html':
      return [section(textElements(block.value, {}))];
    case 'table': {
      const { rows, links } = numberedTable(block);
      const list = links.map(({ number, link }) =>
        section([...textElements(`${number} `, {}), ...inlineElements([link], {})]),
      );
      return [preformatted(tableText(rows, block.align)), ...list];
    }
    case 'list':
      return block.items.flatMap((item) => prefixed(markerOf(item), item.children));
    case 'footnote':
      return prefixed(`[${block.label}] `, block.children);
    case 'details':
      return [section(inlineElements(block.title, { bold: true })), ...richText(block.children)];
    case 'blockquote':
      return richText(block.children).map((element) =>
        element.type === 'rich_text_section' ? { ...element, type: 'rich_text_quote' } : element,
      );
  }
}

function markerOf({ number, box }: MarkdownItem): string {
  return `${number === undefined ? '•' : `${number}.`} ${box}`;
}

function prefixed(marker: string, blocks: readonly MarkdownBlock[]): readonly RichElement[] {
  const [first, ...others] = blocks;
  const isInline = first?.type === 'paragraph';
  const head = section([...textElements(marker, {}), ...(isInline ? inlineElements(first.children, {}) : [])]);
  return [head, ...richText(isInline || first === undefined ? others : blocks).map(indented)];
}

/** What stands in an item below its first line. */
function indented(element: RichElement): RichElement {
  const { type, elements } = element;
  if (type !== 'rich_text_section' || !Array.isArray(elements)) return element;
  return section([...textElements('    ', {}), ...elements]);
}

function section(elements: readonly RichElement[]): RichElement {
  return { type: 'rich_text_section', elements: merged(elements) };
}

function preformatted(text: string): RichElement {
  return { type: 'rich_text_preformatted', elements: textElements(text, {}) };
}

function inlineElements(nodes: readonly MarkdownInline[], style: Style): readonly RichElement[] {
  return nodes.flatMap((node) => elementsOf(node, style));
}

function elementsOf(node: MarkdownInline, style: Style): readonly RichElement[] {
  switch (node.type) {
    case 'text':
      return textElements(node.value, style);
    case 'inlineCode':
      return textElements(node.value, { ...style, code: true });
    case 'strong':
      return inlineElements(node.children, { ...style, bold: true });
    case 'emphasis':
      return inlineElements(node.children, { ...style, italic: true });
    case 'delete':
      return inlineElements(node.children, { ...style, strike: true });
    case 'underline':
      return inlineElements(node.children, { ...style, underline: true });
    case 'spoiler':
      return inlineElements(node.children, style);
    case 'time':
      return [dateElement(node.at, plainWords(node.children), style)];
    case 'link':
      return linkElements(node.url, plainWords(node.children), style);
  }
}

function textElements(text: string, style: Style): readonly RichElement[] {
  return text === '' ? [] : [styled({ type: 'text', text: neutral(text) }, style)];
}

/** By the clock of the reader. */
function dateElement(at: number, words: string, style: Style): RichElement {
  const format = isTimeOfDay(words) ? '{time}' : '{date_short_pretty} {time}';
  return styled({ type: 'date', timestamp: Math.floor(at / 1000), format, fallback: words }, style);
}

const longestUrl = 3000;

function linkElements(url: string, words: string, style: Style): readonly RichElement[] {
  const isLink = /^(?:https?:\/\/|mailto:)\S+$/i.test(url) && url.length <= longestUrl;
  if (isLink) return [styled({ type: 'link', url, ...(words.trim() !== '' && { text: neutral(words) }) }, style)];
  const readable = readableAddress(url);
  return textElements(readable === '' || readable === words ? words : `${words} (${readable})`, style);
}

function styled(element: RichElement, style: Style): RichElement {
  return Object.keys(style).length === 0 ? element : { ...element, style };
}

/** Neighbours of the same style as one: each element takes room of its own. */
function merged(elements: readonly RichElement[]): readonly RichElement[] {
  const result: RichElement[] = [];
  for (const element of elements) {
    const last = result.at(-1);
    const isSame =
      last?.type === 'text' && element.type === 'text' && JSON.stringify(last.style) === JSON.stringify(element.style);
    if (isSame) result[result.length - 1] = { ...last, text: `${String(last.text)}${String(element.text)}` };
    else result.push(element);
  }
  return result;
}
