/*
 * Retries or drops parked messages: those that a platform refused while it accepted others. Each waits in the outbox; a
 * stub in its place has buttons to retry and to drop it. Everybody who may talk there may press them, and an owner may
 * type the same anywhere.
 */

import type { Approvals } from '../../engine/decide.ts';
import { firstWord, noticeTo, type Origin } from '../../engine/message.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { clockTime } from '../../lib/time-words.ts';
import type { StubAction } from '../../words/stub.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects, Unparked } from '../effects.ts';
import type { InboxStore, StoredCommand } from '../inbox.ts';
import type { GivenCommand } from './given-command.ts';
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
  if (!(await unpark(at, stub, () => undefined, parts))) return words.waitsNoLonger;
  if (!stub.isListed) return undefined;
  return stub.verb === 'retry' ? words.triedAgain : words.dropped;
}

/** `/retry ID` and `/drop ID`. */
export async function settleParked(
  { argument, origin, reader }: GivenCommand,
  verb: StubAction['verb'],
  parts: ParkedParts,
): Promise<void> {
  const words = commandWords[reader.language];
  const stubId = firstWord(argument).word.toLowerCase();
  const told = (unparked: Unparked | undefined): string => {
    if (stubId === '') return words.whichMessage({ verb });
    if (unparked === undefined) return words.noSuchMessage;
    return verb === 'retry' ? words.triedAgain : words.dropped;
  };
  await unpark(origin, { stubId, verb }, (unparked) => noticeTo(origin, told(unparked)), parts);
}

/** Resolves with whether it is applied, now or before. */
async function unpark(
  origin: Origin,
  { stubId, verb }: Pick<StubAction, 'stubId' | 'verb'>,
  answer: StoredCommand<Unparked | undefined>['answer'],
  { inbox, effects, approvals, owners, clock, deliver, readers }: ParkedParts,
): Promise<boolean> {
  const at = clock.now();
  const words = (conversationId: string): string => {
    const reader = readers.forConversation(conversationId);
    const by = { name: escapeMarkdown(origin.name), time: clockTime(at, reader) };
    const { triedAgainFor, droppedBy } = commandWords[reader.language];
    return verb === 'retry' ? triedAgainFor(by) : droppedBy(by);
  };
  const effect = effects.unpark({ stubId, verb, anywhere: owners.isOwner(origin.principal), words });
  const obeyed = await inbox.obey({ origin, name: verb, effect, answer, at });
  if (obeyed.status === 'repeated') return true;
  deliver([origin.conversationId, ...obeyed.conversationIds]);
  const { result: unparked } = obeyed;
  if (unparked?.approvalId !== undefined) await approvals.cardRefused(unparked.approvalId);
  return unparked !== undefined;
}
