import type { ShownButton } from '../../packages/fakes/src/discord/components.ts';
import type { ShownMessage } from '../../packages/fakes/src/discord/shown-message.ts';
import { dayAndTime, diffHtml, escaped, type Theme, timeOfDay } from './sheet.ts';

/** A message with its buttons. */
export function discordMessage({ text, rows, reactions }: Pick<ShownMessage, 'text' | 'rows' | 'reactions'>): string {
  const buttons = rows.map((row) => `<div class="buttons">${row.map(buttonHtml).join('')}</div>`).join('');
  const marks = reactions.map((emoji) => `<span class="reaction">${escaped(emoji)}</span>`).join('');
  return `<div class="message"><div class="avatar">🔑</div><div class="said"><b class="name">Keyturn</b> <span class="app">APP</span>${discordHtml(text)}${buttons}${marks}</div></div>`;
}

/** A text that one person alone sees. */
export function discordEphemeral(text: string, onlyYou: string): string {
  const message = discordMessage({ text, rows: [], reactions: [] });
  return `<div class="ephemeral">${message}<div class="only">👁 ${escaped(onlyYou)}</div></div>`;
}

const buttonStyles: Readonly<Record<number, string>> = { 1: 'primary', 2: 'secondary', 3: 'success', 4: 'danger' };

function buttonHtml({ label, style, disabled }: ShownButton): string {
  const name = buttonStyles[style];
  if (name === undefined || disabled) throw new Error(`How Discord shows such a button is not drawn: ${label}.`);
  return `<span class="button ${name}">${escaped(label)}</span>`;
}

/** Discord's dialect, as far as it is sent: support.discord.com/hc/articles/210298617. */
function discordHtml(text: string): string {
  return text
    .split(/(```.*?```)/s)
    .map(pieceHtml)
    .join('');
}

function pieceHtml(piece: string): string {
  const [, language = '', code] = /^```(?:(\w+)\n)?\n?(.*?)\n?```$/s.exec(piece) ?? [];
  if (code !== undefined) return `<pre>${language === 'diff' ? diffHtml(escaped(code)) : escaped(code)}</pre>`;
  // A block takes a line of its own: those around it are its ends.
  const lines = piece.replace(/^\n|\n$/g, '').split('\n');
  return piece.trim() === '' && lines.length < 2 ? '' : linesHtml(lines);
}

function linesHtml(lines: readonly string[]): string {
  let html = '';
  let quoted: string[] = [];
  for (const line of [...lines, undefined]) {
    if (line?.startsWith('> ') || line === '>') {
      quoted.push(line.slice(2));
      continue;
    }
    if (quoted.length > 0) html += `<blockquote>${quoted.map(lineHtml).join('')}</blockquote>`;
    quoted = [];
    if (line !== undefined) html += lineHtml(line);
  }
  return html;
}

function lineHtml(line: string): string {
  const [, heading, title = ''] = /^(#{1,3}) (.*)$/.exec(line) ?? [];
  if (heading !== undefined) return `<div class="line"><b>${inlineHtml(title)}</b></div>`;
  const [, bullet, item = ''] = /^([-*]|\d+\.) (.*)$/.exec(line) ?? [];
  if (bullet !== undefined)
    return `<div class="item"><span>${/\d/.test(bullet) ? bullet : '•'}</span><div>${inlineHtml(item)}</div></div>`;
  return line === '' ? '<div class="line blank"></div>' : `<div class="line">${inlineHtml(line)}</div>`;
}

const inline =
  /(?<code>`+)(?<inside>.+?)\k<code>|<t:(?<at>\d+):(?<format>\w)>|\*\*(?<bold>.+?)\*\*|__(?<under>.+?)__|~~(?<gone>.+?)~~|\|\|(?<hidden>.+?)\|\||\*(?<italic>[^*]+)\*|\[(?<words>[^\]]+)\]\((?<url>[^)]+)\)|<(?<link>https?:[^>]+)>|\\(?<literal>[^\w\s])/su;

function inlineHtml(text: string): string {
  const match = inline.exec(text);
  if (match === null) return escaped(text);
  const rest = inlineHtml(text.slice(match.index + match[0].length));
  return escaped(text.slice(0, match.index)) + matchHtml(match.groups ?? {}) + rest;
}

function matchHtml(found: Readonly<Record<string, string | undefined>>): string {
  const { inside, at, format, bold, under, gone, hidden, italic, words, link, literal } = found;
  if (inside !== undefined) return `<code>${escaped(inside)}</code>`;
  if (at !== undefined) return `<time>${timeHtml(Number(at) * 1000, format ?? 'f')}</time>`;
  if (bold !== undefined) return `<b>${inlineHtml(bold)}</b>`;
  if (under !== undefined) return `<u>${inlineHtml(under)}</u>`;
  if (gone !== undefined) return `<s>${inlineHtml(gone)}</s>`;
  if (hidden !== undefined) return `<span class="hidden">${inlineHtml(hidden)}</span>`;
  if (italic !== undefined) return `<i>${inlineHtml(italic)}</i>`;
  if (words !== undefined) return `<a>${inlineHtml(words)}</a>`;
  return link === undefined ? escaped(literal ?? '') : `<a>${escaped(link)}</a>`;
}

/** By the clock of a reader in UTC. */
function timeHtml(at: number, format: string): string {
  if (format === 't') return timeOfDay(at);
  if (format === 'f') return dayAndTime(at);
  throw new Error(`How Discord shows a time as "${format}" is not drawn.`);
}

export function discordStyles(theme: Theme): string {
  const [page, ink, dim, block, line, grey] =
    theme === 'light'
      ? ['#ffffff', '#2e3338', '#6d6f78', '#f2f3f5', '#d4d7dc', '#6d6f78']
      : ['#313338', '#dbdee1', '#949ba4', '#2b2d31', '#4e5058', '#4e5058'];
  return `
    * { box-sizing: border-box }
    body { margin: 0; background: ${page}; color: ${ink}; font: 15px/1.4 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', system-ui, sans-serif }
    .message { display: flex; gap: 12px }
    .avatar { flex: none; width: 36px; height: 36px; border-radius: 50%; background: #e8c14a; display: grid; place-items: center }
    .said { flex: 1; min-width: 0; overflow-wrap: anywhere }
    .app { font-size: 10px; font-weight: 600; color: #fff; background: #5865f2; border-radius: 3px; padding: 1px 4px }
    .blank { height: 1.4em }
    code { font: 13px/1.3 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace; background: ${block}; border-radius: 3px; padding: 2px 3px }
    pre { font: 13px/1.35 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace; background: ${block}; border: 1px solid ${line}; border-radius: 4px; padding: 7px; margin: 4px 0; white-space: pre-wrap }
    .plus { color: #2d9d5a } .minus { color: #d9534f } .place { color: ${dim} }
    blockquote { margin: 3px 0; padding-left: 10px; border-left: 4px solid ${line} }
    .item { display: flex; gap: 8px; padding-left: 8px }
    .buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px }
    .button { border-radius: 4px; padding: 6px 14px; font-size: 14px; font-weight: 500; color: #fff; background: ${grey} }
    .button.success { background: #248046 } .button.danger { background: #da373c } .button.primary { background: #5865f2 }
    .ephemeral { background: rgb(88 101 242 / 10%); border-left: 2px solid #5865f2; padding: 8px } .only { font-size: 12px; color: ${dim}; margin: 4px 0 0 48px }
    .hidden { background: ${dim}; color: transparent } a { color: #00a8fc } .reaction { font-size: 12px }`;
}
