import { z } from 'zod';
import type { JsonObject } from '../../../src/lib/json.ts';
import { checkBlocks } from './blocks.ts';
import { anyObject, structure } from './parameters.ts';
import { Refusal } from './refusal.ts';

/** What every method takes that shows a text. */
export const contentFields = {
  text: z.string().optional(),
  markdown_text: z.string().optional(),
  blocks: structure(z.array(anyObject), 'invalid_blocks_format').optional(),
  attachments: structure(z.array(anyObject), 'invalid_attachments').optional(),
};

export type GivenContent = z.output<ReturnType<typeof contentObject>>;

function contentObject() {
  return z.object(contentFields);
}

export interface Content {
  readonly text: string;
  readonly isMarkdown: boolean;
  readonly blocks: readonly JsonObject[];
}

const mostMarkdown = 12_000;
const mostText = 40_000;
const mostUpdateBytes = 4000;

/** Throws a refusal if Slack would not show it. */
export function contentOf({
  text = '',
  markdown_text: markdown,
  blocks = [],
  attachments = [],
}: GivenContent): Content {
  if (markdown !== undefined) {
    if (text !== '' || blocks.length > 0) throw new Refusal('markdown_text_conflict');
    return { text: checkMarkdown(markdown), isMarkdown: true, blocks: [] };
  }
  if (text === '' && blocks.length === 0 && attachments.length === 0) throw new Refusal('no_text');
  if (text.length > mostText) throw new Refusal('msg_too_long');
  return { text, isMarkdown: false, blocks: checkBlocks(blocks, 'message') };
}

/** A change of a message may hold less than a new one. */
export function checkUpdate({ text = '' }: GivenContent): void {
  const escaped = text
    .replace(/&(?!(?:amp|lt|gt);)/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
  if (Buffer.byteLength(escaped) > mostUpdateBytes) throw new Refusal('msg_too_long');
}

export function checkMarkdown(markdown: string): string {
  if (markdown === '') throw new Refusal('no_text');
  if (markdown.length > mostMarkdown) throw new Refusal('msg_too_long');
  return markdown;
}
