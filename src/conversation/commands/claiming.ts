/* How the first owner claims this Keyturn: with the code that its operator sees when it starts. */

import type { InboundMessage } from '../../contract.ts';
import type { Command } from '../../engine/message.ts';
import { newId, sameSecret } from '../../lib/ids.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { type CommandEffects, noEffect } from '../effects.ts';
import type { GivenCommand } from './given-command.ts';
import type { Guesses } from './guesses.ts';
import { commandWords } from './words.ts';

export interface ClaimParts extends Pick<ConversationCore, 'owners' | 'heard' | 'log'> {
  readonly effects: Pick<CommandEffects, 'claim'>;
  /** Makes the person who types it the first owner, while nobody owns this Keyturn. */
  readonly claimCode: string;
  /** Called once somebody has done so. */
  readonly claimed?: ((principal: string) => void) | undefined;
}

/** A code that no word is taken for: it has a letter and a digit. */
export function newClaimCode(): string {
  const code = newId(8);
  return /[a-z]/.test(code) && /\d/.test(code) ? code : newClaimCode();
}

/**
 * The claim that a direct message is while there is something to claim: the code alone, or `/start CODE`, which the link that
 * is printed at the start sends. Undefined for anything else.
 */
export function claimIn(
  { text, conversation, sender, shared }: InboundMessage,
  { owners }: Pick<ClaimParts, 'owners'>,
): Command | undefined {
  if (conversation.kind !== 'direct' || !sender.isPerson || shared !== undefined || !owners.isUnclaimed())
    return undefined;
  const [, linked] = /^\/start\s+(\S.*)$/is.exec(text.trim()) ?? [];
  const argument = linked ?? /^`?((?=[a-z]*\d)(?=\d*[a-z])[a-z\d]{8})`?$/i.exec(text.trim())?.[1];
  return argument === undefined ? undefined : { name: 'claim', argument: argument.trim() };
}

/** Every attempt counts once, the right one included. */
export async function claim(given: GivenCommand, guesses: Guesses, parts: ClaimParts): Promise<void> {
  const { origin, argument, reader } = given;
  const { log, owners, heard } = parts;
  const { principal } = origin;
  const words = commandWords[reader.language];
  const guess = guesses.take(principal);
  if (guess === 'ignored') return;
  if (guess === 'too-many') return given.answer(words.tooManyGuesses);
  const isRight = sameSecret(argument.trim().toLowerCase(), parts.claimCode);
  const obeyed = isRight
    ? await given.obey(parts.effects.claim, (isClaimed) => (isClaimed ? words.claimed : words.alreadyOwned))
    : await given.obey(noEffect, () => words.wrongClaim);
  if (obeyed.status === 'repeated') guesses.giveBack(principal);
  if (obeyed.status !== 'done') return;
  if (!isRight) log.warn({ principal }, 'somebody tried to become the owner with a wrong code');
  if (obeyed.result !== true) return;
  owners.add(principal);
  heard.tell(principal);
  parts.claimed?.(principal);
}
