import type { JsonObject } from '../json.ts';

/** As people read it: Slack writes `&`, `<` and `>` in another way. */
export function asRead(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_whole, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? '');
}

/** As Slack writes what people type; what stands in angle brackets for a mention or a link stays. */
export function asTyped(text: string): string {
  const parts = text.split(/(<(?:[@#!][^<>\n]+|https?:[^<>\s]+|mailto:[^<>\s]+)>)/);
  return parts.map((part, index) => (index % 2 === 1 ? part : escapeAll(part))).join('');
}

export function escapeAll(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/**
 * Whom a text calls, in the order in which they stand in it: `<!channel>`, `<@U1>`, `<!subteam^S1>`. In a code span, too: that it would not
 * call there is not promised by anybody.
 */
export function pingsIn(text: string): readonly string[] {
  const marks = text.matchAll(/<(?:!(channel|here|everyone)|!subteam\^(\w+)|@([UW]\w+))(?:\|[^<>]*)?>/g);
  return [...marks].map(([whole]) => whole.replace(/\|[^<>]*>$/, '>'));
}

/** What the client of a person sends beside the text: the same as a tree, as far as tests need it. */
export function richTextOf(text: string): JsonObject {
  const parts = text.split(/```\n?([\s\S]*?)\n?```\n?/);
  const elements = parts.flatMap((part, index): readonly JsonObject[] => {
    if (index % 2 === 1) return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: asRead(part) }] }];
    return part === '' ? [] : [{ type: 'rich_text_section', elements: inlineOf(part) }];
  });
  return { type: 'rich_text', block_id: 'rich', elements };
}

const inline =
  /<@(\w+)(?:\|[^>]*)?>|<#(\w+)(?:\|[^>]*)?>|<!(channel|here|everyone)>|<(https?:[^|>]+)(?:\|([^>]*))?>|`([^`\n]+)`|(?<![\w*])\*([^*\n]+)\*(?!\w)|(?<!\w)_([^_\n]+)_(?!\w)|(?<![\w~])~([^~\n]+)~(?!\w)/g;

function inlineOf(text: string): readonly JsonObject[] {
  const elements: JsonObject[] = [];
  let end = 0;
  for (const match of text.matchAll(inline)) {
    if (match.index > end) elements.push({ type: 'text', text: asRead(text.slice(end, match.index)) });
    elements.push(elementOf(match));
    end = match.index + match[0].length;
  }
  if (end < text.length) elements.push({ type: 'text', text: asRead(text.slice(end)) });
  return elements;
}

function elementOf(match: RegExpExecArray): JsonObject {
  const [, user, channel, range, url, label, code, bold, italic, strike] = match;
  if (user !== undefined) return { type: 'user', user_id: user };
  if (channel !== undefined) return { type: 'channel', channel_id: channel };
  if (range !== undefined) return { type: 'broadcast', range };
  if (url !== undefined) return { type: 'link', url: asRead(url), ...(label !== undefined && { text: asRead(label) }) };
  if (code !== undefined) return styled(code, 'code');
  if (bold !== undefined) return styled(bold, 'bold');
  if (italic !== undefined) return styled(italic, 'italic');
  return styled(strike ?? '', 'strike');
}

function styled(text: string, style: string): JsonObject {
  return { type: 'text', text: asRead(text), style: { [style]: true } };
}
