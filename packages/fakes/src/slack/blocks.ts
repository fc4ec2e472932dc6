import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { Refusal } from './parameters.ts';

/** A button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string | undefined;
  readonly style: string | undefined;
}

const mostBlocks = { message: 50, modal: 100, home: 100 } as const;
const mostMarkdown = 12_000;
/** Nobody writes this limit down; Slack was measured to have it. */
const mostTogether = 13_200;

const identifier = z.string().min(1).max(255).optional();
const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(most), emoji: z.boolean().optional() });
const marked = z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(3000) });
const button = z.strictObject({
  type: z.literal('button'),
  text: plain(75),
  action_id: identifier,
  value: z.string().max(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});
const typed = z.strictObject({
  type: z.literal('plain_text_input'),
  action_id: identifier,
  multiline: z.boolean().optional(),
  max_length: z.number().int().min(1).max(3000).optional(),
});
const richStyle = z
  .strictObject({
    bold: z.boolean(),
    italic: z.boolean(),
    strike: z.boolean(),
    code: z.boolean(),
    underline: z.boolean(),
  })
  .partial()
  .optional();
const richWords = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style: richStyle });
const richLink = z.strictObject({
  type: z.literal('link'),
  url: z.url().max(3000),
  text: z.string().min(1).optional(),
  style: richStyle,
});
const richDate = z.strictObject({
  type: z.literal('date'),
  timestamp: z.number().int().positive(),
  format: z.string().regex(/^[^{}]*(?:\{(?:time|time_secs|date_\w+|ago)\}[^{}]*)+$/),
  url: z.url().optional(),
  fallback: z.string().min(1).optional(),
  style: richStyle,
});
const richInline = z.array(z.discriminatedUnion('type', [richWords, richLink, richDate])).min(1);
const rich = z.strictObject({
  type: z.literal('rich_text'),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('rich_text_section'), elements: richInline }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: richInline }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(z.discriminatedUnion('type', [richWords, richLink])).min(1),
        }),
      ]),
    )
    .min(1),
  block_id: identifier,
});
const section = z.strictObject({
  type: z.literal('section'),
  text: z.union([plain(3000), marked]),
  block_id: identifier,
});
const divider = z.strictObject({ type: z.literal('divider'), block_id: identifier });
const actions = z.strictObject({
  type: z.literal('actions'),
  elements: z.array(button).min(1).max(25),
  block_id: identifier,
});
/** No `markdown` may stand in it. */
const container = z
  .strictObject({
    type: z.literal('container'),
    title: plain(150),
    child_blocks: z
      .array(z.discriminatedUnion('type', [rich, section]))
      .min(1)
      .max(10),
    is_collapsible: z.boolean().optional(),
    default_collapsed: z.boolean().optional(),
    block_id: identifier,
  })
  .refine((block) => block.default_collapsed !== true || block.is_collapsible === true, 'it cannot be collapsed');
/** Of all the blocks that Slack takes, those that Keyturn sends: what is not here is refused. */
const inMessages = [
  z.strictObject({ type: z.literal('markdown'), text: z.string().min(1), block_id: identifier }),
  section,
  rich,
  container,
  divider,
  actions,
] as const;
/** What takes a text from people is for modals only. */
const input = z.strictObject({
  type: z.literal('input'),
  label: plain(2000),
  element: typed,
  block_id: identifier,
  optional: z.boolean().optional(),
});
const surfaces = {
  message: { block: z.discriminatedUnion('type', inMessages), code: 'invalid_blocks' },
  modal: { block: z.discriminatedUnion('type', [...inMessages, input]), code: 'invalid_arguments' },
  /** Neither markdown nor containers. */
  home: { block: z.discriminatedUnion('type', [section, rich, divider, actions]), code: 'invalid_arguments' },
} as const;

/** Throws a refusal if Slack would not take the blocks. Gives them with the ids that Slack adds where there are none. */
export function checkBlocks(blocks: readonly JsonObject[], surface: keyof typeof surfaces): readonly JsonObject[] {
  const { block: shape, code } = surfaces[surface];
  const { error } = z.array(shape).max(mostBlocks[surface]).safeParse(blocks);
  if (error !== undefined) throw new Refusal(code, { response_metadata: { messages: [z.prettifyError(error)] } });
  const names = [blocks.map((block) => block.block_id), ...blocks.map(actionIdsIn)];
  if (names.some(areRepeated)) throw new Refusal(code, { response_metadata: { messages: ['an id is there twice'] } });
  const markdown = blocks.map((block) => (block.type === 'markdown' ? String(block.text).length : 0));
  const together = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  const isTooLong = Math.max(0, ...markdown) > mostMarkdown || together > mostTogether;
  if (surface !== 'home' && isTooLong) throw new Refusal('msg_blocks_too_long');
  return blocks.map(withIds);
}

function actionIdsIn(block: JsonObject): readonly (JsonValue | undefined)[] {
  return elementsOf(block).map(({ action_id }) => action_id);
}

function areRepeated(names: readonly (JsonValue | undefined)[]): boolean {
  const given = names.filter((name) => name !== undefined);
  return new Set(given).size < given.length;
}

function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + lengthOf(part), 0);
}

function withIds(block: JsonObject, index: number): JsonObject {
  const elements = elementsOf(block).map((element, at) => ({ action_id: `action-${index}-${at}`, ...element }));
  return { block_id: `block-${index}`, ...block, ...(block.type === 'actions' && { elements }) };
}

/** What people can press or fill in, from left to right. */
export function elementsOf({ elements, element }: JsonObject): readonly JsonObject[] {
  return [...(Array.isArray(elements) ? elements : []), element].filter(isJsonObject);
}

/** The buttons from left to right and from top to bottom. */
export function buttonsOf(blocks: readonly JsonObject[]): readonly ShownButton[] {
  return blocks.flatMap((block) =>
    elementsOf(block)
      .filter(({ type }) => type === 'button')
      .map(({ text, action_id, value, style }) => ({
        label: textOf(text),
        actionId: String(action_id),
        blockId: String(block.block_id),
        value: optionalText(value),
        style: optionalText(style),
      })),
  );
}

/** What people read in the blocks, a line for each; buttons and inputs are not among it. Not unescaped. */
export function textOfBlocks(blocks: readonly JsonObject[]): string {
  const texts = blocks.map((block) => {
    if (block.type === 'rich_text') return richText(block);
    const inside = Array.isArray(block.child_blocks) ? block.child_blocks.filter(isJsonObject) : [];
    return block.type === 'container' ? `${textOf(block.title)}\n${textOfBlocks(inside)}` : textOf(block.text);
  });
  return texts.filter((text) => text !== '').join('\n');
}

function richText(element: JsonValue): string {
  if (!isJsonObject(element)) return '';
  if (typeof element.text === 'string') return element.text;
  if (element.type === 'date') return String(element.fallback);
  if (element.type === 'user') return `<@${String(element.user_id)}>`;
  const inside = Array.isArray(element.elements) ? element.elements.map(richText) : [];
  return inside.join(element.type === 'rich_text' ? '\n' : '');
}

function textOf(value: JsonValue | undefined): string {
  return optionalText(value) ?? (isJsonObject(value) ? textOf(value.text) : '');
}

function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
