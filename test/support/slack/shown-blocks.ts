import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/lib/json.ts';
import { elementsOf } from './blocks.ts';

/** A button, and what a press of it sends. */
export interface ShownButton {
  readonly label: string;
  readonly actionId: string;
  readonly blockId: string;
  readonly value: string | undefined;
  readonly style: string | undefined;
  /** A link is opened by a press, which is told to the app all the same. */
  readonly url: string | undefined;
}

/** The buttons from left to right and from top to bottom. */
export function buttonsOf(blocks: readonly JsonObject[]): readonly ShownButton[] {
  return blocks.flatMap((block) =>
    elementsOf(block)
      .filter(({ type }) => type === 'button')
      .map((button) => ({
        label: textOf(button.text),
        actionId: String(button.action_id),
        blockId: String(block.block_id),
        value: optionalText(button.value),
        style: optionalText(button.style),
        url: optionalText(button.url),
      })),
  );
}

/** What people read in the blocks, a line for each; buttons and inputs are not among it. Not unescaped. */
export function textOfBlocks(blocks: readonly JsonObject[]): string {
  return blocks
    .map(textOfBlock)
    .filter((text) => text !== '')
    .join('\n');
}

function textOfBlock(block: JsonObject): string {
  switch (block.type) {
    case 'rich_text':
      return richText(block);
    case 'section':
      return [block.text, ...listOf(block.fields)].map(textOf).filter(Boolean).join('\n');
    case 'context':
      return listOf(block.elements).map(textOf).join(' ');
    case 'task_card':
      return textOf(block.title);
    default:
      return textOf(block.text);
  }
}

function richText(element: JsonValue): string {
  if (!isJsonObject(element)) return '';
  if (typeof element.text === 'string') return element.text;
  if (element.type === 'user') return `<@${String(element.user_id)}>`;
  if (element.type === 'broadcast') return `<!${String(element.range)}>`;
  return listOf(element.elements)
    .map(richText)
    .join(element.type === 'rich_text' ? '\n' : '');
}

function textOf(value: JsonValue | undefined): string {
  if (typeof value === 'string') return value;
  return isJsonObject(value) && typeof value.text === 'string' ? value.text : '';
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
