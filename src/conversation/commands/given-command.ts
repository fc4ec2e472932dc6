import { type Command, noticeTo, type Origin } from '../../engine/message.ts';
import type { TakeAway, Taking } from '../../engine/take-away.ts';
import { newId } from '../../lib/ids.ts';
import { machineZone, type Reader } from '../../lib/time-words.ts';
import { buttonsOfList, type ListAnswer, leadingButton } from '../../words/command-buttons.ts';
import type { ConversationCore } from '../conversation-core.ts';
import { type Effect, noEffect } from '../effects.ts';
import type { StorageNotices } from '../health/storage.ts';
import type { Done, InboxStore, Obeyed, StoredCommand } from '../inbox.ts';
import { commandWords } from './words.ts';

type Words<Result> = (result: Result) => string;

type Answer<Result> = (result: Result) => string | ListAnswer;

/**
 * A command as given by a person, with ways to answer it. Its effect and its answer are stored in one transaction:
 * delivered twice, it acts once.
 */
export interface GivenCommand extends Command {
  readonly origin: Origin;
  /** It was given by a button of a list, which is shown again: its answer is told to the person alone. */
  readonly isAside: boolean;
  /** Who reads the answer. Known even if nothing can be read from the database. */
  readonly reader: Reader;
  /** Answers a command that changes nothing. */
  answer(words: string): Promise<void>;
  /**
   * Says that this person may not do it. Below a list, they alone are told, and the list stays for those who may; where they
   * typed it, it is answered.
   */
  refuse(words: string): Promise<void>;
  /** The same with buttons that are commands. If it was itself such a button, the list takes the place of the pressed one. */
  list(list: ListAnswer): Promise<void>;
  /** Answers even if nothing can be stored, since the answer reports that. Then it has no buttons. */
  listAnyway(list: () => Promise<ListAnswer>): Promise<void>;
  /** There is no answer where the words are empty. A list: as `list`. */
  obey<Result>(effect: Effect<Result>, words: Answer<Result>): Promise<Obeyed<Result>>;
  /**
   * Obeys a command that stops something or takes a right away. It holds in memory at once, is answered before it is on
   * disk, and is tried again while it cannot be stored: see `Taking`. Should a power failure lose the command, the
   * platform still has it, since it is acknowledged when this resolves.
   */
  end<Result>(effect: Effect<Result>, words: Words<Result>, ending: Ending<Result>): Promise<void>;
  /** Adds the hint for the conversation of the command, if there is one. */
  withHint(words: string): string;
}

/** A command that was given by a button of a list. */
export interface ListPress {
  readonly listId: string;
  /**
   * The command that shows the list again: until it has, the answer stands in place of the list, and is told to the person
   * who pressed. Without it, the answer takes the place of the list, unless they may not do it.
   */
  readonly again?: string | undefined;
  readonly told?: (words: string) => void;
  /** Nothing is answered if the list does not stand there. */
  readonly isOnlyInPlace?: boolean;
}

/** Takes what a command is answered, in place of its conversation: nothing of it is sent. */
export interface AnswerTaker {
  /** Called when the command is applied: the answer counts once that is stored. */
  answered(answer: ListAnswer): void;
  /** What holds already, though it is not stored yet, and why. */
  held(words: string): void;
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
  readonly press: ListPress | undefined;
  readonly taker: AnswerTaker | undefined;
}

/** How a command is given: by whom and where, and by a press or by typing. */
export interface Giving {
  readonly command: Command;
  readonly origin: Origin;
  readonly press?: ListPress | undefined;
  readonly taker?: AnswerTaker | undefined;
}

export function givenCommand(
  { command, origin, press, taker }: Giving,
  means: CommandMeans,
  hinted: (answer: string, reader: Reader) => string,
): GivenCommand {
  const reader = lazyReader(origin, means);
  const obeying = { command, origin, reader, means, press, taker };
  return {
    ...command,
    origin,
    isAside: press?.again !== undefined,
    get reader() {
      return reader();
    },
    withHint: (answer) => hinted(answer, reader()),
    answer: async (words) => void (await keep(obeying, noEffect, () => words)),
    refuse: (words) => refuse(obeying, words),
    list: async (list) => void (await keep(obeying, noEffect, () => list)),
    listAnyway: (list) => listAnyway(obeying, list),
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

function stored<Result>(obeying: Obeying, effect: Effect<Result>, words: Answer<Result>): StoredCommand<Result> {
  const { command, origin, means, press, taker } = obeying;
  return {
    origin,
    name: command.name,
    effect,
    answer: (result, isInPlace) => answerTo(obeying, words(result), isInPlace),
    at: means.clock.now(),
    inPlaceOf: press?.listId,
    isOnlyInPlace: press?.isOnlyInPlace,
    isUnheard: taker !== undefined,
  };
}

/** In place of a list that is shown again, the answer stands only if that fails: then a button shows it. */
function answerTo({ origin, press, reader, taker }: Obeying, answer: string | ListAnswer, isInPlace: boolean) {
  const { again } = press ?? {};
  const list = typeof answer === 'string' ? { markdown: answer, again: '', rows: [] } : answer;
  if (list.markdown === '') return undefined;
  if (taker !== undefined) return void taker.answered(list);
  const notice = noticeTo(origin, list.markdown);
  // Short: it stands in each action.
  const newListId = list.rows.length === 0 ? notice.id : newId(10);
  const id = isInPlace && press !== undefined ? press.listId : newListId;
  const label = commandWords[reader().language].buttonShowAgain;
  if (isInPlace && again !== undefined) press?.told?.(list.markdown);
  const rows = isInPlace && again !== undefined ? [[leadingButton(label, again)]] : list.rows;
  const buttons = buttonsOfList(id, { ...list, rows });
  return buttons.length === 0 ? notice : { ...notice, id, buttons };
}

/** Stores the command and shows its answer. */
async function keep<Result>(obeying: Obeying, effect: Effect<Result>, words: Answer<Result>): Promise<Obeyed<Result>> {
  const obeyed = await obeying.means.inbox.obey(stored(obeying, effect, words));
  if (obeyed.status === 'done') show(obeying, obeyed);
  return obeyed;
}

/** What is stored of a refused press is that it was obeyed. */
async function refuse(obeying: Obeying, words: string): Promise<void> {
  const { press } = obeying;
  const told = press?.told;
  if (told === undefined) return void (await keep(obeying, noEffect, () => words));
  const { status } = await keep(obeying, noEffect, () => '');
  if (status === 'done') told(words);
}

/** A list that is shown again is delivered when it is. */
function show({ origin, means, press }: Obeying, done: Done<unknown>): void {
  const isShownAgain = done.isInPlace && press?.again !== undefined;
  means.deliver([...(isShownAgain ? [] : [origin.conversationId]), ...done.conversationIds]);
}

async function listAnyway(obeying: Obeying, list: () => Promise<ListAnswer>): Promise<void> {
  const { origin, means, taker } = obeying;
  if (means.notices.hasAnswered(origin.key)) return;
  try {
    const answer = await list();
    await keep(obeying, noEffect, () => answer);
  } catch (error) {
    if (taker !== undefined) return taker.held((await list()).markdown);
    // Computes the words again: they now tell what is wrong.
    if (!(await means.notices.answer(origin.key, origin.conversation, (await list()).markdown))) throw error;
  }
}

async function end<Result>(
  obeying: Obeying,
  effect: Effect<Result>,
  words: Words<Result>,
  { ended, upTo, ...ending }: Ending<Result>,
): Promise<void> {
  const { origin, means, reader, taker } = obeying;
  await means.takeAway({
    ...ending,
    origin,
    told: taker && ((words) => taker.held(words)),
    store: (isLate, after) => {
      const late: Words<Result> = (result) => commandWords[reader().language].storedNow({ answer: words(result) });
      const command = isLate ? { ...stored(obeying, effect, late), upTo: upTo?.() } : stored(obeying, effect, words);
      return means.inbox.obey(command, (done) =>
        after(() => {
          ending.over(true);
          ended?.(done.result);
          show(obeying, done);
        }),
      );
    },
  });
}
