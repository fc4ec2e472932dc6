import { escapeText } from '../escape-text.ts';

/** What `chat.update` takes, in bytes, with room to spare. */
const mostBytes = 3_000;

/** What notifications and screen readers say of a message: its words, without their formatting. At most 3,000 bytes. */
export function notificationText(markdown: string): string {
  const plain = markdown
    .replace(/^ {0,3}(?:`{3,}|~{3,}).*$/gm, '')
    .replace(/^ {0,3}(?:#{1,6}|>)[ \t]+/gm, '')
    .replace(/!?\[([^[\]\n]*)\]\([^)\s]*\)/g, '$1')
    .replace(/\*\*|__|~~|`/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return shortened(escapeText(plain === '' ? '…' : plain));
}

function shortened(escaped: string): string {
  if (Buffer.byteLength(escaped) <= mostBytes) return escaped;
  let bytes = Buffer.byteLength('…');
  let end = 0;
  for (const [unit] of escaped.matchAll(/&\w+;|./gsu)) {
    bytes += Buffer.byteLength(unit);
    if (bytes > mostBytes) break;
    end += unit.length;
  }
  return `${escaped.slice(0, end)}…`;
}
