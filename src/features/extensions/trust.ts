import { setImmediate } from 'node:timers/promises';
import type { TrustChange, TrustEntry, TrustKind, TrustSubject } from '../../conversation/trust-store.ts';
import { noticeTo } from '../../engine/message.ts';
import type { FeatureCore } from '../../feature-points.ts';
import { Background } from '../../lib/background.ts';
import { newId } from '../../lib/ids.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';
import { dayWords, type Reader } from '../../lib/time-words.ts';
import type { TrustStore } from './tables.ts';

/** Whether owners trust external code or texts. Trust is stored, and ends when the subject changes. */
export interface Trust {
  /**
   * Whether an owner trusts exactly this state. If not, the owners are told once. `decided` is called when an owner
   * decides otherwise, until the next review of the same kind and name. `isAdopted`: named in the config, so its first
   * state is trusted without a question. Rejects if the store does.
   */
  review(subject: TrustSubject, decided: (isTrusted: boolean) => void, isAdopted?: boolean): Promise<boolean>;
}

interface Reviewed {
  readonly fingerprint: string;
  readonly decided: (isTrusted: boolean) => void;
  /** Set when the store has answered, or an owner has decided. */
  isTrusted?: boolean;
}

const idLength = 6;

export type TrustBook = ReturnType<typeof createTrustBook>;

/** Stores what owners trust, asks them once about the rest, and reports their decisions to reviewers. */
export function createTrustBook(
  { owners, ownersChats, heard, clock, log, deliver }: FeatureCore,
  stored: Pick<TrustStore, 'all' | 'told' | 'review'>,
) {
  const background = new Background(log);
  /** The last review by kind and name. Only these hear of decisions. */
  const reviewed = new Map<string, Reviewed>();
  /** States that are no longer trusted, though that is not stored yet, by `stateOf`. */
  const withheld = new Set<string>();
  let underWay = 0;
  /** There may be something that no owner was told of. */
  let hasNews = false;
  let isOver = false;
  let unlisten = (): void => {};

  /** Waits a tick and for running reviews, so that owners get one message about all. */
  function tellSoon(): void {
    if (!hasNews) return;
    const failure = 'the owners could not be told what waits for their trust; the next start tries it';
    background.run(failure, async () => {
      await setImmediate();
      if (hasNews && underWay === 0 && !isOver) await tell();
    });
  }

  async function tell(): Promise<void> {
    hasNews = false;
    unlisten();
    const news = (await stored.all()).filter(({ asked }) => asked !== undefined && !asked.isTold);
    if (news.length === 0) return;
    const places = (await ownersChats.best()).map(({ conversationId }) => conversationId);
    const names = news.map(({ kind, name }) => `${kind} ${name}`);
    if (places.length === 0) {
      // An owner who writes has a chat from then on.
      unlisten = heard.listen((principal) => {
        hasNews ||= owners.isOwner(principal);
        tellSoon();
      });
      const words = 'these are off until an owner trusts them: write /trust to the bot, in a chat of your own with it';
      log.warn({ names }, words);
      return;
    }
    const message = noticeTo({}, askedNotice(news));
    const notices = places.map((conversationId) => ({ conversationId, message }));
    const ids = news.flatMap(({ asked }) => (asked === undefined ? [] : [asked.id]));
    await stored.told(ids, notices, clock.now());
    log.info({ names }, 'the owners were told that these are off until one of them trusts them');
    deliver(places);
  }

  function settle(subject: TrustSubject, isTrusted: boolean): void {
    const review = reviewed.get(keyOf(subject));
    if (review?.fingerprint !== subject.fingerprint) return;
    const was = review.isTrusted;
    review.isTrusted = isTrusted;
    if (was !== undefined && was !== isTrusted) review.decided(isTrusted);
  }

  return {
    async review(subject: TrustSubject, decided: Reviewed['decided'], isAdopted = false): Promise<boolean> {
      const review: Reviewed = { fingerprint: subject.fingerprint, decided };
      reviewed.set(keyOf(subject), review);
      underWay += 1;
      try {
        const answer = await stored.review({ subject, id: newId(idLength), isAdopted, at: clock.now() });
        review.isTrusted ??= answer === 'trusted' && !withheld.has(stateOf(subject));
        if (!review.isTrusted) hasNews = true;
        return review.isTrusted;
      } finally {
        underWay -= 1;
        tellSoon();
      }
    },
    decided(changes: readonly TrustChange[]): void {
      for (const { subject, became } of changes) settle(subject, became === 'trusted');
    },
    /** These are no longer trusted from now on, though that is not stored yet. */
    withhold(changes: readonly TrustChange[]): void {
      for (const { subject } of changes) {
        withheld.add(stateOf(subject));
        settle(subject, false);
      }
    },
    /** That is stored now, or never will be: then those that were trusted are again. */
    withholdNoLonger(changes: readonly TrustChange[], isStored: boolean): void {
      for (const { subject, became } of changes) {
        withheld.delete(stateOf(subject));
        if (!isStored && became === 'distrusted') settle(subject, true);
      }
    },
    /** The next process tells what is still untold. */
    async stop(): Promise<void> {
      isOver = true;
      await background.settled();
    },
  };
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

const kindWords: Readonly<Record<TrustKind, string>> = {
  plugin: 'the plugin',
  channel_plugin: 'the channel plugin',
  tool_module: 'the tool module',
  mcp_tool: 'the MCP tool',
};

/** The message to owners about states that are new or have changed. */
function askedNotice(entries: readonly TrustEntry[]): string {
  const [first] = entries;
  const alone = entries.length === 1 && first !== undefined;
  const novelty =
    first?.trusted === undefined
      ? 'is new here, and is off until an owner trusts it as it is.'
      : 'has changed since it was trusted, and is off until an owner trusts it as it is now.';
  const head = alone
    ? `🔑 ${capital(nameWords(first))} ${novelty}`
    : '🔑 These are new here, or have changed since they were trusted, and are off until an owner trusts them as they are:';
  return [head, ...entries.map((entry) => askedWords(entry, alone)), '`/trust` shows all of it again.'].join('\n\n');
}

export function trustReport(entries: readonly TrustEntry[], reader: Reader): string {
  const asked = entries.filter((entry) => entry.asked?.isRefused === false);
  const refused = entries.flatMap(({ asked: state, ...named }) =>
    state?.isRefused === true ? `- ${nameWords(named)}: ${inlineCode(`/trust ${state.id}`)} would trust it` : [],
  );
  const trusted = entries.flatMap(({ trusted: state, ...named }) => {
    if (state === undefined) return [];
    const by = state.by === undefined ? "by the config's word" : `by ${inlineCode(oneLine(state.by, 100))}`;
    return `- ${inlineCode(state.id)}: ${nameWords(named)}, ${by} since ${dayWords(state.at, reader)}`;
  });
  const sections = [
    asked.length === 0
      ? 'Nothing waits to be trusted.'
      : ['These are off until an owner trusts them:', ...asked.map((entry) => askedWords(entry, false))].join('\n\n'),
    ...(trusted.length === 0 ? [] : [['Trusted:', ...trusted].join('\n')]),
    ...(refused.length === 0 ? [] : [['Refused:', ...refused].join('\n')]),
    ...(trusted.length === 0 ? [] : ['`/distrust ID` ends it.']),
  ];
  return sections.join('\n\n');
}

/** The answer to a decision. `unknown`: how many of the ids match nothing. */
export function changedWords(changes: readonly TrustChange[], unknown: number): string {
  const lines = changes.map(changeLine);
  if (unknown === 0) return lines.join('\n');
  const which = lines.length === 0 ? 'There is nothing like that' : 'The rest fits nothing';
  return [...lines, `${which}: what has changed meanwhile has another ID. \`/trust\` shows them.`].join('\n');
}

function askedWords(entry: TrustEntry, isNamed: boolean): string {
  const { asked } = entry;
  if (asked === undefined) return '';
  const head = isNamed ? [] : [`**${capital(nameWords(entry))}**`];
  const decision = `Trust it as it is: ${inlineCode(`/trust ${asked.id}`)}. Refuse it: ${inlineCode(`/distrust ${asked.id}`)}.`;
  return [...head, asked.what, `${decision} Its fingerprint is ${inlineCode(asked.fingerprint.slice(0, 16))}.`].join(
    '\n',
  );
}

function changeLine({ subject, id, became }: TrustChange): string {
  switch (became) {
    case 'trusted':
      return `🔑 Trusted: ${nameWords(subject)}. ${inlineCode(`/distrust ${id}`)} undoes it.`;
    case 'distrusted':
      return `No longer trusted: ${nameWords(subject)}. It is off.`;
    case 'refused':
      return `Refused: ${nameWords(subject)}. It stays off.`;
  }
}

function nameWords({ kind, name }: Pick<TrustEntry, 'kind' | 'name'>): string {
  return `${kindWords[kind]} ${inlineCode(oneLine(name, 200))}`;
}

function capital(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The lines of `/status` about undecided subjects; empty if there are none. */
export function untrustedWords(entries: readonly TrustEntry[]): readonly string[] {
  const count = entries.filter(({ asked }) => asked?.isRefused === false).length;
  if (count === 0) return [];
  const things =
    count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`;
  return [`${things} to be trusted: \`/trust\`.`];
}
