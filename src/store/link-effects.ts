import type { Origin } from '../approval/approval.ts';
import { linkedNotice, ownersLinkNotice, unlinkedNotice } from '../conversation/access/link-words.ts';
import type { LinkEffect, LinkResult } from '../conversation/links-store.ts';
import { laneOf } from '../conversation/outbox.ts';
import { newId } from '../lib/ids.ts';
import type { Tables } from './tables/tables.ts';

/** Who does it, and when; what is to be shown elsewhere is added to `places`. */
interface Doing {
  readonly origin: Origin;
  readonly at: number;
  readonly places: string[];
}

/** Changes which accounts belong together. Belongs inside a write. */
export function changeLinks(tables: Tables, effect: LinkEffect, doing: Doing): LinkResult {
  switch (effect.type) {
    case 'offer-link':
      tables.links.addCode(effect.code, doing.origin, doing.at, effect.expiresAt);
      return {};
    case 'link':
      return link(tables, effect, doing);
    case 'burn-link-code':
      tables.links.removeCode(effect.code);
      return {};
    case 'unlink':
      return unlink(tables, effect.principal, doing);
  }
}

/** An account that belongs to somebody already joins nobody else: what links two people could not be undone. */
function link(tables: Tables, { code, told }: Extract<LinkEffect, { type: 'link' }>, doing: Doing): LinkResult {
  const { links, people, audit } = tables;
  const { origin, at } = doing;
  const { principal, name, conversationId } = origin;
  const found = links.findCode(code, at);
  if (found === undefined || found.principal === principal || links.find(principal) !== undefined) return {};
  links.removeCode(code);
  links.removeCodeOf(principal);
  people.removeCode(principal);
  const person = links.find(found.principal)?.person ?? newId(12);
  if (links.find(found.principal) === undefined)
    links.add({ principal: found.principal, person, name: found.name, linkedAt: at });
  links.add({ principal, person, name, linkedAt: at });
  const linked = { principal: found.principal, name: found.name };
  say(tables, [found.conversationId], linkedNotice(origin), doing);
  for (const owner of told) say(tables, chatsOf(tables, owner), ownersLinkNotice(origin, linked), doing);
  audit.add({ at, kind: 'account-linked', conversationId, actor: principal, detail: { with: found.principal } });
  return { links: links.all(), linked };
}

function unlink(tables: Tables, principal: string, doing: Doing): LinkResult {
  const { links, audit } = tables;
  const { origin, at } = doing;
  const found = links.find(principal);
  if (found === undefined) return {};
  // A code that one of them has would bring back what is taken apart.
  for (const account of links.ofPerson(found.person)) links.removeCodeOf(account.principal);
  links.remove(principal);
  const rest = links.ofPerson(found.person);
  if (rest.length === 1) for (const last of rest) links.remove(last.principal);
  if (origin.principal !== principal) say(tables, chatsOf(tables, principal), unlinkedNotice, doing);
  const { conversationId, principal: actor } = origin;
  audit.add({ at, kind: 'account-unlinked', conversationId, actor, detail: { account: principal } });
  return { links: links.all(), linked: { principal, name: found.name } };
}

/** His own chats, one of each however many threads it has. */
function chatsOf({ conversations }: Tables, principal: string): readonly string[] {
  const chats = conversations.directConversationsOf(principal).toSorted().reverse();
  return [...new Map(chats.map((id) => [laneOf(id), id] as const)).values()];
}

function say({ outbox }: Tables, conversationIds: readonly string[], markdown: string, { at, places }: Doing): void {
  for (const conversationId of conversationIds) {
    outbox.add({ conversationId, message: { id: newId(20), kind: 'notice', markdown } }, at);
    places.push(conversationId);
  }
}
