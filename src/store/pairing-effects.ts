import type { Origin } from '../approval/approval.ts';
import { welcomeWords } from '../conversation/access/people-words.ts';
import type { Acquaintance } from '../conversation/people-store.ts';
import { newId } from '../lib/ids.ts';
import type { Tables } from './tables/tables.ts';

/** Who was let in, or put out; nobody if there was nobody. */
export interface PairingResult {
  readonly person?: Acquaintance;
}

/**
 * Lets the holder of a good code in, and uses the code up. Tells him so; adds his conversation to `places`. Belongs inside
 * a write.
 */
export function pair(
  { people, outbox, audit }: Tables,
  { code, origin, at }: { readonly code: string; readonly origin: Origin; readonly at: number },
  places: string[],
): PairingResult {
  const found = people.findCode(code, at);
  if (found === undefined) return {};
  const { principal, name, conversationId } = found;
  people.removeCode(principal);
  people.letIn({ principal, name, pairedBy: origin.principal, pairedAt: at });
  outbox.add({ conversationId, message: { id: newId(20), kind: 'notice', markdown: welcomeWords } }, at);
  places.push(conversationId);
  const detail = { person: principal };
  audit.add({ at, kind: 'person-paired', conversationId: origin.conversationId, actor: origin.principal, detail });
  return { person: { principal, name } };
}

/** Lets somebody in no longer. Belongs inside a write. */
export function unpair(
  { people, links, audit }: Tables,
  { principal, origin, at }: { readonly principal: string; readonly origin: Origin; readonly at: number },
): PairingResult {
  const person = people.putOut(principal);
  if (person === undefined) return {};
  links.removeCodeOf(principal);
  const detail = { person: principal };
  audit.add({ at, kind: 'person-unpaired', conversationId: origin.conversationId, actor: origin.principal, detail });
  return { person };
}
