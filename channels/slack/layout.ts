import type { OutboundMessage } from '../../src/contract.ts';
import { foldPieces } from '../../src/lib/folds.ts';
import { type Parse, readMarkdown } from '../../src/lib/markdown-parser.ts';
import { type MarkdownBlock, type MarkdownInline, plainWords } from '../../src/lib/markdown-tree.ts';
import { shortened } from '../../src/lib/plain-text.ts';
import { readLines } from '../../src/lib/split/markdown-lines.ts';
import { isOwnWords } from '../kit/own-words.ts';
import { onRefusal } from '../kit/request-failure.ts';
import {
  type Block,
  type Content,
  contentOf,
  notificationOf,
  orPlain,
  plainContentOf,
  rowsOf,
  shownMarkdown,
} from './content.ts';
import { richText } from './rich-text.ts';

/** Requests with a message's content, in the best form that the workspace takes. */
export class Layout {
  readonly #parse: Parse;
  #isRefused = false;

  constructor(parse: Parse) {
    this.#parse = parse;
  }

  /**
   * Tries cards with containers that fold, and instants by the reader's clock; if Slack refuses those, without both, from
   * then on for all messages; at last without formatting.
   */
  async send<Result>(message: OutboundMessage, request: (content: Content) => Promise<Result>): Promise<Result> {
    const rich = this.#isRefused ? undefined : richContentOf(message, this.#parse);
    if (rich === undefined) return orPlain(message, request);
    return request(rich)
      .catch(onRefusal(refused, () => this.#sendPlainer(message, request)))
      .catch(onRefusal(/^invalid_blocks/, () => request(plainContentOf(message))));
  }

  async #sendPlainer<Result>(
    message: OutboundMessage,
    request: (content: Content) => Promise<Result>,
  ): Promise<Result> {
    const result = await request(contentOf(message));
    // That it is taken now shows what was refused.
    this.#isRefused = true;
    return result;
  }
}

const refused = /^(?:invalid_blocks|msg_blocks_too_long)/;

/** Slack takes 50 blocks, and was measured to take 13,200 characters in all of them together. */
const most = { blocks: 50, characters: 13_000, title: 150 } as const;

/** Undefined where there is nothing to fold and no instant, and where it would take too much room. */
function richContentOf(message: OutboundMessage, parse: Parse): Content | undefined {
  const { markdown, buttons = [], kind } = message;
  if (!isOwnWords(message) || !/> \[!details\]-|<time /.test(markdown)) return undefined;
  const pieces = foldPieces(markdown);
  const body = pieces.flatMap(({ title, text }) =>
    title === undefined || kind !== 'card'
      ? wordBlocks(title === undefined ? text : markdownOf(title, text), parse)
      : [container(title, text, parse)],
  );
  const blocks = [...body, ...rowsOf(buttons)];
  const isPlain = body.every(({ type }) => type === 'markdown');
  if (isPlain || blocks.length > most.blocks || lengthOf(blocks) > most.characters) return undefined;
  return { text: notificationOf(markdown), blocks };
}

/** A folded block of another message than a card: a quotation. */
function markdownOf(title: string, text: string): string {
  return [`**${title}**`, '', ...text.split('\n')].map((line) => `> ${line}`).join('\n');
}

function container(title: string, markdown: string, parse: Parse): Block {
  const words = readMarkdown(title, parse).map(wordsOf).join(' ').trim();
  const elements = richText(readMarkdown(markdown.trim(), parse));
  return {
    type: 'container',
    title: { type: 'plain_text', text: shortened(words, most.title) || '…' },
    is_collapsible: true,
    default_collapsed: true,
    child_blocks: [{ type: 'rich_text', elements: elements.length > 0 ? elements : richText(empty) }],
  };
}

const empty: readonly MarkdownBlock[] = [{ type: 'html', value: '…' }];

function wordsOf(block: MarkdownBlock): string {
  if (block.type === 'paragraph' || block.type === 'heading') return plainWords(block.children);
  return 'value' in block ? block.value : '';
}

/** Markdown, in which Slack knows no instants: a paragraph with one is rich text. */
function wordBlocks(markdown: string, parse: Parse): readonly Block[] {
  const blocks: Block[] = [];
  let rest: string[] = [];
  for (const paragraph of paragraphsOf(markdown)) {
    const read = paragraph.includes('<time ') ? readMarkdown(paragraph, parse) : [];
    if (read.length === 1 && read[0]?.type === 'paragraph' && hasInstant(read[0].children)) {
      blocks.push(...markdownBlocks(rest), { type: 'rich_text', elements: richText(read) });
      rest = [];
    } else rest.push(paragraph);
  }
  return [...blocks, ...markdownBlocks(rest)];
}

function markdownBlocks(paragraphs: readonly string[]): readonly Block[] {
  const text = shownMarkdown(paragraphs.join('\n\n')).trim();
  return text === '' ? [] : [{ type: 'markdown', text }];
}

function hasInstant(nodes: readonly MarkdownInline[]): boolean {
  return nodes.some((node) => node.type === 'time' || ('children' in node && hasInstant(node.children)));
}

/** Cut at blank lines outside code. */
function paragraphsOf(markdown: string): readonly string[] {
  const paragraphs: string[] = [''];
  for (const { start, end, kind, fence } of readLines(markdown)) {
    if (kind === 'blank' && fence === undefined) paragraphs.push('');
    else paragraphs[paragraphs.length - 1] += markdown.slice(start, end);
  }
  return paragraphs.map((text) => text.replace(/\n$/, '')).filter((text) => text !== '');
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part: unknown) => sum + lengthOf(part), 0);
}
