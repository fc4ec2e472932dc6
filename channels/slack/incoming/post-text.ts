import { type Named, type Naming, namedIn, readMrkdwn } from './mrkdwn.ts';
import type { SlackAttachment, SlackPost } from './payload.ts';
import { richTextOf, wordsInBlocks } from './rich-text.ts';

/** What a post says, in Slack's markup. */
export interface PostText {
  readonly source: string;
  readonly named: Named;
}

/** A message that is shared with a post. */
export interface Shared extends PostText {
  readonly authorId?: string;
  readonly authorName?: string;
}

/** What a post says, as people see it. */
export function textOfPost({ text = '', blocks, attachments }: SlackPost): PostText {
  const own = richTextOf(blocks) ?? (text.trim() === '' ? wordsInBlocks(blocks) : text);
  if (own.trim() !== '') return withNames(own);
  // A program may say what it has to say below its post only.
  const below = attachments.filter((attachment) => !isShared(attachment)).map(wordsBelow);
  return withNames(below.join('\n\n'));
}

/** The messages that were forwarded with a post. */
export function sharedWith({ attachments }: Pick<SlackPost, 'attachments'>): readonly Shared[] {
  return attachments.filter(isShared).flatMap((attachment) => {
    const { message_blocks, text = '', fallback = '', author_id, author_name, author_subname } = attachment;
    const rich = message_blocks.map(({ message }) => richTextOf(message.blocks)).filter((words) => words !== undefined);
    const source = rich.length > 0 ? rich.join('\n\n') : text.trim() === '' ? fallback : text;
    const authorName = author_name || author_subname;
    if (source.trim() === '') return [];
    return [
      {
        ...withNames(source),
        ...(author_id !== undefined && { authorId: author_id }),
        ...(authorName && { authorName }),
      },
    ];
  });
}

export function isShared({ is_share, is_msg_unfurl }: SlackAttachment): boolean {
  return is_share === true || is_msg_unfurl === true;
}

/** The text for the model. Where it begins with the bot's name, it is without; but it is never empty because of that. */
export function readText({ source }: PostText, botUserId: string, naming: Naming): string {
  const said = readMrkdwn(
    source.replace(new RegExp(`^(?:\\s*<@${botUserId}(?:\\|[^<>]*)?>[\\s,:]*)+`), ''),
    naming,
  ).trim();
  return said === '' ? readMrkdwn(source, naming).trim() : said;
}

function wordsBelow({ title = '', text = '', fallback = '' }: SlackAttachment): string {
  const words = [title, text].filter((part) => part.trim() !== '').join('\n');
  return words === '' ? fallback : words;
}

function withNames(source: string): PostText {
  return { source, named: namedIn(source) };
}
