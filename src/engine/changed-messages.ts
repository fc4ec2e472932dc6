/* Messages that their senders change or take back. A run that has not shown its answer begins again. */

import { type BareDeletion, type InboundDeletion, type InboundEdit, principalOf } from '../contract.ts';
import type { Core } from './feature.ts';
import type { EditDraft, Inbox, Origin } from './message.ts';
import type { Speech } from './turn.ts';

export interface ChangeParts extends Pick<Core, 'clock' | 'wake'> {
  readonly inbox: Pick<Inbox, 'edit' | 'withdraw'>;
  /** Called when a person said more: an unshown answer may be restarted. */
  readonly supersede: (conversationId: string, principal: string, speech: Speech) => void;
}

/** Changes a message that was accepted. `untrusted`: the sources of what its sender did not write. */
export async function changeMessage(
  { messageKey: key, conversation, text, shared }: InboundEdit,
  { origin, untrusted }: Pick<EditDraft, 'origin' | 'untrusted'>,
  parts: ChangeParts,
): Promise<void> {
  const messageKey = `${conversation.channel}:${key}`;
  const edited = await parts.inbox.edit({ origin, messageKey, text, shared, untrusted, at: parts.clock.now() });
  if (edited.type === 'replaced') beginAgain(origin, { type: 'changed', seq: edited.seq }, parts);
}

/** People who may no longer talk can still take back what they said. */
export async function takeBackMessage(
  { messageKey, sender }: InboundDeletion | BareDeletion,
  channel: string,
  parts: ChangeParts,
): Promise<void> {
  const { inbox, clock } = parts;
  const principal = sender && principalOf(channel, sender.id);
  const withdrawn = await inbox.withdraw({ messageKey: `${channel}:${messageKey}`, principal, at: clock.now() });
  if (withdrawn.type === 'removed') beginAgain(withdrawn, { type: 'taken-back' }, parts);
}

/** No turn has seen the old text, so an unshown answer to it restarts. One that comes later is outdated. */
function beginAgain(
  { conversationId, principal }: Pick<Origin, 'conversationId' | 'principal'>,
  speech: Speech,
  { supersede, wake }: ChangeParts,
): void {
  supersede(conversationId, principal, speech);
  wake([conversationId]);
}
