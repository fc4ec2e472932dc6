import type { Button } from '../../contract.ts';
import { type Command, noticeTo, type Origin } from '../../engine/message.ts';
import type { TakeAway, Taking } from '../../engine/take-away.ts';
import { machineZone, type Reader } from '../../lib/time-words.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { type Effect, noEffect } from '../effects.ts';
import type { StorageNotices } from '../health/storage.ts';
import type { InboxStore, Obeyed, StoredCommand } from '../inbox.ts';
import { commandWords } from './words.ts';

type Words<Result> = (result: Result) => string;

/**
 * A command as given by a person, with ways to answer it. Its effect and its answer are stored in one transaction:
 * delivered twice, it acts once.
 */
export interface GivenCommand extends Command {
  readonly origin: Origin;
  /** Who reads the answer. Known even if nothing can be read from the database. */
  readonly reader: Reader;
  /** Answers a command that changes nothing. */
  answer(words: string): Promise<void>;
  /** Answers even if nothing can be stored, since the answer reports that. */
  answerAnyway(words: () => Promise<ButtonedAnswer>): Promise<void>;
  obey<Result>(effect: Effect<Result>, words: Words<Result>): Promise<Obeyed<Result>>;
  /**
   * Obeys a command that stops something or takes a right away. It holds in memory at once, is answered before it is on
   * disk, and is tried again while it cannot be stored: see `Taking`. Should a power failure lose the command, the
   * platform still has it, since it is acknowledged when this resolves.
   */
  end<Result>(effect: Effect<Result>, words: Words<Result>, ending: Ending<Result>): Promise<void>;
  /** Adds the hint for the conversation of the command, if there is one. */
  withHint(words: string): string;
}

/** The buttons are left out where nothing can be stored: a press could not be stored either. */
interface ButtonedAnswer {
  readonly markdown: string;
  readonly buttons: readonly (readonly Button[])[];
}

/** How a command that ends something holds in memory: see `Taking`. */
export interface Ending<Result> extends Pick<Taking<unknown>, 'held' | 'now' | 'over'> {
  /** The newest sequence that it ends. Stored late, it does not end what was said meanwhile. */
  readonly upTo?: () => number | undefined;
  /** Called when it is applied, but not yet on disk. `over` was called before. */
  readonly ended?: (result: Result) => void;
}

export interface CommandMeans extends Pick<ConversationCore, 'clock' | 'deliver' | 'readers' | 'languages'> {
  readonly inbox: Pick<InboxStore, 'obey'>;
  readonly takeAway: TakeAway;
  readonly notices: Pick<StorageNotices, 'answer' | 'hasAnswered'>;
}

/** A command that is being obeyed: what was said, where, and by what means. */
interface Obeying {
  readonly command: Command;
  readonly origin: Origin;
  readonly reader: () => Reader;
  readonly means: CommandMeans;
}

export function givenCommand(
  command: Command,
  origin: Origin,
  means: CommandMeans,
  hinted: (answer: string, reader: Reader) => string,
): GivenCommand {
  const reader = lazyReader(origin, means);
  const obeying = { command, origin, reader, means };
  return {
    ...command,
    origin,
    get reader() {
      return reader();
    },
    withHint: (answer) => hinted(answer, reader()),
    answer: async (words) => void (await keep(obeying, noEffect, () => words)),
    answerAnyway: (words) => answerAnyway(obeying, words),
    obey: (effect, words) => keep(obeying, effect, words),
    end: (effect, words, ending) => end(obeying, effect, words, ending),
  };
}

/** Looked up when a text is written. If that fails, the operator's language and this machine's clock serve. */
function lazyReader(origin: Origin, { readers, languages }: CommandMeans): () => Reader {
  let reader: Reader | undefined;
  const find = (): Reader => {
    try {
      return readers.forAnswer(origin);
    } catch {
      return { ...machineZone(), language: languages.usual() };
    }
  };
  return () => {
    reader ??= find();
    return reader;
  };
}

function stored<Result>(
  { command, origin, means }: Obeying,
  effect: Effect<Result>,
  words: Words<Result>,
  buttons: ButtonedAnswer['buttons'] = [],
): StoredCommand<Result> {
  const answer = (result: Result) => {
    const message = noticeTo(origin, words(result));
    return buttons.length === 0 ? message : { ...message, buttons };
  };
  return { origin, name: command.name, effect, answer, at: means.clock.now() };
}

/** Stores the command and shows its answer. */
async function keep<Result>(
  obeying: Obeying,
  effect: Effect<Result>,
  words: Words<Result>,
  buttons?: ButtonedAnswer['buttons'],
): Promise<Obeyed<Result>> {
  const obeyed = await obeying.means.inbox.obey(stored(obeying, effect, words, buttons));
  if (obeyed.status === 'done') show(obeying, obeyed.conversationIds);
  return obeyed;
}

function show({ origin, means }: Obeying, conversationIds: readonly string[]): void {
  means.deliver([origin.conversationId, ...conversationIds]);
}

async function answerAnyway(obeying: Obeying, words: () => Promise<ButtonedAnswer>): Promise<void> {
  const { origin, means } = obeying;
  if (means.notices.hasAnswered(origin.key)) return;
  try {
    const { markdown, buttons } = await words();
    await keep(obeying, noEffect, () => markdown, buttons);
  } catch (error) {
    // Computes the words again: they now tell what is wrong.
    if (!(await means.notices.answer(origin.key, origin.conversation, (await words()).markdown))) throw error;
  }
}

async function end<Result>(
  obeying: Obeying,
  effect: Effect<Result>,
  words: Words<Result>,
  { ended, upTo, ...ending }: Ending<Result>,
): Promise<void> {
  const { origin, means, reader } = obeying;
  await means.takeAway({
    ...ending,
    origin,
    store: (isLate) => {
      const late: Words<Result> = (result) => commandWords[reader().language].storedNow({ answer: words(result) });
      const command = isLate ? { ...stored(obeying, effect, late), upTo: upTo?.() } : stored(obeying, effect, words);
      return means.inbox.obey(command, ({ result, conversationIds }) => {
        ending.over(true);
        ended?.(result);
        show(obeying, conversationIds);
      });
    },
  });
}
