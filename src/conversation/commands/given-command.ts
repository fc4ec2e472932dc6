import type { Button } from '../../contract.ts';
import type { Core } from '../../engine/feature.ts';
import { type Command, noticeTo, type Origin } from '../../engine/message.ts';
import type { TakeAway, Taking } from '../../engine/take-away.ts';
import type { StorageNotices } from '../health/storage.ts';
import type { CommandEffect, EffectResult, InboxStore, Obeyed, StoredCommand } from '../inbox.ts';
import type { HelpLine } from './help.ts';

type Words = (result: EffectResult) => string;

/**
 * A command as given by a person, with ways to answer it. Its effect and its answer are stored in one transaction:
 * delivered twice, it acts once.
 */
export interface GivenCommand extends Command {
  readonly origin: Origin;
  /** Answers a command that changes nothing. */
  answer(words: string): Promise<void>;
  /** Answers even if nothing can be stored, since the answer reports that. */
  answerAnyway(words: () => Promise<ButtonedAnswer>): Promise<void>;
  obey(effect: CommandEffect, words: Words): Promise<Obeyed>;
  /**
   * Obeys a command that stops something or takes a right away. It holds in memory at once, is answered before it is on
   * disk, and is tried again while it cannot be stored: see `Taking`. Should a power failure lose the command, the
   * platform still has it, since it is acknowledged when this resolves.
   */
  end(effect: CommandEffect, words: Words, ending: Ending): Promise<void>;
  /** Adds the hint for the place of the command, if there is one. */
  withHint(words: string): string;
}

/** The buttons are left out where nothing can be stored: a press could not be stored either. */
interface ButtonedAnswer {
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[];
}

/** How a command that ends something holds in memory: see `Taking`. */
export interface Ending extends Pick<Taking<unknown>, 'held' | 'now' | 'over'> {
  /** The newest sequence that it ends. Stored late, it does not end what was said meanwhile. */
  readonly upTo?: () => number | undefined;
  /** Called when it is applied, but not yet on disk. `over` was called before. */
  readonly ended?: (result: EffectResult) => void;
}

export interface CommandGroup {
  readonly takes: (command: Command, origin: Origin) => boolean;
  readonly help?: HelpLine;
  obey(given: GivenCommand): Promise<void>;
  /** Commands that are also accepted from people who may not talk yet. */
  readonly fromStrangers?: {
    readonly takes: (command: Command) => boolean;
    obey(given: GivenCommand): Promise<void>;
  };
}

export interface CommandMeans extends Pick<Core, 'clock' | 'deliver'> {
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly takeAway: TakeAway;
  readonly notices: Pick<StorageNotices, 'answer' | 'hasAnswered'>;
}

export const ownersOnly = 'Only an owner of this Keyturn can do that.';
export const notInGroups = 'Write that to me in a chat of our own: it is not for a group to read.';

export function givenCommand(
  command: Command,
  origin: Origin,
  { inbox, takeAway, notices, clock, deliver }: CommandMeans,
  withHint: GivenCommand['withHint'],
): GivenCommand {
  const stored = (effect: CommandEffect, words: Words, buttons: ButtonedAnswer['buttons'] = []): StoredCommand => {
    const answer = (result: EffectResult) => {
      const message = noticeTo(origin, words(result));
      return buttons.length === 0 ? message : { ...message, buttons };
    };
    return { origin, name: command.name, effect, answer, at: clock.now() };
  };
  const show = (places: readonly string[]): void => deliver([origin.conversationId, ...places]);
  const keep = async (command: StoredCommand): Promise<Obeyed> => {
    const obeyed = await inbox.obey(command);
    if (obeyed.status === 'done') show(obeyed.places);
    return obeyed;
  };
  const given: GivenCommand = {
    ...command,
    origin,
    withHint,
    async answer(words) {
      await given.obey({ type: 'none' }, () => words);
    },
    async answerAnyway(words) {
      if (notices.hasAnswered(origin.key)) return;
      try {
        const { markdown, buttons } = await words();
        await keep(stored({ type: 'none' }, () => markdown, buttons));
      } catch (error) {
        // Computes the words again: they now tell what is wrong.
        if (!(await notices.answer(origin.key, origin.conversation, (await words()).markdown))) throw error;
      }
    },
    async obey(effect, words) {
      return keep(stored(effect, words));
    },
    async end(effect, words, { ended, upTo, ...ending }) {
      await takeAway({
        ...ending,
        origin,
        store: (isLate) => {
          const told: Words = isLate ? (result) => `✅ It is stored now. ${words(result)}` : words;
          const command = isLate ? { ...stored(effect, told), upTo: upTo?.() } : stored(effect, told);
          return inbox.obey(command, (obeyed) => {
            ending.over(true);
            ended?.(obeyed);
            show(obeyed.places);
          });
        },
      });
    },
  };
  return given;
}
