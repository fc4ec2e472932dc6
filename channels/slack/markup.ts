import { isJsonObject, type JsonObject, objectsIn } from '../../src/lib/json.ts';
import { escapeText } from './content.ts';

/** The name of a person or chat, without the leading sign. */
export type Naming = (id: string) => string;

export interface Named {
  readonly users: readonly string[];
  readonly chats: readonly string[];
  readonly groups: readonly string[];
}

/** Slack encloses mentions, links and dates in these, and escapes them in text. */
const mark = /<([^<>]+)>/;
/** What a mark encloses, perhaps with a label. */
const meaning =
  /^(?:@(?<user>[A-Z][A-Z0-9]+)|#(?<chat>[A-Z][A-Z0-9]+)|!(?<special>[^|]*)|(?<address>[A-Za-z][A-Za-z0-9+.-]*:[^|]*))(?:\|(?<label>.*))?$/s;

export function namedIn(source: string): Named {
  const found = { users: new Set<string>(), chats: new Set<string>(), groups: new Set<string>() };
  for (const [, inner = ''] of source.matchAll(new RegExp(mark, 'g'))) {
    const { user, chat, special } = meaning.exec(inner)?.groups ?? {};
    if (user !== undefined) found.users.add(user);
    if (chat !== undefined) found.chats.add(chat);
    if (special?.startsWith('subteam^')) found.groups.add(special);
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

function readMark(inner: string, naming: Naming): string {
  const { user, chat, special, address, label: escaped = '' } = meaning.exec(inner)?.groups ?? {};
  const label = unescapeText(escaped);
  const name = label.replace(/^@/, '');
  if (user !== undefined) return `@${name || naming(user)}`;
  if (chat !== undefined) return `#${label || naming(chat)}`;
  if (special?.startsWith('date^')) return label;
  if (special !== undefined) return `@${name || special.replace(/^subteam\^/, '')}`;
  return address === undefined ? unescapeText(`<${inner}>`) : readLink(unescapeText(address), label);
}

/** Slack links every URL; then the label repeats it. */
function readLink(address: string, label: string): string {
  const bare = address.replace(/^(?:mailto:|tel:)/i, '');
  if (label === '' || label === address || label === bare) return bare;
  const isShort = address.replace(/^https?:\/\//i, '').replace(/\/$/, '') === label.replace(/\/$/, '');
  if (/^https?:\/\//i.test(address) && isShort) return address;
  return `${label} (${bare})`;
}

/** Pasted tables as mrkdwn. Everything else that a person writes stands in the text. */
export function tablesIn(blocks: unknown): string {
  return objectsIn(blocks)
    .map((block) => (block.type === 'table' ? shownTable(block) : ''))
    .filter((table) => table !== '')
    .join('\n\n');
}

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

function shownTable({ rows }: JsonObject): string {
  const lines = (Array.isArray(rows) ? rows : []).map((row) => objectsIn(row).map(shownCell));
  const [head, ...body] = lines;
  if (head === undefined || head.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function shownCell(cell: JsonObject): string {
  const sections = objectsIn(cell.elements).map(({ elements }) => objectsIn(elements).map(shownPart).join(''));
  const words = cell.type === 'rich_text' ? sections.join(' ') : shownPart(cell);
  return words.replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

function shownPart(part: JsonObject): string {
  const { type, text, url, value, name, user_id: user, channel_id: chat } = part;
  if (type === 'user' && isId(user)) return `<@${user}>`;
  if (type === 'channel' && isId(chat)) return `<#${chat}>`;
  const words = [text, value, url, name].find((one) => typeof one === 'string' || typeof one === 'number');
  return escapeText(String(words ?? ''));
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z0-9]+$/.test(value);
}
