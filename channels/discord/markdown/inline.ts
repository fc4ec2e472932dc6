import type { RootContent } from 'mdast';
import { namesItself, readableAddress } from '../../../src/lib/address-words.ts';
import { codeSpan, escapeInline } from './escape.ts';
import { linkTarget, looksLikeAddress } from './link-target.ts';

/** Nesting that no person writes is shown as it was typed: recursion must end before the stack does. */
export const deepestNesting = 48;

export interface Context {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  /** Somewhere in the text brackets stand that would make a link. */
  readonly hasLinkMarks: boolean;
  readonly isQuoted: boolean;
  readonly depth: number;
  /** What the text is within already: it is not laid over itself. */
  readonly styles: readonly Mark[];
}

type Mark = '**' | '*' | '~~';

/** Sets what stands in a line for Discord. It may have several lines, without blank ones at its ends. */
export function setInline(nodes: readonly RootContent[], context: Context): string {
  return joined(setEach(nodes, context)).trim();
}

/** The words of it, without marks and escapes. */
export function plainWords(nodes: readonly RootContent[], context: Context): string {
  if (context.depth > deepestNesting) return nodes.map((node) => asTyped(node, context)).join('');
  const inside = { ...context, depth: context.depth + 1 };
  return nodes.map((node) => plainWordsOf(node, inside)).join('');
}

/** The source of it. */
export function asTyped({ position }: RootContent, { source }: Context): string {
  return source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0);
}

/** A stretch of a line, and whether marks stand at its ends. */
interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

function setEach(nodes: readonly RootContent[], context: Context): readonly Piece[] {
  const inside = { ...context, depth: context.depth + 1 };
  if (inside.depth > deepestNesting) return nodes.map((node) => typed(asTyped(node, context), context));
  return nodes.flatMap((node) => setNode(node, inside));
}

/** Marks that stand side by side would be taken for longer ones. */
function joined(pieces: readonly Piece[]): string {
  let line = '';
  let wasMarked = false;
  for (const { text, isMarked } of pieces) {
    if (text === '') continue;
    const touches = isMarked && wasMarked && line.at(-1) === text.at(0);
    line += touches ? `\u200b${text}` : text;
    wasMarked = isMarked;
  }
  return line;
}

function setNode(node: RootContent, context: Context): readonly Piece[] {
  switch (node.type) {
    case 'text':
    case 'html':
      return [typed(node.value, context)];
    case 'break':
      return [unmarked('\n')];
    case 'strong':
      return setStyled(node.children, '**', context);
    case 'emphasis':
      return setStyled(node.children, '*', context);
    case 'delete':
      return setStyled(node.children, '~~', context);
    case 'inlineCode':
      return [{ text: codeSpan(node.value), isMarked: true }];
    case 'link':
      return [setLink(node.children, node.url, context)];
    case 'linkReference':
      return [setLink(node.children, context.definitions.get(node.identifier) ?? '', context)];
    case 'image':
      return [setImage(node.alt, node.url, context)];
    case 'imageReference':
      return [setImage(node.alt, context.definitions.get(node.identifier) ?? '', context)];
    case 'footnoteReference':
      return [typed(`[${node.label ?? node.identifier}]`, context)];
    default:
      return [typed(asTyped(node, context), context)];
  }
}

function unmarked(text: string): Piece {
  return { text, isMarked: false };
}

function typed(text: string, { hasLinkMarks }: Context): Piece {
  const escaped = escapeInline(text);
  return unmarked(hasLinkMarks ? escaped.replaceAll('[', String.raw`\[`) : escaped);
}

function setStyled(nodes: readonly RootContent[], mark: Mark, context: Context): readonly Piece[] {
  const { styles } = context;
  if (styles.includes(mark)) return setEach(nodes, context);
  const text = joined(setEach(nodes, { ...context, styles: [...styles, mark] }));
  const words = text.trim();
  if (words === '') return [unmarked(text)];
  // A mark does not begin or end at white space.
  const [before = '', after = ''] = text.split(words);
  return [unmarked(before), { text: mark + words + mark, isMarked: true }, unmarked(after)];
}

function setLink(nodes: readonly RootContent[], address: string, context: Context): Piece {
  const words = plainWords(nodes, context).trim();
  const target = linkTarget(address);
  const readable = readableAddress(address);
  if (target !== undefined && (words === '' || namesItself(words, address))) return unmarked(`<${target}>`);
  if (words === '') return typed(readable, context);
  const shown = joined(setEach(nodes, { ...context, hasLinkMarks: true })).trim();
  if (namesItself(words, address) || readable === '' || readable === words) return unmarked(shown);
  if (target === undefined) return unmarked(`${shown} (${typed(readable, context).text})`);
  if (looksLikeAddress(words)) return unmarked(`${shown} (<${target}>)`);
  return unmarked(`[${shown.replaceAll(/(?<!\\)\]/g, String.raw`\]`)}](${target})`);
}

function setImage(alt: string | null | undefined, address: string, context: Context): Piece {
  return setLink([{ type: 'text', value: alt?.trim() || 'image' }], address, context);
}

function plainWordsOf(node: RootContent, context: Context): string {
  if (node.type === 'break') return '\n';
  if (node.type === 'image' || node.type === 'imageReference') return node.alt || 'image';
  if (node.type === 'footnoteReference') return `[${node.label ?? node.identifier}]`;
  if ('value' in node) return node.value;
  return 'children' in node ? plainWords(node.children, context) : '';
}
