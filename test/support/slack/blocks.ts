import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { explained, Refusal } from './refusal.ts';

/** Where blocks stand. What takes a text from people is for modals only. */
export type Surface = 'message' | 'modal';

const mostBlocks: Readonly<Record<Surface, number>> = { message: 50, modal: 100 };
const mostMarkdown = 12_000;
/** Nobody writes this limit down; Slack was measured to have it. */
const mostTogether = 13_200;

const identifier = z.string().min(1).max(255);
const plain = (most: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(most), emoji: z.boolean().optional() });
const marked = (most: number) =>
  z.union([
    plain(most),
    z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(most), verbatim: z.boolean().optional() }),
  ]);
const confirm = z.looseObject({ title: plain(100), text: marked(300), confirm: plain(30), deny: plain(30) });
const button = z.strictObject({
  type: z.literal('button'),
  text: plain(75),
  action_id: identifier.optional(),
  value: z.string().max(2000).optional(),
  url: z.string().max(3000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: confirm.optional(),
  accessibility_label: z.string().max(75).optional(),
});
const picture = z.looseObject({ type: z.literal('image'), alt_text: z.string().max(2000) });
const choice = z.looseObject({
  type: z.enum(['static_select', 'overflow', 'checkboxes', 'radio_buttons', 'users_select', 'conversations_select']),
  action_id: identifier.optional(),
});
const typed = z.looseObject({
  type: z.enum(['plain_text_input', 'number_input', 'email_text_input', 'rich_text_input']),
  action_id: identifier.optional(),
  max_length: z.number().int().min(1).max(3000).optional(),
  placeholder: plain(150).optional(),
});
const block_id = identifier.optional();
const text = { block_id };
const inMessages = [
  z.strictObject({ type: z.literal('markdown'), text: z.string().min(1), ...text }),
  z.strictObject({
    type: z.literal('section'),
    text: marked(3000).optional(),
    fields: z.array(marked(2000)).min(1).max(10).optional(),
    accessory: z.union([button, picture, choice]).optional(),
    expand: z.boolean().optional(),
    ...text,
  }),
  z.strictObject({ type: z.literal('header'), text: plain(150), ...text }),
  z.strictObject({ type: z.literal('divider'), ...text }),
  z.strictObject({
    type: z.literal('context'),
    elements: z
      .array(z.union([marked(3000), picture]))
      .min(1)
      .max(10),
    ...text,
  }),
  z.strictObject({
    type: z.literal('actions'),
    elements: z
      .array(z.union([button, choice]))
      .min(1)
      .max(25),
    ...text,
  }),
  z.looseObject({
    type: z.enum(['image', 'rich_text', 'table', 'context_actions', 'task_card', 'plan', 'video']),
    ...text,
  }),
] as const;
const message = z.discriminatedUnion('type', inMessages);
const modal = z.discriminatedUnion('type', [
  ...inMessages,
  z.strictObject({
    type: z.literal('input'),
    label: plain(2000),
    element: z.union([typed, choice]),
    hint: plain(2000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
    ...text,
  }),
]);

/** Throws a refusal if Slack would not take the blocks. Gives them with the ids that Slack adds where there are none. */
export function checkBlocks(blocks: readonly JsonObject[], surface: Surface): readonly JsonObject[] {
  const refuse = (words: string): Refusal =>
    explained(surface === 'modal' ? 'invalid_arguments' : 'invalid_blocks', words);
  if (blocks.length > mostBlocks[surface])
    throw refuse(`no more than ${mostBlocks[surface]} items allowed [json-pointer:/blocks]`);
  for (const [index, block] of blocks.entries()) {
    const result = (surface === 'modal' ? modal : message).safeParse(block);
    if (!result.success) throw refuse(`${describe(block, result.error)} [json-pointer:/blocks/${index}]`);
    const empty = block.type === 'section' && block.text === undefined && block.fields === undefined;
    if (empty) throw refuse(`missing required field: text or fields [json-pointer:/blocks/${index}]`);
    checkTable(block);
    const doubled = repeated(elementsOf(block).map(({ action_id }) => action_id));
    if (doubled !== undefined) throw refuse(`\`action_id\` ${doubled} already exists for another action`);
  }
  const doubled = repeated(blocks.map((block) => block.block_id));
  if (doubled !== undefined) throw refuse(`\`block_id\` ${doubled} already exists for another block`);
  checkLength(blocks);
  return blocks.map(withIds);
}

/** What people can press or fill in, from top to bottom. */
export function elementsOf(block: JsonObject): readonly JsonObject[] {
  const elements = block.type === 'actions' && Array.isArray(block.elements) ? block.elements : [];
  return [...elements, block.accessory, block.element].filter(isJsonObject);
}

function describe(block: JsonObject, { issues: [issue] }: z.ZodError): string {
  if (issue === undefined || issue.path.join('/') === 'type') return `unsupported type: ${String(block.type)}`;
  return `${issue.path.join('/')}: ${issue.message}`;
}

function checkTable(block: JsonObject): void {
  if (block.type !== 'table') return;
  const rows = Array.isArray(block.rows) ? block.rows : [];
  const cells = rows.flatMap((row) => (Array.isArray(row) ? row : []));
  const isEmpty = cells.some((cell) => isJsonObject(cell) && cell.type === 'raw_text' && cell.text === '');
  if (rows.length < 1 || rows.length > 100 || isEmpty) throw new Refusal('invalid_blocks');
}

function checkLength(blocks: readonly JsonObject[]): void {
  const markdown = blocks.map((block) => (block.type === 'markdown' ? String(block.text).length : 0));
  const together = blocks.reduce((sum, block) => sum + lengthOf(block), 0);
  if (Math.max(0, ...markdown) > mostMarkdown || together > mostTogether) throw new Refusal('msg_blocks_too_long');
}

function lengthOf(value: JsonValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + lengthOf(part), 0);
}

function repeated(names: readonly (JsonValue | undefined)[]): string | undefined {
  const given = names.filter((name) => typeof name === 'string');
  return given.find((name, index) => given.indexOf(name) !== index);
}

function withIds(block: JsonObject, index: number): JsonObject {
  const name = (element: JsonValue, at: number): JsonValue =>
    isJsonObject(element) && element.type !== 'image' && element.action_id === undefined
      ? { ...element, action_id: `action-${index}-${at}` }
      : element;
  const elements: JsonObject =
    block.type === 'actions' && Array.isArray(block.elements) ? { elements: block.elements.map(name) } : {};
  return { ...block, ...elements, block_id: block.block_id ?? `block-${index}` };
}
