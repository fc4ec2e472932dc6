import { MessageType } from 'discord-api-types/v10';
import type { Quote } from '../../../src/contract.ts';
import { filesInWords, inWords, shownByProgram } from './in-words.ts';
import { type Names, readable } from './inbound-text.ts';
import type { DiscordContent, DiscordMessage } from './payload.ts';
import { type DiscordSelf, isOwn, nameOf } from './sender.ts';

/** Makes known whom and what a message mentions. */
export type NamesIn = (content: DiscordContent) => Names;

/** What the message answers, or what was forwarded with it. */
export function quoteOf(message: DiscordMessage, self: DiscordSelf, namesIn: NamesIn): Quote | undefined {
  const replied = message.type === MessageType.Reply ? message.referenced_message : undefined;
  if (replied === undefined) {
    const text = message.message_snapshots.map(({ message: content }) => wordsOf(content, namesIn)).join('\n\n');
    return text.trim() === '' ? undefined : { name: '', text, isOwn: false };
  }
  const text = wordsOf(replied, namesIn);
  if (text.trim() === '') return undefined;
  return { name: nameOf(replied.author), text, isOwn: isOwn(replied, self) };
}

/** Whether the message answers one of ours. */
export function repliesToUs({ type, referenced_message: replied }: DiscordMessage, self: DiscordSelf): boolean {
  return type === MessageType.Reply && replied !== undefined && isOwn(replied, self);
}

/** The message as somebody who answers it means it: its text with all that it shows, or else what files it has. */
function wordsOf(content: DiscordContent, namesIn: NamesIn): string {
  const said = [content.content ?? '', ...shownByProgram(content)].map((text) => readable(text, namesIn(content)));
  const words = [...said, ...inWords(content)].filter((text) => text.trim() !== '');
  return (words.length > 0 ? words : filesInWords(content.attachments)).join('\n');
}
