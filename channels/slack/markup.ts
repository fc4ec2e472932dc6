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
  return withFencesAlone(source)
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? unescapeText(part) : readMark(part, naming)))
    .join('');
}

/** Slack writes code right behind the fence, where markdown has the name of a language. */
function withFencesAlone(source: string): string {
  const block = /(^|\n)?```\n?(.+?)\n?```(\n|$)?/gs;
  return source.replace(
    block,
    (_whole, before = '\n', code: string, after = '\n') => `${before}\`\`\`\n${code}\n\`\`\`${after}`,
  );
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
  const texts = objectsIn(blocks).flatMap((block) => {
    const { type, text } = block;
    if (type === 'rich_text') return [shownRichText(block)];
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
  return shownRichText(cell).replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

/** Rich text, or a part of it, as mrkdwn without styles. */
function shownRichText(part: JsonObject): string {
  const { type, text, url, value, name, user_id: user, channel_id: chat } = part;
  const inside = objectsIn(part.elements).map(shownRichText);
  if (type === 'rich_text') return inside.join('\n');
  if (type === 'rich_text_list') return inside.map((item) => `- ${item}`).join('\n');
  if (type === 'rich_text_preformatted') return `\`\`\`${inside.join('')}\`\`\``;
  if (inside.length > 0) return inside.join('');
  if (type === 'user' && isId(user)) return `<@${user}>`;
  if (type === 'channel' && isId(chat)) return `<#${chat}>`;
  if (type === 'emoji') return escapeText(`:${name}:`);
  const words = [text, value, url, name].find((one) => typeof one === 'string' || typeof one === 'number');
  const target = type === 'link' && typeof url === 'string' && !url.endsWith(String(words)) ? ` (${url})` : '';
  return escapeText(`${words ?? ''}${target}`);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z0-9]+$/.test(value);
}
