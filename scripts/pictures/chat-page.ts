import type { MessageEntity } from 'grammy/types';
import type { ShownButton, ShownMessage } from '../../packages/fakes/src/telegram/chats.ts';

export type Theme = 'light' | 'dark';

/** A page that shows the chat as a client does. Its title becomes its height in pixels. */
export function chatPage(messages: readonly ShownMessage[], theme: Theme): string {
  const bubbles = messages.map(bubbleOf).join('\n');
  const measure = '<script>document.title = document.querySelector("main").offsetHeight</script>';
  return `<!doctype html><meta charset="utf-8"><title></title><style>${stylesOf(theme)}</style><body><main>${bubbles}</main>${measure}</body>`;
}

function bubbleOf({ from, text, entities, buttons, reactions }: ShownMessage): string {
  const marks = reactions.length === 0 ? '' : `<div class="marks">${reactions.map(escaped).join(' ')}</div>`;
  const keys = buttons.length === 0 ? '' : `<div class="keys">${buttons.map(keyOf).join('')}</div>`;
  return `<div class="row ${from}"><div class="bubble">${formatted(text, entities)}${marks}</div>${keys}</div>`;
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
};

/** The text with its entities as tags. Offsets count UTF-16 units. */
function formatted(text: string, entities: readonly MessageEntity[]): string {
  const openings = (at: number): string =>
    entities
      .filter(({ offset }) => offset === at)
      .map(({ type }) => tags[type]?.[0] ?? '')
      .join('');
  const closings = (at: number): string =>
    entities
      .filter(({ offset, length }) => offset + length === at)
      .map(({ type }) => tags[type]?.[1] ?? '')
      .reverse()
      .join('');
  let html = '';
  for (let at = 0; at < text.length; at += 1) html += `${closings(at)}${openings(at)}${escaped(text[at] ?? '')}`;
  return html + closings(text.length);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function stylesOf(theme: Theme): string {
  const [page, own, theirs, ink, quote, key] =
    theme === 'light'
      ? ['#dfe8ef', '#e3fdd1', '#ffffff', '#0b1a26', '#eef4fa', '#7b9bb3']
      : ['#0e1621', '#2b5278', '#182533', '#f0f4f8', '#22313f', '#2f4255'];
  return `
    * { box-sizing: border-box }
    body { margin: 0; background: ${page}; color: ${ink}; font: 15px/1.42 system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'Noto Color Emoji', sans-serif }
    main { padding: 12px; display: flex; flex-direction: column; gap: 8px }
    .row { max-width: 88%; align-self: flex-start }
    .row.user { align-self: flex-end }
    .bubble { background: ${theirs}; border-radius: 12px; padding: 7px 11px; white-space: pre-wrap; overflow-wrap: anywhere }
    .user .bubble { background: ${own} }
    code, pre { font: 13.5px/1.4 'DejaVu Sans Mono', monospace }
    pre { background: ${quote}; border-radius: 6px; padding: 6px 8px; margin: 2px 0; white-space: pre-wrap }
    blockquote { margin: 2px 0; padding: 3px 9px; border-left: 3px solid #4a90d9; background: ${quote}; border-radius: 4px }
    .folded { max-height: 4.4em; overflow: hidden; position: relative }
    .folded::after { content: '⌄'; position: absolute; right: 8px; bottom: 0; color: #4a90d9; font-weight: bold }
    .keys { display: grid; grid-template-columns: 1fr 1fr; gap: 4px; margin-top: 4px }
    .key { text-align: center; border-radius: 8px; padding: 7px 6px; color: #fff; background: ${key}; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
    .key.success { background: #3f9b4b } .key.danger { background: #c94b4b } .key.primary { background: #3b82c4 }
    .marks { font-size: 13px; margin-top: 3px }`;
}
