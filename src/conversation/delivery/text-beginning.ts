import type { ChannelAdapter } from '../../contract.ts';
import { splitMarkdown } from '../split/split.ts';

/** Stands below the beginning of a text that is sent whole as a file. */
export const seeFile = '*(The whole text is in the file.)*';

/** The first `count` parts of a text that was split, the last of them cut once more, so that it can say where the rest is. */
export function beginningOf(
  texts: readonly string[],
  count: number,
  adapter: Pick<ChannelAdapter, 'capabilities' | 'measure'>,
): readonly string[] {
  const last = texts[count - 1];
  if (last === undefined) return [];
  const withNote = (text: string): string => `${text}\n\n${seeFile}`;
  const { maxLength } = adapter.capabilities;
  const [cut = ''] = splitMarkdown(last, { maxLength, measure: (text) => adapter.measure(withNote(text)) });
  return [...texts.slice(0, count - 1), withNote(cut)];
}
