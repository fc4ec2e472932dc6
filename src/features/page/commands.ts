import { isFromDevice } from '../../conversation/access/access.ts';
import { defineCommands, type ObeyedCommand } from '../../conversation/commands/definition.ts';
import type { GivenCommand } from '../../conversation/commands/given-command.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { durationWords } from '../../lib/time-words.ts';
import { wordsIn } from '../../lib/words.ts';
import { type LinkParts, linksFor } from './links.ts';
import { ticketLifetime } from './tickets.ts';
import { pageWords } from './words.ts';

/** `/web` opens the page. */
export const pageCommands = defineCommands(pageWords, { web: { section: 'yours', order: 255 } });

type CommandParts = LinkParts & Pick<FeatureCore, 'rules' | 'adapters'>;

export function obeyedPageCommands(parts: CommandParts): readonly ObeyedCommand[] {
  return pageCommands.obeyed({ web: (given) => giveLink(given, parts) });
}

async function giveLink({ origin, answer, reader }: GivenCommand, parts: CommandParts): Promise<void> {
  const { conversation, conversationId, principal, name } = origin;
  const words = pageWords[reader.language];
  // A stolen device must not let in a browser.
  if (isFromDevice(origin)) return answer(words.notFromDevice);
  if (conversation.kind === 'group') return answer(words.notHere);
  if (!parts.rules.isLetIn(principal)) return answer(words.unknownPerson);
  const links = await linksFor({ principal, name, conversationId }, parts);
  if ('refusal' in links) return answer(wordsIn(reader.language, links.refusal));
  const lifetime = durationWords(ticketLifetime, reader.language);
  const isAtMachine = parts.adapters.get(conversation.channel)?.localOwner !== undefined;
  const url = isAtMachine ? links.here : (links.elsewhere ?? links.here);
  const isForHereOnly = !isAtMachine && links.elsewhere === undefined;
  await answer(isForHereOnly ? words.linkHere({ url, lifetime }) : words.link({ url, lifetime }));
}
