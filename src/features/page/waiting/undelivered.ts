import { deviceChannel } from '../../../conversation/access/access.ts';
import { parseCommandAction } from '../../../words/command-buttons.ts';
import { stubWords } from '../../../words/words.ts';
import type { PageAsked, PageCore } from '../page-route.ts';
import type { UndeliveredEntry, WaitingMatter } from '../wire/waiting.ts';
import { pressOf } from './decide.ts';
import { placeOf, type WaitingContext } from './people.ts';

/** More are not told. */
const mostUndelivered = 200;

/** Messages that did not arrive, the newest first: in this person's direct chats; for owners, in all. */
export async function undeliveredTo(context: WaitingContext): Promise<readonly UndeliveredEntry[]> {
  const { asked, core } = context;
  const messages = await core.store.outbox.undeliveredMessages();
  if (messages.length === 0) return [];
  const own = new Set((await core.store.lifetime.directChats(asked.accounts)).map((chat) => chat.conversationId));
  const told = messages
    // On a device, what was on its way when Keyturn ended waits for somebody who looks: nobody has to do anything.
    .filter(({ channel, fate }) => channel !== deviceChannel || fate !== 'retried')
    .filter(({ conversationId }) => asked.isOwner || own.has(conversationId))
    .slice(0, mostUndelivered);
  const entries: UndeliveredEntry[] = [];
  for (const { stubId, kind, conversationId, channel, at, reason, fate } of told) {
    entries.push({
      id: stubId,
      kind: stubWords[asked.language].kind(kind),
      conversation: await placeOf(conversationId, context),
      at,
      reason,
      fate: fate === 'retried' && !core.adapters.has(channel) ? 'off' : fate,
    });
  }
  return entries;
}

/** What `/status` lists besides, and the page shows elsewhere: cards, permissions, messages. */
const shownElsewhere = /^(?:card|grant|undelivered):/;

/** What else waits for this person. */
export async function mattersFor(asked: PageAsked, core: PageCore): Promise<readonly WaitingMatter[]> {
  const entries = await core.room(pressOf(undefined, asked));
  return entries
    .filter(({ id }) => !shownElsewhere.test(id))
    .map(({ id, markdown, buttons }) => ({
      id,
      markdown,
      buttons: buttons.flatMap(({ actionId, label, style }) => {
        const line = parseCommandAction(actionId)?.line;
        return line === undefined ? [] : [{ label, style, line }];
      }),
    }));
}
