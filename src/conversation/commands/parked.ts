/*
 * Retries or drops parked messages: those that a platform refused while it accepted others. Each waits in the outbox; a
 * stub in its place has buttons to retry and to drop it. Everybody who may talk there may press them, and an owner may
 * type the same anywhere.
 */

import type { Approvals } from '../../engine/decide.ts';
import { firstWord, type Origin } from '../../engine/message.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { clockTime } from '../../lib/time-words.ts';
import type { StubAction } from '../../words/stub.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects, Effect, Unparked } from '../effects.ts';
import type { InboxStore } from '../inbox.ts';
import type { GivenCommand } from './given-command.ts';
import type { Reports } from './reports/reports.ts';
import { commandWords } from './words.ts';

interface ParkedParts extends Pick<ConversationCore, 'owners' | 'clock' | 'deliver' | 'readers'> {
  readonly effects: Pick<CommandEffects, 'unpark'>;
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly approvals: Pick<Approvals, 'cardRefused'>;
}

/** A press on a stub. Resolves with words for the person who pressed; undefined if the stub says enough. */
export async function pressStub(origin: Origin, stub: StubAction, parts: ParkedParts): Promise<string | undefined> {
  // Below a list, the pressed message is not the stub.
  const at = stub.isListed ? { ...origin, pressed: undefined } : origin;
  const words = commandWords[parts.readers.forAnswer(origin).language];
  if (!(await unpark(at, stub, parts))) return words.waitsNoLonger;
  if (!stub.isListed) return undefined;
  return stub.verb === 'retry' ? words.triedAgain : words.dropped;
}

/** `/retry ID` and `/drop ID`; without an id, a list of what was not delivered. */
export async function settleParked(
  given: GivenCommand,
  verb: StubAction['verb'],
  parts: ParkedParts & { readonly reports: Pick<Reports, 'undelivered'> },
): Promise<void> {
  const { argument, origin, list, obey, reader } = given;
  const words = commandWords[reader.language];
  const stubId = firstWord(argument).word.toLowerCase();
  if (stubId === '') return list(await parts.reports.undelivered(origin, verb));
  const obeyed = await obey(unparking(origin, { stubId, verb }, parts), (unparked) => {
    if (unparked === undefined) return words.noSuchMessage;
    return verb === 'retry' ? words.triedAgain : words.dropped;
  });
  if (obeyed.status === 'done') await cardDropped(obeyed.result, parts);
}

/** Resolves with whether it is applied, now or before. */
async function unpark(origin: Origin, stub: StubAction, parts: ParkedParts): Promise<boolean> {
  const { inbox, clock, deliver } = parts;
  const effect = unparking(origin, stub, parts);
  const obeyed = await inbox.obey({ origin, name: stub.verb, effect, answer: () => undefined, at: clock.now() });
  if (obeyed.status === 'repeated') return true;
  deliver([origin.conversationId, ...obeyed.conversationIds]);
  await cardDropped(obeyed.result, parts);
  return obeyed.result !== undefined;
}

function unparking(
  origin: Origin,
  { stubId, verb }: Pick<StubAction, 'stubId' | 'verb'>,
  { effects, owners, clock, readers }: ParkedParts,
): Effect<Unparked | undefined> {
  const at = clock.now();
  return effects.unpark({
    stubId,
    verb,
    anywhere: owners.isOwner(origin.principal),
    words(conversationId) {
      const reader = readers.forConversation(conversationId);
      const by = { name: escapeMarkdown(origin.name), time: clockTime(at, reader) };
      const { triedAgainFor, droppedBy } = commandWords[reader.language];
      return verb === 'retry' ? triedAgainFor(by) : droppedBy(by);
    },
  });
}

async function cardDropped(unparked: Unparked | undefined, { approvals }: ParkedParts): Promise<void> {
  if (unparked?.approvalId !== undefined) await approvals.cardRefused(unparked.approvalId);
}
