import type { Definition, FootnoteDefinition, List, ListItem, Nodes, Root, RootContent, Table } from 'mdast';
import { namesItself, readableAddress } from '../../src/lib/address-words.ts';
import { tableText } from '../../src/lib/text-table.ts';
import { linkTarget } from './link.ts';
import { join, nothing, plain, prefixed, type Rich, styled, trimmed } from './rich.ts';

/** Nesting that no person writes is shown as it was typed: recursion must end before the stack does. */
const deepestNesting = 48;

interface Context {
  readonly source: string;
  readonly definitions: ReadonlyMap<string, string>;
  /** Whether addresses are hidden behind their words, or written out after them. */
  readonly addresses: 'hidden' | 'written';
  readonly depth: number;
}

/** Sets a parsed text for Telegram. The source is what the tree was parsed from. */
export function setText(root: Root, source: string, addresses: Context['addresses']): Rich {
  const definitions = new Map(definitionsIn(root.children, 0).map(({ identifier, url }) => [identifier, url]));
  return trimmed(setBlocks(root.children, { source, definitions, addresses, depth: 0 }));
}

function definitionsIn(nodes: readonly Nodes[], depth: number): Definition[] {
  if (depth > deepestNesting) return [];
  return nodes.flatMap((node) => {
    if (node.type === 'definition') return [node];
    return 'children' in node ? definitionsIn(node.children, depth + 1) : [];
  });
}

function setBlocks(nodes: readonly RootContent[], context: Context, separator = '\n\n'): Rich {
  return join(
    setEach(nodes, context).filter(({ text }) => text !== ''),
    separator,
  );
}

function setInline(nodes: readonly RootContent[], context: Context): Rich {
  return join(setEach(nodes, context));
}

function setEach(nodes: readonly RootContent[], context: Context): Rich[] {
  const inside = { ...context, depth: context.depth + 1 };
  return nodes.map((node) => (inside.depth > deepestNesting ? asTyped(node, inside) : setNode(node, inside)));
}

function asTyped({ position }: RootContent, { source }: Context): Rich {
  return plain(source.slice(position?.start.offset ?? 0, position?.end.offset ?? 0));
}

function setNode(node: RootContent, context: Context): Rich {
  switch (node.type) {
    case 'text':
      return plain(node.value);
    case 'html':
    case 'yaml':
      return plain(node.value);
    case 'break':
      return plain('\n');
    case 'thematicBreak':
      return plain('———');
    case 'paragraph':
      return trimmed(setInline(node.children, context));
    case 'heading':
      return styled(trimmed(setInline(node.children, context)), { type: 'bold' });
    case 'strong':
      return styled(setInline(node.children, context), { type: 'bold' });
    case 'emphasis':
      return styled(setInline(node.children, context), { type: 'italic' });
    case 'delete':
      return styled(setInline(node.children, context), { type: 'strikethrough' });
    case 'inlineCode':
      return styled(plain(node.value), { type: 'code' });
    case 'code':
      return setCode(node.value, node.lang ?? '');
    case 'blockquote':
      return styled(trimmed(setBlocks(node.children, context)), { type: 'blockquote' });
    case 'list':
      return setList(node, context);
    case 'listItem':
      return setItem(node, '• ', context);
    case 'table':
      return setCode(setTable(node, context), '');
    case 'tableRow':
    case 'tableCell':
      return setInline(node.children, context);
    case 'link':
      return setLink(setInline(node.children, context), node.url, context);
    case 'image':
      return setLink(plain(node.alt || 'image'), node.url, context);
    case 'linkReference':
      return setLink(setInline(node.children, context), context.definitions.get(node.identifier) ?? '', context);
    case 'imageReference':
      return setLink(plain(node.alt || 'image'), context.definitions.get(node.identifier) ?? '', context);
    case 'footnoteReference':
      return plain(`[${node.label ?? node.identifier}]`);
    case 'footnoteDefinition':
      return setFootnote(node, context);
    case 'definition':
      return nothing;
  }
}

function setCode(code: string, language: string): Rich {
  const text = code.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
  return styled(plain(text), { type: 'pre', ...(/^[\w+#.-]{1,32}$/.test(language) && { language }) });
}

function setList(list: List, context: Context): Rich {
  const start = list.start ?? 1;
  const items = list.children.map((item, index) => setItem(item, list.ordered ? `${start + index}. ` : '• ', context));
  return join(items, list.spread ? '\n\n' : '\n');
}

function setItem(item: ListItem, marker: string, context: Context): Rich {
  const content = trimmed(setBlocks(item.children, context, item.spread ? '\n\n' : '\n'));
  return trimmed(prefixed(content, withBox(marker, item.checked), ' '.repeat(marker.length)));
}

function withBox(marker: string, checked: boolean | null | undefined): string {
  if (checked === null || checked === undefined) return marker;
  const box = checked ? '☑ ' : '☐ ';
  return marker === '• ' ? box : marker + box;
}

function setTable(table: Table, context: Context): string {
  // In a column of code nothing can be a link.
  const inCells = { ...context, addresses: 'written' as const };
  const rows = table.children.map((row) =>
    row.children.map((cell) => setInline(cell.children, inCells).text.replace(/\s+/g, ' ')),
  );
  return tableText(rows, table.align ?? []);
}

function setLink(words: Rich, address: string, { addresses }: Context): Rich {
  const readable = readableAddress(address);
  if (namesItself(words.text, address) || readable === words.text) return words;

  const target = linkTarget(address);
  if (words.text.trim() === '') return plain(readable);
  if (target !== undefined && addresses === 'hidden') return styled(words, { type: 'text_link', url: target });
  return readable === '' ? words : join([words, plain(` (${readable})`)]);
}

function setFootnote(note: FootnoteDefinition, context: Context): Rich {
  return prefixed(trimmed(setBlocks(note.children, context)), `[${note.label ?? note.identifier}] `, '');
}
