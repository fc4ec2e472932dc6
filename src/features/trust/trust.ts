import { setImmediate } from 'node:timers/promises';
import type { WaitingMatter } from '../../conversation/commands/reports/waiting-matter.ts';
import { noticeTo, quietly } from '../../engine/message.ts';
import { trustWords } from '../../extension-kit/trust/words.ts';
import type { FeatureCore, Trust, TrustSubject } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { dayWords, type Reader } from '../../lib/time-words.ts';
import { type Language, wordsIn } from '../../lib/words.ts';
import { actingButton, addingButton, inRows, type ListAnswer } from '../../words/command-buttons.ts';
import type { TrustStore } from './tables.ts';
import type { TrustChange, TrustEntry } from './trust-entry.ts';
import { trustCommandWords } from './words.ts';

interface Reviewed {
  readonly fingerprint: string;
  readonly decided: (isTrusted: boolean) => void;
  /** Set when the store has answered, or an owner has decided. */
  isTrusted?: boolean;
}

const idLength = 6;

/** Stores what owners trust, asks them once about the rest, and reports their decisions to reviewers. */
export interface TrustBook extends Trust {
  decided(changes: readonly TrustChange[]): void;
  /** These are no longer trusted from now on, though that is not stored yet. */
  withhold(changes: readonly TrustChange[]): void;
  /** That is stored now, or never will be: then those that were trusted are again. */
  withholdNoLonger(changes: readonly TrustChange[], isStored: boolean): void;
  /** The next process tells what is still untold. */
  stop(): Promise<void>;
}

interface BookState {
  readonly core: FeatureCore;
  readonly stored: Pick<TrustStore, 'all' | 'told' | 'review'>;
  readonly background: Background;
  /** The last review by kind and name. Only these hear of decisions. */
  readonly reviewed: Map<string, Reviewed>;
  /** States that are no longer trusted, though that is not stored yet, by `stateOf`. */
  readonly withheld: Set<string>;
  underWay: number;
  /** There may be something that no owner was told of. */
  hasNews: boolean;
  isOver: boolean;
  unlisten: () => void;
}

export function createTrustBook(core: FeatureCore, stored: BookState['stored']): TrustBook {
  const book: BookState = {
    core,
    stored,
    background: new Background(core.log),
    reviewed: new Map(),
    withheld: new Set(),
    underWay: 0,
    hasNews: false,
    isOver: false,
    unlisten: () => {},
  };
  return {
    review: (subject, decided, isAdopted = false) => review(subject, decided, isAdopted, book),
    decided(changes) {
      for (const { subject, became } of changes) settle(subject, became === 'trusted', book);
    },
    withhold: (changes) => withhold(changes, book),
    withholdNoLonger: (changes, isStored) => withholdNoLonger(changes, isStored, book),
    async stop() {
      book.isOver = true;
      await book.background.settled();
    },
  };
}

async function review(
  subject: TrustSubject,
  decided: Reviewed['decided'],
  isAdopted: boolean,
  book: BookState,
): Promise<boolean> {
  const { core, stored, reviewed, withheld } = book;
  const current: Reviewed = { fingerprint: subject.fingerprint, decided };
  reviewed.set(keyOf(subject), current);
  book.underWay += 1;
  try {
    const answer = await stored.review({ subject, id: newId(idLength), isAdopted, at: core.clock.now() });
    current.isTrusted ??= answer === 'trusted' && !withheld.has(stateOf(subject));
    if (!current.isTrusted) book.hasNews = true;
    return current.isTrusted;
  } finally {
    book.underWay -= 1;
    tellSoon(book);
  }
}

/** Waits a tick and for running reviews, so that owners get one message about all. */
function tellSoon(book: BookState): void {
  if (!book.hasNews) return;
  book.background.run('the owners could not be told what waits for their trust; the next start tries it', async () => {
    await setImmediate();
    if (book.hasNews && book.underWay === 0 && !book.isOver) await tell(book);
  });
}

async function tell(book: BookState): Promise<void> {
  const { stored } = book;
  const { ownersChats, readers, clock, log, deliver } = book.core;
  book.hasNews = false;
  book.unlisten();
  const news = (await stored.all()).filter(({ asked }) => asked !== undefined && !asked.isTold);
  if (news.length === 0) return;
  const places = (await ownersChats.best()).map(({ conversationId }) => conversationId);
  const names = news.map(({ kind, name }) => `${kind} ${name}`);
  if (places.length === 0) {
    tellOnceHeard(book);
    log.warn(
      { names },
      'these are off until an owner trusts them: write /trust to the bot, in a chat of your own with it',
    );
    return;
  }
  const notices = places.map((conversationId) => ({
    conversationId,
    message: quietly(noticeTo({}, askedNotice(news, readers.forConversation(conversationId).language))),
  }));
  const ids = news.flatMap(({ asked }) => (asked === undefined ? [] : [asked.id]));
  await stored.told(ids, notices, clock.now());
  log.info({ names }, 'the owners were told that these are off until one of them trusts them');
  deliver(places);
}

/** An owner who writes has a chat from then on. */
function tellOnceHeard(book: BookState): void {
  const { heard, owners } = book.core;
  book.unlisten = heard.listen((principal) => {
    book.hasNews ||= owners.isOwner(principal);
    tellSoon(book);
  });
}

function settle(subject: TrustSubject, isTrusted: boolean, { reviewed }: BookState): void {
  const last = reviewed.get(keyOf(subject));
  if (last?.fingerprint !== subject.fingerprint) return;
  const was = last.isTrusted;
  last.isTrusted = isTrusted;
  if (was !== undefined && was !== isTrusted) last.decided(isTrusted);
}

function withhold(changes: readonly TrustChange[], book: BookState): void {
  for (const { subject } of changes) {
    book.withheld.add(stateOf(subject));
    settle(subject, false, book);
  }
}

function withholdNoLonger(changes: readonly TrustChange[], isStored: boolean, book: BookState): void {
  for (const { subject, became } of changes) {
    book.withheld.delete(stateOf(subject));
    if (!isStored && became === 'distrusted') settle(subject, true, book);
  }
}

function keyOf({ kind, name }: TrustSubject): string {
  return `${kind} ${name}`;
}

function stateOf(subject: TrustSubject): string {
  return `${keyOf(subject)} ${subject.fingerprint}`;
}

/** What `/distrust` with these ids changes. */
export function distrusting(entries: readonly TrustEntry[], ids: readonly string[]): readonly TrustChange[] {
  return ids.flatMap((id): TrustChange[] => {
    const found = entries.find(({ asked, trusted }) => asked?.id === id || trusted?.id === id);
    if (found === undefined) return [];
    const { kind, name, asked, trusted } = found;
    const [state, became] = asked?.id === id ? [asked, 'refused' as const] : [trusted, 'distrusted' as const];
    if (state === undefined) return [];
    return [{ subject: { kind, name, fingerprint: state.fingerprint, what: state.what }, id, became }];
  });
}

/** The message to owners about states that are new or have changed. */
function askedNotice(entries: readonly TrustEntry[], language: Language): string {
  const [about, words] = [trustWords[language], trustCommandWords[language]];
  const [first] = entries;
  const alone = entries.length === 1 && first !== undefined;
  const head = alone
    ? about.news({ subject: about.subjectFirst(named(first)), isChanged: first.trusted !== undefined })
    : about.newsOfSeveral;
  return [head, ...entries.map((entry) => askedWords(entry, { isNamed: alone }, language)), words.showsAgain].join(
    '\n\n',
  );
}

/** The answer to `/trust`. */
export function trustReport(entries: readonly TrustEntry[], reader: Reader): ListAnswer {
  const { language } = reader;
  const [about, words] = [trustWords[language], trustCommandWords[language]];
  const asked = waitingIn(entries);
  const refused = entries.flatMap(({ asked: state, ...entry }) =>
    state?.isRefused === true
      ? words.refusedLine({ subject: about.subject(named(entry)), trust: inlineCode(`/trust ${state.id}`) })
      : [],
  );
  const trusted = entries.flatMap(({ trusted: state, ...entry }) => {
    if (state === undefined) return [];
    const by = state.by === undefined ? undefined : inlineCode(oneLine(state.by, 100));
    const subject = about.subject(named(entry));
    return words.trustedLine({ id: inlineCode(state.id), subject, by, since: dayWords(state.at, reader) });
  });
  const sections = [
    asked.length === 0
      ? about.nothingAsked
      : [
          about.offUntilTrusted,
          ...asked.map((entry, index) => askedWords(entry, { isNamed: false, number: index + 1 }, language)),
        ].join('\n\n'),
    ...(trusted.length === 0 ? [] : [words.trustedList({ lines: trusted })]),
    ...(refused.length === 0 ? [] : [words.refusedList({ lines: refused })]),
    ...(trusted.length === 0 ? [] : [words.endsIt]),
  ];
  const buttons = asked
    .slice(0, mostWithButtons)
    .flatMap(({ asked: { id } }, index) => [
      actingButton(words.buttonTrust({ number: index + 1 }), `trust ${id}`),
      actingButton(words.buttonRefuse({ number: index + 1 }), `distrust ${id}`),
    ]);
  return { markdown: sections.join('\n\n'), again: 'trust', rows: inRows(buttons) };
}

/** Platforms take so many buttons. The others are decided by typing. */
const mostWithButtons = 8;

/** What owners are asked about, and have not decided. */
function waitingIn(entries: readonly TrustEntry[]): readonly AskedEntry[] {
  return entries.flatMap(({ asked, ...entry }) => (asked?.isRefused === false ? [{ ...entry, asked }] : []));
}

type AskedEntry = TrustEntry & { readonly asked: NonNullable<TrustEntry['asked']> };

/** The answer to a decision. `unknown`: how many of the ids match nothing. */
export function changedWords(changes: readonly TrustChange[], unknown: number, language: Language): string {
  const [about, words] = [trustWords[language], trustCommandWords[language]];
  const lines = changes.map(({ subject, id, became }) =>
    about.changed({ subject: about.subject(named(subject)), became, undo: inlineCode(`/distrust ${id}`) }),
  );
  return (unknown === 0 ? lines : [...lines, words.fitsNothing({ isRest: lines.length > 0 })]).join('\n');
}

/** `isNamed`: what it is stands above already. `number`: in a list. */
interface Heading {
  readonly isNamed: boolean;
  readonly number?: number;
}

function askedWords(entry: TrustEntry, { isNamed, number }: Heading, language: Language): string {
  const { asked } = entry;
  if (asked === undefined) return '';
  const [about, words] = [trustWords[language], trustCommandWords[language]];
  const count = number === undefined ? '' : `${number}\\. `;
  const head = isNamed ? [] : [`**${count}${about.subjectFirst(named(entry))}**`];
  const decision = words.asked({
    what: wordsIn(language, asked.what),
    trust: inlineCode(`/trust ${asked.id}`),
    distrust: inlineCode(`/distrust ${asked.id}`),
    fingerprint: inlineCode(asked.fingerprint.slice(0, 16)),
  });
  return [...head, decision].join('\n');
}

function named({ kind, name }: Pick<TrustEntry, 'kind' | 'name'>) {
  return { kind, name: inlineCode(oneLine(name, 200)) };
}

/** What of it waits for an owner: one matter, since each is decided by reading all of what it is. */
export function trustMatters(
  entries: readonly TrustEntry[],
  language: Language,
  isDirect: boolean,
): readonly WaitingMatter[] {
  const count = waitingIn(entries).length;
  if (count === 0) return [];
  const { waitsForTrust, buttonShow } = trustCommandWords[language];
  const buttons = isDirect ? [addingButton(buttonShow, 'trust')] : [];
  return [{ id: 'trust', markdown: waitsForTrust({ count }), buttons }];
}
