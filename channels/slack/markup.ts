import { isJsonObject, type JsonObject, objectsIn } from '../../src/lib/json.ts';
import { fenced, inlineCode } from '../../src/lib/plain-text.ts';
import { escapeText } from './content.ts';

export interface Naming {
  person(userId: string): string;
  /** Without the leading sign. */
  chat(chatId: string): string;
}

export interface Named {
  readonly users: readonly string[];
  readonly chats: readonly string[];
  readonly groups: readonly string[];
}

/** Slack encloses mentions, links and dates in these, and escapes them in text. */
const mark = /<([^<>]+)>/;

export function namedIn(source: string): Named {
  const found = { users: new Set<string>(), chats: new Set<string>(), groups: new Set<string>() };
  for (const [, inner = ''] of source.matchAll(new RegExp(mark, 'g'))) {
    const { sign, target } = partsOf(inner);
    if (sign === '@') found.users.add(target);
    if (sign === '#') found.chats.add(target);
    if (sign === '!' && target.startsWith('subteam^')) found.groups.add(target);
  }
  return { users: [...found.users], chats: [...found.chats], groups: [...found.groups] };
}

export function readMrkdwn(source: string, naming: Naming): string {
  // Odd parts were between the signs.
  return source
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? unescapeText(part) : readMark(part, naming)))
    .join('');
}

/** Unescapes once, `&amp;` last, so that an entity typed by a person stays. */
function unescapeText(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

interface Parts {
  readonly sign: '@' | '#' | '!' | 'link' | 'none';
  readonly target: string;
  readonly label: string;
}

function partsOf(inner: string): Parts {
  const bar = inner.indexOf('|');
  const head = bar === -1 ? inner : inner.slice(0, bar);
  const label = bar === -1 ? '' : unescapeText(inner.slice(bar + 1));
  const [, sign, id = ''] = /^([@#])([A-Z][A-Z0-9]+)$/.exec(head) ?? [];
  if (sign === '@' || sign === '#') return { sign, target: id, label };
  if (head.startsWith('!')) return { sign: '!', target: head.slice(1), label };
  return { sign: /^[a-z][a-z0-9+.-]*:/i.test(head) ? 'link' : 'none', target: unescapeText(head), label };
}

function readMark(inner: string, naming: Naming): string {
  const { sign, target, label } = partsOf(inner);
  switch (sign) {
    case '@':
      return `@${label === '' ? naming.person(target) : label.replace(/^@/, '')}`;
    case '#':
      return `#${label === '' ? naming.chat(target) : label}`;
    case '!':
      if (target.startsWith('date^')) return label;
      return `@${label === '' ? target.replace(/^subteam\^/, '') : label.replace(/^@/, '')}`;
    case 'link':
      return readLink(target, label);
    case 'none':
      return unescapeText(`<${inner}>`);
  }
}

/** Slack links every URL; then the label repeats it. */
function readLink(address: string, label: string): string {
  const bare = address.replace(/^(?:mailto:|tel:)/i, '');
  if (label === '' || label === address || label === bare) return bare;
  const isShort = address.replace(/^https?:\/\//i, '').replace(/\/$/, '') === label.replace(/\/$/, '');
  if (/^https?:\/\//i.test(address) && isShort) return address;
  return `${label} (${bare})`;
}

/** The blocks as mrkdwn, if they show more than the text: code, lists, quotes, tables. Undefined otherwise. */
export function richTextOf(blocks: unknown): string | undefined {
  const shown = objectsIn(blocks).filter(({ type }) => type === 'rich_text' || type === 'table');
  const elements = shown.flatMap((block) => (block.type === 'table' ? [block] : objectsIn(block.elements)));
  if (!elements.some(({ type }) => typeof type === 'string' && tellingTypes.includes(type))) return undefined;
  const text = joined(
    elements.map((element) => ({ isItem: element.type === 'rich_text_list', text: shownElement(element) })),
  );
  return text === '' ? undefined : text;
}

const tellingTypes: readonly string[] = ['rich_text_list', 'rich_text_preformatted', 'rich_text_quote', 'table'];

/** The text in the blocks of a program that sends no plain text. */
export function wordsInBlocks(blocks: unknown): string {
  const texts = objectsIn(blocks).flatMap(({ type, text }) => {
    if (type === 'markdown' && typeof text === 'string') return [escapeText(text)];
    if (type !== 'section' && type !== 'header') return [];
    const said = isJsonObject(text) ? text.text : undefined;
    return typeof said === 'string' ? [said] : [];
  });
  return texts.join('\n\n');
}

function joined(pieces: readonly { readonly isItem: boolean; readonly text: string }[]): string {
  let whole = '';
  let wasItem = false;
  for (const { isItem, text } of pieces) {
    const shown = text.replace(/^\n+|\n+$/g, '');
    if (shown === '') continue;
    if (whole !== '') whole += isItem && wasItem ? '\n' : '\n\n';
    whole += shown;
    wasItem = isItem;
  }
  return whole;
}

function shownElement(element: JsonObject): string {
  switch (element.type) {
    case 'rich_text_list':
      return shownList(element);
    case 'rich_text_preformatted':
      return shownCode(element);
    case 'rich_text_quote':
      return inline(element.elements).replaceAll(/^/gm, '&gt; ');
    case 'table':
      return shownTable(element);
    default:
      return inline(element.elements);
  }
}

/** The code as written, without nested formatting. */
function shownCode({ elements, language }: JsonObject): string {
  const words = objectsIn(elements).map((part) =>
    part.type === 'link' && typeof part.url === 'string' ? part.url : wordsOf(part),
  );
  const isName = typeof language === 'string' && /^[\w+#.-]{1,30}$/.test(language);
  return escapeText(fenced(words.join(''), isName ? language : ''));
}

function shownList({ style, indent, offset, elements }: JsonObject): string {
  const margin = '   '.repeat(countIn(indent, 8));
  const first = countIn(offset, 1e6) + 1;
  const items = objectsIn(elements).map((item, index) => {
    const bullet = style === 'ordered' ? `${first + index}. ` : '- ';
    return margin + bullet + inline(item.elements).replaceAll('\n', `\n${margin}   `);
  });
  return items.join('\n');
}

function countIn(value: unknown, most: number): number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? Math.min(value, most) : 0;
}

function shownTable({ rows }: JsonObject): string {
  const lines = (Array.isArray(rows) ? rows : []).map((row) => objectsIn(row).map(shownCell));
  const [head, ...body] = lines;
  if (head === undefined || head.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function shownCell(cell: JsonObject): string {
  const { text = cell.value } = cell;
  const isText = typeof text === 'string' || typeof text === 'number';
  const rich = objectsIn(cell.elements).map(({ elements }) => inline(elements));
  const words = cell.type === 'rich_text' ? rich.join(' ') : isText ? escapeText(String(text)) : '';
  return words.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

function inline(elements: unknown): string {
  return objectsIn(elements).map(shownInline).join('');
}

function shownInline(part: JsonObject): string {
  const id = (value: unknown): string => (typeof value === 'string' && /^[A-Z0-9]+$/.test(value) ? value : '');
  switch (part.type) {
    case 'user':
      return `<@${id(part.user_id)}>`;
    case 'channel':
      return `<#${id(part.channel_id)}>`;
    case 'usergroup':
      return `<!subteam^${id(part.usergroup_id)}>`;
    case 'broadcast':
      return `<!${['channel', 'here', 'everyone'].find((range) => range === part.range) ?? 'here'}>`;
    case 'link':
      return shownLink(part);
    case 'emoji':
      return emojiOf(part);
    default:
      return styled(wordsOf(part), part.style);
  }
}

/** With CommonMark's marks, since the text is for the model. */
function styled(text: string, style: unknown): string {
  if (!isJsonObject(style) || text.trim() === '') return escapeText(text);
  if (style.code === true) return escapeText(inlineCode(text));
  const signs = `${style.strike === true ? '~~' : ''}${style.bold === true ? '**' : ''}${style.italic === true ? '*' : ''}`;
  const core = text.trim();
  const [before = '', after = ''] = text.split(core, 2);
  return escapeText(before + signs + core + Array.from(signs).reverse().join('') + after);
}

function shownLink({ url, text }: JsonObject): string {
  if (typeof url !== 'string' || url === '') return escapeText(typeof text === 'string' ? text : '');
  const address = escapeText(url).replaceAll('|', '%7C');
  return typeof text === 'string' && text !== '' ? `<${address}|${escapeText(text)}>` : `<${address}>`;
}

function emojiOf({ name, unicode }: JsonObject): string {
  const points = typeof unicode === 'string' && /^[0-9a-f]{1,6}(?:-[0-9a-f]{1,6})*$/i.test(unicode) ? unicode : '';
  const codes = points.split('-').map((point) => Number.parseInt(point, 16));
  if (points !== '' && codes.every((code) => code <= 0x10_ffff)) return String.fromCodePoint(...codes);
  return typeof name === 'string' ? escapeText(`:${name}:`) : '';
}

function wordsOf({ text, fallback, value, name }: JsonObject): string {
  return [text, fallback, value, name].find((words) => typeof words === 'string') ?? '';
}
