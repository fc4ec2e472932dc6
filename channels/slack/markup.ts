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

/** The text in the blocks of a program, with what its buttons open. */
export function wordsInBlocks(blocks: unknown): string {
  const texts = objectsIn(blocks).flatMap((block) => {
    const { type, text, fields, elements, accessory } = block;
    switch (type) {
      case 'rich_text':
        return [shownRichText(block)];
      case 'markdown':
        return typeof text === 'string' ? [escapeText(text)] : [];
      case 'header':
        return [textOfElement(text)];
      case 'section':
        return [textOfElement(text), ...objectsIn(fields).map(textOfElement), ...buttonsAmong([accessory])];
      case 'context':
        return objectsIn(elements).map(textOfElement);
      case 'actions':
        return buttonsAmong(elements);
      default:
        return [];
    }
  });
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}

/** The buttons that open an address, as mrkdwn. Also those of attachments. */
export function buttonsAmong(elements: unknown): readonly string[] {
  return objectsIn(elements).flatMap(({ type, text, url }) => {
    if (type !== 'button' || typeof url !== 'string' || url.trim() === '') return [];
    const label = isJsonObject(text) ? text.text : text;
    return [`[button: ${linked(typeof label === 'string' ? escapeText(label) : '', url)}]`];
  });
}

/** Words that open an address, as mrkdwn. `words` is mrkdwn too. */
export function linked(words: string, address = ''): string {
  // What could end the mark.
  const target = address.trim().replaceAll('|', '%7C');
  if (words.trim() === '' || target === '' || /[<>]/.test(words)) return words;
  return `<${escapeText(target)}|${words}>`;
}

function textOfElement(element: unknown): string {
  if (!isJsonObject(element)) return '';
  const { type, text } = element;
  if (typeof text !== 'string') return '';
  return type === 'plain_text' ? escapeText(text) : text;
}

function shownTable({ rows }: JsonObject): string {
  const lines = (Array.isArray(rows) ? rows : []).map((row) => objectsIn(row).map(shownCell));
  const [head, ...body] = lines;
  if (head === undefined || head.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

function shownCell(cell: JsonObject): string {
  return shownRichText(cell, besideWords).replaceAll(/\s+/g, ' ').trim().replaceAll('|', '\\|');
}

/** A link in a table, whose cells end at a bar. */
function besideWords(words: string, url = ''): string {
  return words === escapeText(url) ? words : `${words} (${escapeText(url)})`;
}

/** Rich text, or a part of it, as mrkdwn without styles. `link`: how words that open an address are written. */
function shownRichText(part: JsonObject, link = linked): string {
  const { type, text, url, value, name, user_id: user, channel_id: chat } = part;
  const inside = objectsIn(part.elements).map((inner) => shownRichText(inner, link));
  if (type === 'rich_text') return inside.join('\n');
  if (type === 'rich_text_list') return inside.map((item) => `- ${item}`).join('\n');
  if (type === 'rich_text_preformatted') return `\`\`\`${inside.join('')}\`\`\``;
  if (inside.length > 0) return inside.join('');
  if (type === 'user' && isId(user)) return `<@${user}>`;
  if (type === 'channel' && isId(chat)) return `<#${chat}>`;
  if (type === 'emoji') return escapeText(`:${name}:`);
  const words = escapeText(
    `${[text, value, url, name].find((one) => typeof one === 'string' || typeof one === 'number') ?? ''}`,
  );
  return type === 'link' && typeof url === 'string' ? link(words, url) : words;
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Z0-9]+$/.test(value);
}
