/*
 * Commands that a person gives aside from their chats, as on the page: the answer comes back to the one who asked, and is
 * not sent. Everything else is as if they had typed it in the conversation of its origin.
 */

import { type InboundMessage, partsOf } from '../contract.ts';
import type { ListAnswer } from '../words/command-buttons.ts';
import type { Core } from './feature.ts';
import { type Access, type AccessPolicy, type Command, type Origin, parseCommand } from './message.ts';
import { engineWords } from './words.ts';

/**
 * Obeys `line`, a command without its slash, with the rights of the origin's person. An origin's key acts once. Undefined if it
 * has acted before, or there is nothing to say. Rejects if it could not be stored.
 */
export type ObeyAside = (line: string, origin: Origin) => Promise<ListAnswer | undefined>;

/** Answers commands without sending the answer. */
export interface AnsweringCommands {
  answer(command: Command, origin: Origin): Promise<ListAnswer | undefined>;
}

interface AsideParts extends Pick<Core, 'readerOf' | 'prepareReaders' | 'clock'> {
  readonly access: Pick<AccessPolicy, 'accessOf' | 'mayCommand'>;
  readonly commands: AnsweringCommands;
  /** Whether it is obeyed no matter who may talk there: the decision of an approver. */
  readonly skipsAccess: (command: Command, access: Access) => boolean;
}

export async function obeyAside(
  line: string,
  origin: Origin,
  { access, commands, clock, readerOf, prepareReaders, skipsAccess }: AsideParts,
): Promise<ListAnswer | undefined> {
  await prepareReaders([origin.conversationId]);
  const words = engineWords[readerOf(origin).language];
  const command = parseCommand(`/${line}`);
  if (command === undefined) return saying(words.noCommand);
  const said = typed(line, origin, clock.now());
  const mayTalk = access.accessOf(said);
  const isAllowed = mayTalk.type === 'welcome' && access.mayCommand(command, said);
  if (!isAllowed && !skipsAccess(command, mayTalk)) return saying(words.toastOnlyPeopleHere);
  return commands.answer(command, { ...origin, isAside: true });
}

function typed(line: string, { key, conversation, principal, name, roles }: Origin, sentAt: number): InboundMessage {
  const sender = { id: partsOf(principal).senderId, name, roles, isPerson: true };
  return { type: 'message', key, conversation, sender, text: `/${line}`, addressed: true, sentAt };
}

function saying(markdown: string): ListAnswer {
  return { markdown, again: '', rows: [] };
}
