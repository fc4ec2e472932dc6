import type { Definition, List, ListItem, Nodes, Root, RootContent, Table } from 'mdast';
import { tableText } from '../../../src/lib/text-table.ts';
import { codeBlock, escapeBeginnings, escapeInline } from './escape.ts';
import { asTyped, type Context, deepestNesting, plainWords, setInline } from './inline.ts';

/** Sets a parsed text for Discord. The source is what the tree was parsed from. */
export function setText(root: Root, source: string): string {
  const definitions = new Map(definitionsIn(root.children, 0).map(({ identifier, url }) => [identifier, url]));
  const hasLinkMarks = wordsIn(root.children, 0).includes('](');
  return setBlocks(root.children, { source, definitions, hasLinkMarks, isQuoted: false, depth: 0, styles: [] }).trim();
}

/** Shows a text as it was typed. */
export function setTyped(source: string): string {
  const escaped = escapeInline(source);
  return escapeBeginnings(escaped.includes('](') ? escaped.replaceAll('[', String.raw`\[`) : escaped).trim();
}

function definitionsIn(nodes: readonly Nodes[], depth: number): Definition[] {
  if (depth > deepestNesting) return [];
  return nodes.flatMap((node) => {
    if (node.type === 'definition') return [node];
    return 'children' in node ? definitionsIn(node.children, depth + 1) : [];
  });
}

function wordsIn(nodes: readonly Nodes[], depth: number): string {
  if (depth > deepestNesting) return '](';
  return nodes
    .map((node) => {
      if (node.type === 'text' || node.type === 'html') return node.value;
      return 'children' in node ? wordsIn(node.children, depth + 1) : '';
    })
    .join('');
}

type Gap = '\n' | '\n\n';

function setBlocks(nodes: readonly RootContent[], context: Context, gap: Gap = '\n\n'): string {
  const inside = { ...context, depth: context.depth + 1 };
  let text = '';
  let wasHeading = false;
  for (const node of nodes) {
    const block = inside.depth > deepestNesting ? setTyped(asTyped(node, context)) : setBlock(node, inside);
    if (block === '') continue;
    // A heading has room below it.
    text += text === '' ? block : (wasHeading ? '\n' : gap) + block;
    wasHeading = node.type === 'heading' && node.depth <= 3;
  }
  return text;
}

function setBlock(node: RootContent, context: Context): string {
  switch (node.type) {
    case 'paragraph':
      return escapeBeginnings(setInline(node.children, context));
    case 'heading':
      return setHeading(node.children, node.depth, context);
    case 'code':
      return codeBlock(node.value, node.lang ?? '');
    case 'blockquote':
      return setQuote(node.children, context);
    case 'list':
      return setList(node, context);
    case 'table':
      return setTable(node, context);
    case 'thematicBreak':
      return '———';
    case 'html':
      return setTyped(node.value);
    case 'footnoteDefinition':
      return prefixed(setBlocks(node.children, context), `[${node.label ?? node.identifier}] `, '');
    case 'definition':
      return '';
    default:
      return escapeBeginnings(setInline([node], context));
  }
}

/** Discord knows no quote in a quote. */
function setQuote(nodes: readonly RootContent[], context: Context): string {
  const text = setBlocks(nodes, { ...context, isQuoted: true });
  return context.isQuoted || text === '' ? text : prefixed(text, '> ', '> ');
}

/** Discord knows three sizes, and takes number signs at the end for a part of the mark. */
function setHeading(nodes: readonly RootContent[], depth: number, context: Context): string {
  if (depth <= 3) {
    const line = oneLine(setInline(nodes, context)).replace(/#(?=#*$)/g, String.raw`\#`);
    return line === '' ? '' : `${'#'.repeat(depth)} ${line}`;
  }
  const bold = oneLine(setInline(nodes, { ...context, styles: ['**'] }));
  return bold === '' ? '' : `**${bold}**`;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ');
}

function setList(list: List, context: Context): string {
  const start = list.start ?? 1;
  return list.children
    .map((item, index) => setItem(item, list.ordered ? `${start + index}. ` : '- ', context))
    .join('\n');
}

function setItem(item: ListItem, marker: string, context: Context): string {
  const content = setBlocks(item.children, context, '\n');
  const box = item.checked === true ? '☑ ' : item.checked === false ? '☐ ' : '';
  return prefixed(box + content, marker, ' '.repeat(marker.length)).trimEnd();
}

/** Lines of code stay where they are, so that they can be copied; but a quote has its mark before each line. */
function prefixed(text: string, first: string, rest: string): string {
  let isCode = false;
  const lines = text.split('\n').map((line, index) => {
    const isFence = line.startsWith('```');
    const isKept = rest.trim() === '' && (isCode || isFence);
    if (isFence) isCode = !isCode;
    if (index === 0) return isKept ? `${first.trimEnd()}\n${line}` : first + line;
    return isKept || (line === '' && rest.trim() === '') ? line : rest + line;
  });
  return lines.join('\n');
}

/** What is wider than people's windows has its cells below each other. */
const widestTable = 88;

function setTable(table: Table, context: Context): string {
  const rows = table.children.map((row) =>
    row.children.map((cell) => plainWords(cell.children, context).replace(/\s+/g, ' ').trim()),
  );
  const text = tableText(rows, table.align ?? []);
  const width = Math.max(...text.split('\n').map((line) => line.length));
  return width <= widestTable ? codeBlock(text) : setWideTable(table, context);
}

function setWideTable({ children: [head, ...rows] }: Table, context: Context): string {
  const names = (head?.children ?? []).map((cell) => setInline(cell.children, { ...context, styles: ['**'] }));
  if (rows.length === 0) return names.join(' · ');
  return rows
    .map((row) => {
      const cells = row.children.map((cell, column) => {
        const words = oneLine(setInline(cell.children, context));
        const name = oneLine(names[column] ?? '');
        return name === '' || words === '' ? words || name : `**${name}:** ${words}`;
      });
      const [first = '', ...others] = cells.filter((cell) => cell !== '');
      return [`- ${first}`, ...others.map((cell) => `  ${cell}`)].join('\n');
    })
    .join('\n');
}
