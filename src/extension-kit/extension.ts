import { inspect } from 'node:util';
import type { FeatureCore, Trust, TrustSubject } from '../feature-points.ts';
import { escapeMarkdown, oneLine } from '../lib/plain-text.ts';
import { type InLanguage, type Words, wordsIn } from '../lib/words.ts';
import { AuthoringError } from '../tools/tool.ts';
import { extensionWords } from './words.ts';

/** External code cannot be used. The words give the reason, to follow its name; the message is the English ones. */
export class ExtensionError extends Error {
  override readonly name = 'ExtensionError';
  readonly words: Words;

  constructor(words: Words, options?: ErrorOptions) {
    super(wordsIn('en', words), options);
    this.words = words;
  }
}

/** What is special about one piece of external code. `Read`: its exact state, as it was read. */
export interface ExtensionUse<Read> {
  /** For the log: what it is, and which one. */
  readonly noun: string;
  readonly fields: object;
  /** For owners. */
  readonly title: Words;
  subjectOf(read: Read): TrustSubject;
  /** Puts exactly this to use. `attempt`: contains the failure of a part. */
  on(read: Read, attempt: Attempt): Promise<void>;
  /** Leaves nothing of it running. It may already be off. */
  off(): Promise<void>;
  /** Called when it threw something. */
  failed?(): void;
  /** Called when an owner decides. Default: it goes on or off. */
  decided?(isTrusted: boolean): Promise<void>;
  /** What owners are told of it if it brings nothing although one has just trusted it; undefined if it does. As markdown. */
  notice?(fault: InLanguage): InLanguage | undefined;
}

/** Never rejects: what the work throws becomes a trouble. */
export type Attempt = (work: () => Promise<void>) => Promise<void>;

export interface ExtensionParts {
  readonly trust: Trust;
  readonly core: FeatureCore;
  /** Shared by those that start one after the other. */
  readonly startInTurn?: Turns;
}

export type Turns = (work: () => Promise<void>) => Promise<void>;

/** Runs work one at a time, in call order. */
export function inOrder(): Turns {
  let last = Promise.resolve();
  return (work) => {
    last = last.then(work);
    return last;
  };
}

/**
 * One piece of external code: on while an owner trusts exactly what was read of it. Its operations run one at a time.
 * Whatever it throws is logged, shown to owners in `/status`, and affects nothing else: nothing here rejects.
 */
export interface Extension<Read> {
  isWanted(): boolean;
  isOver(): boolean;
  /** Reads it for the first time. */
  read(find: () => Promise<Read>): Promise<void>;
  /** Asks owners about it at once, unless it is trusted as it is. It is on or off when its turn comes. */
  start(): Promise<void>;
  /** Reads it again: it is off meanwhile, and on again if an owner trusts what it is now. */
  readAgain(find: () => Promise<Read>): Promise<void>;
  /** On or off, as wanted when its turn comes. */
  follow(): Promise<void>;
  /** Tells owners why it brings nothing. */
  tell(): void;
  /** Off, for this reason, until an owner decides again. */
  giveUp(why: Words): Promise<void>;
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles(): readonly Words[];
}

interface ExtensionState<Read> extends ExtensionParts {
  readonly use: ExtensionUse<Read>;
  readonly inTurn: Turns;
  readonly attempt: Attempt;
  current: Read | undefined;
  isTrusted: boolean;
  isOver: boolean;
  faults: readonly Words[];
}

export function extension<Read>(use: ExtensionUse<Read>, parts: ExtensionParts): Extension<Read> {
  const { startInTurn = (work) => work() } = parts;
  const state: ExtensionState<Read> = {
    ...parts,
    use,
    inTurn: inOrder(),
    attempt: (work) => attempt(work, state),
    current: undefined,
    isTrusted: false,
    isOver: false,
    faults: [],
  };
  return {
    isWanted: () => isWanted(state),
    isOver: () => state.isOver,
    read: (find) => read(find, state),
    start() {
      const reviewed = review(state);
      return startInTurn(() => state.inTurn(() => begin(reviewed, state)));
    },
    readAgain: (find) => state.inTurn(() => readAgain(find, state)),
    follow: () => follow(state),
    tell: () => tell(state),
    giveUp: (why) => state.inTurn(() => giveUp(why, state)),
    stop() {
      state.isOver = true;
      return follow(state);
    },
    troubles: () => state.faults.map((fault) => trouble(use.title, fault)),
  };
}

function isWanted<Read>({ isTrusted, isOver }: ExtensionState<Read>): boolean {
  return isTrusted && !isOver;
}

async function attempt<Read>(work: () => Promise<void>, state: ExtensionState<Read>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    state.faults = [...state.faults, faultOf(cause, state)];
    state.use.failed?.();
  }
}

function faultOf<Read>(cause: unknown, { use, core }: ExtensionState<Read>): Words {
  try {
    return noted(cause, use, core);
  } catch {
    // Even a look at what it threw may throw.
    core.log.error(use.fields, `${use.noun} does not run: it threw what cannot be shown`);
    return (language) => extensionWords[language].threwUnshown;
  }
}

/** Logs what was thrown. Returns what owners read of it. */
function noted<Read>(cause: unknown, { noun, fields }: ExtensionUse<Read>, { log }: FeatureCore): Words {
  if (cause instanceof ExtensionError) {
    log.error(fields, `${noun} does not run: it ${cause.message}`);
    return (language) => extensionWords[language].unusable({ why: wordsIn(language, cause.words) });
  }
  const thrown: unknown = cause instanceof Error ? cause.message : cause;
  // Not every value can be made a string.
  const error = typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 0, customInspect: false });
  if (cause instanceof AuthoringError) {
    log.error(fields, `${noun} does not run: ${error}`);
    return (language) => extensionWords[language].badTool({ why: error });
  }
  log.error({ ...fields, err: cause }, `${noun} does not run: it threw this`);
  return (language) => extensionWords[language].threw({ error });
}

async function read<Read>(find: () => Promise<Read>, state: ExtensionState<Read>): Promise<void> {
  state.current = undefined;
  state.isTrusted = false;
  state.faults = [];
  await attempt(async () => {
    state.current = await find();
  }, state);
}

async function review<Read>(state: ExtensionState<Read>): Promise<void> {
  const { use, trust, core, current } = state;
  if (current === undefined) return;
  await attempt(async () => {
    state.isTrusted = await trust.review(use.subjectOf(current), (isTrusted) => decided(isTrusted, state));
  }, state);
  if (!state.isTrusted)
    core.log.warn(use.fields, `${use.noun} is off until an owner trusts it as it is: /trust shows it`);
}

function decided<Read>(isTrusted: boolean, state: ExtensionState<Read>): void {
  const { use } = state;
  state.isTrusted = isTrusted;
  const done = use.decided?.(isTrusted) ?? follow(state);
  void done.then(() => tell(state));
}

function tell<Read>(state: ExtensionState<Read>): void {
  const { use, core } = state;
  const [fault] = state.faults;
  if (fault === undefined || !isWanted(state)) return;
  const notice = use.notice?.((language) => escapeMarkdown(oneLine(wordsIn(language, fault), 500)));
  if (notice !== undefined) core.tellOwners(notice);
}

/** It is off if it could not be read. */
async function begin<Read>(reviewed: Promise<void>, state: ExtensionState<Read>): Promise<void> {
  await reviewed;
  if (state.current !== undefined) await settle(state);
}

async function settle<Read>(state: ExtensionState<Read>): Promise<void> {
  const { use, current } = state;
  state.faults = [];
  await attempt(() => (current !== undefined && isWanted(state) ? use.on(current, state.attempt) : use.off()), state);
}

function follow<Read>(state: ExtensionState<Read>): Promise<void> {
  return state.inTurn(() => settle(state));
}

async function readAgain<Read>(find: () => Promise<Read>, state: ExtensionState<Read>): Promise<void> {
  if (state.isOver) return;
  await attempt(() => state.use.off(), state);
  await read(find, state);
  await review(state);
  if (isWanted(state)) await settle(state);
}

async function giveUp<Read>(why: Words, state: ExtensionState<Read>): Promise<void> {
  await attempt(() => state.use.off(), state);
  state.faults = [why];
}

function trouble(title: Words, fault: Words): Words {
  return (language) =>
    extensionWords[language].trouble({
      title: wordsIn(language, title),
      fault: oneLine(wordsIn(language, fault), 400),
    });
}
