import type { ChannelAdapter } from '../../contract.ts';
import { splitMarkdown } from '../split/split.ts';
import { healMarkdown } from './heal-markdown.ts';

/** What can be shown of a text that is still being written, as one message after the other. None if nothing can. */
export async function previewParts(
  text: string,
  adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>,
): Promise<readonly string[]> {
  const { maxLength } = adapter.capabilities;
  const parts = splitMarkdown(text, { maxLength, measure: (markdown) => adapter.measure(markdown) });
  const last = parts.at(-1);
  if (last === undefined) return [];

  const healed = await healMarkdown(last);
  // What closes the text may be just too much for the message.
  const shown = adapter.measure(healed) <= maxLength ? healed : last;
  return [...parts.slice(0, -1), ...(shown.trim() === '' ? [] : [shown])];
}
