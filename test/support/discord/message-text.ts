import { componentTexts } from './components.ts';
import { embedTexts } from './embeds.ts';
import type { MessageContent } from './messages.ts';

/** All that a person reads in a message, from top to bottom, without what stands on buttons. */
export function readableText({
  content,
  embeds,
  components,
}: Pick<MessageContent, 'content' | 'embeds' | 'components'>) {
  return [content, ...embedTexts(embeds), ...componentTexts(components)].filter((text) => text !== '').join('\n');
}
