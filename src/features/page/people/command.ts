import { randomUUID } from 'node:crypto';
import { type Conversation, conversationId as idOf } from '../../../contract.ts';
import { deviceChannel } from '../../../conversation/access/access.ts';
import { type Origin, parseCommand } from '../../../engine/message.ts';
import { isJsonObject } from '../../../lib/json.ts';
import { type ListAnswer, parseCommandAction } from '../../../words/command-buttons.ts';
import { type PageAnswer, type PageAsked, type PageCore, type PageRoute, shown } from '../page-route.ts';
import type { CommandButton, CommandOutcome, CommandWish } from '../wire/command.ts';
import { heardThere } from './tables.ts';
import { peoplePageWords } from './words.ts';

/** Everything that a person may do by a command is done by that command. */
export const commandRoute: PageRoute = { method: 'POST', path: 'command', answer: obeyWish };

/** As long as a message may be that a platform takes. In characters. */
const longestLine = 4_000;

/** These are about a conversation, though the others of their section are not. */
const ofConversations: readonly string[] = ['stop', 'new'];

async function obeyWish(asked: PageAsked, core: PageCore): Promise<PageAnswer> {
  const wish = wishIn(asked);
  if (wish === undefined) return { status: 400, refusal: (language) => peoplePageWords[language].noLine };
  const { line, conversationId } = wish;
  const { name = '' } = parseCommand(`/${line}`) ?? {};
  if (conversationId === undefined && needsConversation(name, core))
    return { status: 409, refusal: (language) => peoplePageWords[language].needsConversation({ command: name }) };
  const origin = await placeOf(conversationId, asked, core);
  if (origin === undefined) return { status: 404, refusal: (language) => peoplePageWords[language].noSuchConversation };
  const key = `${asked.visitor.principal}:page:${wish.key ?? randomUUID()}`;
  const answer = await core.obeyAside(line, { ...origin, key, language: asked.language });
  return shown(outcomeOf(answer));
}

function wishIn({ body }: PageAsked): CommandWish | undefined {
  if (!isJsonObject(body)) return undefined;
  const { line, conversationId, key } = body;
  if (typeof line !== 'string' || line.length > longestLine || line.trim() === '') return undefined;
  return {
    line: line.trim(),
    conversationId: typeof conversationId === 'string' ? conversationId : undefined,
    key: typeof key === 'string' && /^[\w-]{1,64}$/.test(key) ? key : undefined,
  };
}

function needsConversation(name: string, { menu }: PageCore): boolean {
  const section = menu.find((command) => command.name === name)?.section;
  return section === 'here' || ofConversations.includes(name);
}

/** Where something is done, and by which account of the person. */
export type Place = Omit<Origin, 'key' | 'language'>;

/** Undefined: the person has not talked there. Without a conversation: aside from all of them. */
export async function placeOf(
  conversationId: string | undefined,
  asked: PageAsked,
  core: PageCore,
): Promise<Place | undefined> {
  return conversationId === undefined ? originAside(asked) : originIn(conversationId, asked, core);
}

/** In the direct chat named after the browser, which stands for all chats of its person. */
function originAside({ visitor: { device, principal } }: PageAsked): Place {
  const conversation: Conversation = { channel: deviceChannel, chatId: device.id, kind: 'direct' };
  return { conversation, conversationId: idOf(conversation), principal, name: device.personName };
}

/**
 * Where the person has talked, by the account that did: with its rights there, and no others. Whether they are still in a group
 * is not known, so that only owners command there from afar.
 */
async function originIn(
  conversationId: string,
  { accounts, isOwner }: PageAsked,
  core: PageCore,
): Promise<Place | undefined> {
  const conversation = await core.store.inbox.conversationOf(conversationId);
  if (conversation?.kind === 'group' && !isOwner) return undefined;
  const heard = await heardThere(core.database, conversationId, accounts);
  return conversation && heard && { ...heard, conversation, conversationId };
}

function outcomeOf(answer: ListAnswer | undefined): CommandOutcome {
  if (answer === undefined) return { markdown: '', buttons: [] };
  const buttons = answer.rows.flat().flatMap(({ button: { actionId, label, style } }): CommandButton[] => {
    const line = parseCommandAction(actionId)?.line;
    return line === undefined ? [] : [{ label, style, line }];
  });
  return { markdown: answer.markdown, buttons };
}
