import { MessageFlags } from 'discord.js';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { splitMarkdown } from '../../src/lib/split/split.ts';
import { renderMarkdown } from './markdown.ts';
import type { DiscordWords } from './words.ts';

/** Discord's limit for one message, in characters. */
const longestMessage = 2_000;
/** What one person sees alone comes in so many messages at most: they stand between those of the chat until Discord restarts. */
const mostMessages = 4;
/** The last one also says that there is more. In characters. */
const noteRoom = 100;
/** Of the source. The rest could not be shown, and is not looked at. */
const mostRead = 3 * mostMessages * longestMessage;

/** The body of a message that one person alone sees. */
export interface EphemeralBody {
  readonly content: string;
  readonly flags: number;
  readonly allowed_mentions: { readonly parse: readonly [] };
}

/** The messages that show this markdown to one person alone; at least one. What is too long is cut, and they say so. */
export function ephemeralBodies(markdown: string, words: DiscordWords, parse: Parse): readonly EphemeralBody[] {
  const measure = (text: string): number => renderMarkdown(text, parse).length;
  const parts = splitMarkdown(markdown.slice(0, mostRead), { maxLength: longestMessage - noteRoom, measure });
  const isCut = parts.length > mostMessages || markdown.length > mostRead;
  const shown = parts.slice(0, mostMessages).map((part) => renderMarkdown(part, parse));
  const contents = shown.length > 0 ? shown : [renderMarkdown('', parse)];
  return contents.map((content, index) =>
    ephemeral(isCut && index === contents.length - 1 ? `${content}\n\n${words.restNotShown}` : content),
  );
}

/** The same for a text that is known to be short, such as a sentence of ours. */
export function ephemeral(content: string): EphemeralBody {
  const flags = MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds;
  return { content: content.slice(0, longestMessage).toWellFormed(), flags, allowed_mentions: { parse: [] } };
}
