import { firstWord, noticeTo, type Origin } from '../../engine/message.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import { clockTime } from '../../lib/time-words.ts';
import type { StubAction } from '../../words/stub.ts';
import type { StoredCommand } from '../inbox.ts';
import type { CommandMeans, GivenCommand } from './given-command.ts';

export type ParkedMessages = ReturnType<typeof parkedMessages>;

interface ParkedMessagesParts extends Pick<CommandMeans, 'inbox' | 'clock' | 'deliver'> {
  readonly isOwner: (principal: string) => boolean;
  /** Called when a card will never be shown. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
}

/**
 * Retries or drops parked messages: those that a platform refused while it accepted others. Each waits in the outbox; a
 * stub in its place has buttons to retry and to drop it. Everybody who may talk there may press them, and an owner may
 * type the same anywhere.
 */
export function parkedMessages({ inbox, isOwner, clock, deliver, cardRefused }: ParkedMessagesParts) {
  /** Resolves with whether it is applied, now or before. */
  async function obey(origin: Origin, { stubId, verb }: StubAction, answer: StoredCommand['answer']): Promise<boolean> {
    const by = `${escapeMarkdown(origin.name)} at ${clockTime(clock.now())}`;
    const words = verb === 'retry' ? `🔁 Tried again for ${by}.` : `🗑 Dropped by ${by}.`;
    const effect = { type: 'unpark', stubId, verb, anywhere: isOwner(origin.principal), words } as const;
    const obeyed = await inbox.obey({ origin, name: verb, effect, answer, at: clock.now() });
    if (obeyed.status === 'repeated') return true;
    deliver([origin.conversationId, ...obeyed.places]);
    if (obeyed.unparked?.approvalId !== undefined) await cardRefused(obeyed.unparked.approvalId);
    return obeyed.unparked !== undefined;
  }

  return {
    /** Handles a press on a stub. Resolves with words for the person who pressed; undefined if the stub says enough. */
    async press(origin: Origin, stub: StubAction): Promise<string | undefined> {
      return (await obey(origin, stub, () => undefined)) ? undefined : 'That is no longer waiting.';
    },

    /** Handles `/retry ID` and `/drop ID`. */
    async command({ argument, origin }: GivenCommand, verb: StubAction['verb']): Promise<void> {
      const stubId = firstWord(argument).word.toLowerCase();
      await obey(origin, { stubId, verb }, ({ unparked }) => {
        if (stubId === '') return noticeTo(origin, `Say which: \`/${verb} ID\`. \`/status\` shows what waits.`);
        if (unparked === undefined)
          return noticeTo(origin, 'Nothing of that name waits here. `/status` shows what waits.');
        return noticeTo(origin, verb === 'retry' ? 'I am trying it again.' : 'Dropped.');
      });
    },
  };
}
