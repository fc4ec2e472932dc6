import { ComponentType } from 'discord-api-types/v10';
import { isJsonObject } from '../../../src/lib/json.ts';
import { kindOf } from './inbound-files.ts';
import type { DiscordAttachment, DiscordContent, DiscordEmbed } from './payload.ts';

/** What stands beside the text of a message, in words: its stickers and its poll. */
export function inWords({ sticker_items, poll }: DiscordContent): readonly string[] {
  const stickers = sticker_items.map(({ name = '' }) => named('sticker', name));
  if (poll === undefined) return stickers;
  const answers = poll.answers.map(({ poll_media }) => `· ${poll_media.text ?? ''}`);
  return [...stickers, `[poll: ${[poll.question.text ?? '', ...answers].join(' ')}]`];
}

/** What programs show in boxes and layouts of their own. */
export function shownByProgram({ embeds, components }: DiscordContent): readonly string[] {
  return [...embeds.flatMap(embedTexts), ...textsIn(components, 0)].filter((text) => text.trim() !== '');
}

/** The files, for somebody who does not see them. */
export function filesInWords(attachments: readonly DiscordAttachment[]): readonly string[] {
  return attachments.map((attachment) => named(kindOf(attachment), attachment.filename ?? ''));
}

function named(kind: string, name: string): string {
  return name === '' ? `[${kind}]` : `[${kind}: ${name}]`;
}

function embedTexts({ author, title, description, fields, footer }: DiscordEmbed): readonly string[] {
  const entries = fields.flatMap(({ name, value }) => [name ?? '', value ?? '']);
  return [author?.name ?? '', title ?? '', description ?? '', ...entries, footer?.text ?? ''];
}

/** Deeper than that nothing is laid out. */
const deepest = 5;

function textsIn(components: unknown, depth: number): readonly string[] {
  if (depth > deepest || !Array.isArray(components)) return [];
  return components.flatMap((component: unknown) => {
    if (!isJsonObject(component)) return [];
    const { type, content, components: inside } = component;
    const own = type === ComponentType.TextDisplay && typeof content === 'string' ? [content] : [];
    return [...own, ...textsIn(inside, depth + 1)];
  });
}
