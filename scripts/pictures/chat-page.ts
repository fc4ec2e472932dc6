import type { MessageEntity } from 'grammy/types';
import type { ShownButton, ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';
import { dayAndTime, diffHtml, escaped, type Theme, timeOfDay } from './sheet.ts';

/** A page that shows the chat as Telegram does. Its title becomes its height in pixels. */
export function chatPage(messages: readonly ShownMessage[], theme: Theme): string {
  const bubbles = messages.map((message) => telegramMessage(message)).join('\n');
  const measure = '<script>document.title = document.querySelector("main").offsetHeight</script>';
  return `<!doctype html><meta charset="utf-8"><title></title><style>${telegramStyles(theme)} main { padding: 12px; display: flex; flex-direction: column; gap: 8px }</style><body class="telegram"><main>${bubbles}</main>${measure}</body>`;
}

/** A message with its buttons. `isUnfolded`: its folded quotations are open. */
export function telegramMessage({ from, text, entities, rows, reactions }: ShownMessage, isUnfolded = false): string {
  const marks = reactions.length === 0 ? '' : `<div class="marks">${reactions.map(escaped).join(' ')}</div>`;
  const keys = rows.map((row) => `<div class="keys">${row.map(keyOf).join('')}</div>`).join('');
  const unfolded = isUnfolded ? ' unfolded' : '';
  return `<div class="row ${from}${unfolded}"><div class="bubble">${formatted(text, entities)}${marks}</div>${keys}</div>`;
}

/** Its text up to what it folds. */
export function shownText({ text, entities }: ShownMessage): string {
  const folded = entities.find(({ type }) => type === 'expandable_blockquote');
  return folded === undefined ? text : text.slice(0, folded.offset);
}

function keyOf({ label, style }: ShownButton): string {
  return `<span class="key ${style ?? 'plain'}">${escaped(label)}</span>`;
}

const tags: Readonly<Record<string, readonly [string, string]>> = {
  bold: ['<b>', '</b>'],
  italic: ['<i>', '</i>'],
  underline: ['<u>', '</u>'],
  strikethrough: ['<s>', '</s>'],
  code: ['<code>', '</code>'],
  pre: ['<pre>', '</pre>'],
  blockquote: ['<blockquote>', '</blockquote>'],
  expandable_blockquote: ['<blockquote class="folded">', '</blockquote>'],
  text_link: ['<a>', '</a>'],
  url: ['<a>', '</a>'],
  bot_command: ['<a>', '</a>'],
  date_time: ['<time>', '</time>'],
};

/** Throws where Telegram has a form that is not drawn here. */
function tagOf(entity: MessageEntity): readonly [string, string] {
  const { type } = entity;
  // Code of a known language is coloured.
  const language = entity.type === 'pre' ? entity.language : undefined;
  const tag = language === 'diff' ? (['<pre class="diff">', '</pre>'] as const) : tags[type];
  if (tag === undefined) throw new Error(`How Telegram shows "${type}" is not drawn.`);
  return tag;
}

/** The text with its entities as tags. Offsets count UTF-16 units. */
function formatted(text: string, entities: readonly MessageEntity[]): string {
  const outerFirst = entities.toSorted((one, other) => other.length - one.length);
  let html = '';
  for (let at = 0; at <= text.length; at += 1) {
    const ended = outerFirst.filter(({ offset, length }) => offset + length === at).toReversed();
    const begun = outerFirst.filter(({ offset }) => offset === at);
    html += `${ended.map((one) => tagOf(one)[1]).join('')}${begun.map((one) => tagOf(one)[0]).join('')}`;
    const instant = begun.find((one) => one.type === 'date_time');
    if (instant === undefined) html += escaped(text.charAt(at));
    else {
      // The client says it by the clock of its reader, whatever words stand there.
      html += timeIn(instant);
      at += instant.length - 1;
    }
  }
  // A block takes a line of its own: the first line end behind it is its end.
  return html.replace(/(<\/(?:pre|blockquote)>)\n/g, '$1').replace(/(?<=<pre class="diff">).*?(?=<\/pre>)/gs, diffHtml);
}

function timeIn({ unix_time: at, date_time_format: format }: Extract<MessageEntity, { type: 'date_time' }>): string {
  if (format === 't') return timeOfDay(at * 1000);
  if (/^[dD][tT]$/.test(format)) return dayAndTime(at * 1000);
  throw new Error(`How Telegram shows a time as "${format}" is not drawn.`);
}

export function telegramStyles(theme: Theme): string {
  const [page, own, theirs, ink, quote, key, green, red] =
    theme === 'light'
      ? ['#dfe8ef', '#e3fdd1', '#ffffff', '#0b1a26', '#eef4fa', '#7b9bb3', '#1f8a3b', '#c0392b']
      : ['#0e1621', '#2b5278', '#182533', '#f0f4f8', '#22313f', '#2f4255', '#56d364', '#ff7b72'];
  return `
    * { box-sizing: border-box }
    body { margin: 0; background: ${page}; color: ${ink}; font: 15px/1.42 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', system-ui, sans-serif }
    .row { max-width: 88%; align-self: flex-start }
    .row.user { align-self: flex-end }
    .bubble { background: ${theirs}; border-radius: 12px; padding: 7px 11px; white-space: pre-wrap; overflow-wrap: anywhere }
    .user .bubble { background: ${own} }
    code, pre { font: 13.5px/1.4 'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace }
    pre { background: ${quote}; border-radius: 6px; padding: 6px 8px; margin: 2px 0; white-space: pre-wrap }
    .plus { color: ${green} } .minus { color: ${red} } .place { opacity: .6 }
    blockquote { margin: 2px 0; padding: 3px 9px; border-left: 3px solid #4a90d9; background: ${quote}; border-radius: 4px }
    blockquote pre { background: none; padding: 0 }
    .folded { max-height: 4.4em; overflow: hidden; position: relative }
    .folded::after { content: '⌄'; position: absolute; right: 8px; bottom: 0; color: #4a90d9; font-weight: bold }
    .unfolded .folded { max-height: none }
    .unfolded .folded::after { content: '' }
    a { color: #3b8fd6 }
    .keys { display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; gap: 4px; margin-top: 4px }
    .key { text-align: center; border-radius: 8px; padding: 7px 6px; color: #fff; background: ${key}; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
    .key.success { background: #3f9b4b } .key.danger { background: #c94b4b } .key.primary { background: #3b82c4 }
    .marks { font-size: 13px; margin-top: 3px }`;
}
