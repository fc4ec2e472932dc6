import { commandMenu } from '../../command-menu.ts';
import type { OutboundMessage } from '../../contract.ts';

const names = commandMenu.map(({ name }) => name).join('|');
/** A command as Keyturn itself names it: in code, with an id, a code or a word for one behind it. */
const command = new RegExp(`\`/(?=(?:${names})(?: [\\w:/-]+){0,2}\`)`, 'g');

/** The text with commands as they are typed on a channel. Only what Keyturn itself says is changed, not what it quotes. */
export function spellCommands(
  { kind, markdown }: Pick<OutboundMessage, 'kind' | 'markdown'>,
  prefix: string | undefined,
): string {
  if (prefix === undefined || (kind !== 'notice' && kind !== 'card')) return markdown;
  // What a card asks about stands above its last paragraph, and has to be shown as it is.
  const own = kind === 'card' ? markdown.lastIndexOf('\n\n') + 1 : 0;
  return markdown.slice(0, own) + markdown.slice(own).replace(command, () => `\`${prefix}`);
}
