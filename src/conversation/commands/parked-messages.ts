import { type Command, firstWord, noticeTo, type Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { clockTime } from '../../lib/local-time.ts';
import { escapeMarkdown } from '../../lib/plain-text.ts';
import type { StubAction } from '../../words/stub.ts';
import type { InboxStore, StoredCommand } from '../inbox.ts';

interface ParkedMessagesDependencies {
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly isOwner: (principal: string) => boolean;
  readonly clock: Clock;
  /** Told after something was stored that these conversations have to show. */
  readonly deliver: (conversationIds: readonly string[]) => void;
  /** Told that a card will never be shown. */
  readonly cardRefused: (approvalId: string) => Promise<void>;
}

/**
 * What people say of messages that the platform would not take while it took others. Such a message waits in the outbox; a
 * stub stands in its place, with a button to try it again and one to drop it. Those who may talk there may press them, and an
 * owner may type the same anywhere.
 */
export class ParkedMessages {
  readonly #dependencies: ParkedMessagesDependencies;

  constructor(dependencies: ParkedMessagesDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes a press on a stub. Resolves with the words for the one who pressed; undefined where the stub says enough. */
  async press(origin: Origin, { stubId, verb }: StubAction): Promise<string | undefined> {
    const isDone = await this.#obey(origin, { stubId, verb }, () => undefined);
    return isDone ? undefined : 'That does not wait any more.';
  }

  /** Obeys and answers `/retry ID` and `/drop ID`. */
  async command({ argument }: Command, verb: StubAction['verb'], origin: Origin): Promise<void> {
    const stubId = firstWord(argument).word.toLowerCase();
    await this.#obey(origin, { stubId, verb }, ({ unparked }) => {
      if (stubId === '') return noticeTo(origin, `Say which: \`/${verb} ID\`. \`/status\` shows what waits.`);
      if (unparked === undefined)
        return noticeTo(origin, 'Nothing of that name waits here. `/status` shows what waits.');
      return noticeTo(origin, verb === 'retry' ? 'I am trying it again.' : 'Dropped.');
    });
  }

  /** Whether it is obeyed now, or was before. */
  async #obey(origin: Origin, { stubId, verb }: StubAction, answer: StoredCommand['answer']): Promise<boolean> {
    const { inbox, isOwner, clock, deliver, cardRefused } = this.#dependencies;
    const by = `${escapeMarkdown(origin.name)} at ${clockTime(clock.now())}`;
    const words = verb === 'retry' ? `🔁 Tried again for ${by}.` : `🗑 Dropped by ${by}.`;
    const effect = { type: 'unpark', stubId, verb, anywhere: isOwner(origin.principal), words } as const;
    const obeyed = await inbox.obey({ origin, name: verb, effect, answer, at: clock.now() });
    if (obeyed.status === 'repeated') return true;
    deliver([origin.conversationId, ...obeyed.places]);
    if (obeyed.unparked?.approvalId !== undefined) await cardRefused(obeyed.unparked.approvalId);
    return obeyed.unparked !== undefined;
  }
}
