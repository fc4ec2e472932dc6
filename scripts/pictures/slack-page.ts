import { isJsonObject, type JsonObject, type JsonValue } from '../../packages/fakes/src/json.ts';
import type { ShownMessage } from '../../packages/fakes/src/slack/shown-message.ts';
import { lazyParser, readMarkdown } from '../../src/lib/markdown-parser.ts';
import { markdownHtml } from './markdown-html.ts';
import { dayAndTime, escaped, type Theme, timeOfDay } from './sheet.ts';

/** A message with its blocks. `isUnfolded`: its containers are open. Throws where Slack has a form that is not drawn here. */
export function slackMessage({ blocks, reactions }: ShownMessage, isUnfolded = false): string {
  const marks = reactions.map((name) => `<span class="reaction">:${escaped(name)}:</span>`).join('');
  return `<div class="message"><div class="avatar">🔑</div><div class="said"><b class="name">Keyturn</b> <span class="app">APP</span>${blocks
    .map((block) => blockHtml(block, isUnfolded))
    .join('')}${marks}</div></div>`;
}

function blockHtml(block: JsonObject, isUnfolded: boolean): string {
  switch (block.type) {
    case 'markdown':
      only(block, 'text', 'block_id');
      return `<div class="block">${markdownHtml(readMarkdown(textIn(block.text), parse))}</div>`;
    case 'section':
      only(block, 'text', 'block_id');
      return `<div class="block"><p>${escaped(plainTextOf(block.text))}</p></div>`;
    case 'rich_text':
      only(block, 'elements', 'block_id');
      return `<div class="block">${listOf(block.elements).map(richHtml).join('')}</div>`;
    case 'container':
      only(block, 'title', 'is_collapsible', 'default_collapsed', 'child_blocks', 'block_id');
      return containerHtml(block, isUnfolded);
    case 'actions':
      only(block, 'elements', 'block_id');
      return `<div class="block actions">${listOf(block.elements).map(buttonHtml).join('')}</div>`;
    default:
      throw new Error(`How Slack shows "${String(block.type)}" is not drawn.`);
  }
}

const parse = lazyParser();

function containerHtml(
  { title, is_collapsible, default_collapsed, child_blocks }: JsonObject,
  isUnfolded: boolean,
): string {
  const isClosed = is_collapsible === true && default_collapsed === true && !isUnfolded;
  const inside = isClosed
    ? ''
    : listOf(child_blocks)
        .map((child) => blockHtml(child, isUnfolded))
        .join('');
  return `<div class="block container"><p><span class="arrow">${isClosed ? '▸' : '▾'}</span> <b>${escaped(plainTextOf(title))}</b></p>${inside}</div>`;
}

function buttonHtml(element: JsonObject): string {
  if (element.type !== 'button') throw new Error(`How Slack shows "${String(element.type)}" is not drawn.`);
  only(element, 'text', 'action_id', 'value', 'style');
  const style = element.style === undefined ? 'plain' : textIn(element.style);
  return `<span class="button ${style}">${escaped(plainTextOf(element.text))}</span>`;
}

function richHtml(element: JsonObject): string {
  only(element, 'elements');
  const inside = listOf(element.elements).map(inlineHtml).join('');
  switch (element.type) {
    case 'rich_text_section':
      return `<p>${inside}</p>`;
    case 'rich_text_quote':
      return `<blockquote><p>${inside}</p></blockquote>`;
    case 'rich_text_preformatted':
      return `<pre>${inside}</pre>`;
    default:
      throw new Error(`How Slack shows "${String(element.type)}" is not drawn.`);
  }
}

function inlineHtml(element: JsonObject): string {
  return styled(inlineText(element), element.style);
}

function inlineText(element: JsonObject): string {
  switch (element.type) {
    case 'text':
      only(element, 'text', 'style');
      return escaped(textIn(element.text)).replaceAll('\n', '<br>');
    case 'link':
      only(element, 'text', 'url', 'style');
      return `<a>${escaped(textIn(element.text ?? element.url))}</a>`;
    case 'date':
      only(element, 'timestamp', 'format', 'fallback', 'style');
      return escaped(dateText(Number(element.timestamp) * 1000, textIn(element.format)));
    default:
      throw new Error(`How Slack shows "${String(element.type)}" is not drawn.`);
  }
}

/** By the clock of a reader in UTC. */
function dateText(at: number, format: string): string {
  if (format === '{time}') return timeOfDay(at);
  if (format === '{date_short_pretty} {time}') return dayAndTime(at);
  throw new Error(`How Slack shows a time as "${format}" is not drawn.`);
}

const styleTags = { bold: 'b', italic: 'i', strike: 's', code: 'code', underline: 'u' } as const;

function styled(html: string, style: JsonValue | undefined): string {
  if (!isJsonObject(style)) return html;
  only(style, ...Object.keys(styleTags));
  return Object.entries(styleTags).reduce(
    (inner, [name, tag]) => (style[name] === true ? `<${tag}>${inner}</${tag}>` : inner),
    html,
  );
}

function plainTextOf(value: JsonValue | undefined): string {
  if (!isJsonObject(value) || value.type !== 'plain_text') throw new Error('Slack shows a plain text here.');
  only(value, 'text', 'emoji');
  return textIn(value.text);
}

function only(object: JsonObject, ...known: readonly string[]): void {
  const unknown = Object.keys(object).filter((key) => key !== 'type' && !known.includes(key));
  if (unknown.length > 0) throw new Error(`What ${unknown.join(', ')} does in "${String(object.type)}" is not drawn.`);
}

function listOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function textIn(value: JsonValue | undefined): string {
  if (typeof value !== 'string') throw new Error('Slack has a text here.');
  return value;
}

export function slackStyles(theme: Theme): string {
  const [page, ink, dim, line, code, green, red] =
    theme === 'light'
      ? ['#ffffff', '#1d1c1d', '#616061', '#c9c9ca', '#f8f8f8', '#007a5a', '#e01e5a']
      : ['#1a1d21', '#d1d2d3', '#9a9b9e', '#4a4d52', '#222529', '#007a5a', '#e01e5a'];
  return `
    * { box-sizing: border-box }
    body { margin: 0; background: ${page}; color: ${ink}; font: 15px/1.46 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', system-ui, sans-serif }
    .message { display: flex; gap: 10px }
    .avatar { flex: none; width: 34px; height: 34px; border-radius: 7px; background: #e8c14a; display: grid; place-items: center }
    .said { flex: 1; min-width: 0; overflow-wrap: anywhere }
    .name { font-size: 15px } .app { font-size: 10px; color: ${dim}; border: 1px solid ${line}; border-radius: 2px; padding: 0 2px }
    p { margin: 0 } .block { margin: 3px 0 6px } .block p + p, .block p + .list, .list + p { margin-top: 7px }
    code { font: 12px/1.5 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace; color: ${red}; background: ${code}; border: 1px solid ${line}; border-radius: 3px; padding: 1px 3px }
    pre { font: 12px/1.5 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace; background: ${code}; border: 1px solid ${line}; border-radius: 4px; padding: 7px; margin: 5px 0; white-space: pre-wrap }
    blockquote { margin: 4px 0; padding-left: 12px; border-left: 4px solid ${line} }
    .item { display: flex; gap: 8px; padding-left: 8px }
    .container { border: 1px solid ${line}; border-radius: 8px; padding: 8px 12px } .arrow { color: ${dim} }
    .actions { display: flex; flex-wrap: wrap; gap: 8px }
    .button { border: 1px solid ${line}; border-radius: 4px; padding: 4px 12px; font-weight: 700; font-size: 13px }
    .button.primary { background: ${green}; border-color: ${green}; color: #fff } .button.danger { background: ${red}; border-color: ${red}; color: #fff }
    a { color: #1d9bd1 } .reaction { border: 1px solid ${line}; border-radius: 12px; padding: 2px 8px; font-size: 12px }`;
}
