import { setImmediate } from 'node:timers/promises';
import { type DirectChat, oneForEachChat } from '../../conversation/inbox.ts';
import type { TrustChange, TrustEntry, TrustKind, TrustStore, TrustSubject } from '../../conversation/trust-store.ts';
import type { Core } from '../../engine/feature.ts';
import { noticeTo } from '../../engine/message.ts';
import { Background } from '../../lib/background.ts';
import { newId } from '../../lib/ids.ts';
import { dayWords } from '../../lib/local-time.ts';
import type { Log } from '../../lib/log.ts';
import { inlineCode, oneLine } from '../../lib/plain-text.ts';

/** Whether the owners of this Keyturn trust what others have written. What they trust is stored, and ends with a change. */
export interface Trust {
  /**
   * Whether one of them trusts exactly this. If not, they are told once. `decided` is called when one of them decides otherwise,
   * until something of the same kind and name is reviewed. `isAdopted`: the config names it, so that what is seen first under its
   * name is trusted without a question. Rejects if the store does.
   */
  review(subject: TrustSubject, decided: (isTrusted: boolean) => void, isAdopted?: boolean): Promise<boolean>;
}

interface TrustBookDependencies extends Pick<Core, 'clock' | 'log' | 'deliver'> {
  readonly store: TrustStore;
  /** The owners' own chats on channels that run. */
  readonly ownersChats: () => Promise<readonly DirectChat[]>;
  readonly isOwner: (principal: string) => boolean;
}

interface Reviewed {
  readonly fingerprint: string;
  readonly decided: (isTrusted: boolean) => void;
  /** Known when the store has answered. */
  isTrusted?: boolean;
  /** What an owner has decided before the store has answered. */
  early?: boolean;
}

const idLength = 6;

/** Keeps what owners trust, tells them once of what they do not trust yet, and tells the person who brought it what they decide. */
export class TrustBook implements Trust {
  readonly #dependencies: TrustBookDependencies;
  readonly #background: Background;
  /** By kind and name: only these are told of decisions. */
  readonly #reviewed = new Map<string, Reviewed>();
  #underWay = 0;
  /** There may be something that no owner was told of. */
  #hasNews = false;
  #isOver = false;

  constructor(dependencies: TrustBookDependencies) {
    this.#dependencies = dependencies;
    this.#background = new Background(dependencies.log);
  }

  async review(subject: TrustSubject, decided: Reviewed['decided'], isAdopted = false): Promise<boolean> {
    const { store, clock } = this.#dependencies;
    const reviewed: Reviewed = { fingerprint: subject.fingerprint, decided };
    this.#reviewed.set(keyOf(subject), reviewed);
    this.#underWay += 1;
    try {
      const answer = await store.review({ subject, id: newId(idLength), isAdopted, at: clock.now() });
      const isTrusted = reviewed.early ?? answer === 'trusted';
      reviewed.isTrusted = isTrusted;
      if (!isTrusted) this.#hasNews = true;
      return isTrusted;
    } finally {
      this.#underWay -= 1;
      this.#tellSoon();
    }
  }

  /** An owner has decided so, and that is stored. */
  decided(changes: readonly TrustChange[]): void {
    for (const { subject, became } of changes) {
      const reviewed = this.#reviewed.get(keyOf(subject));
      if (reviewed === undefined || reviewed.fingerprint !== subject.fingerprint) continue;
      const isTrusted = became === 'trusted';
      if (reviewed.isTrusted === undefined) reviewed.early = isTrusted;
      else if (reviewed.isTrusted !== isTrusted) {
        reviewed.isTrusted = isTrusted;
        reviewed.decided(isTrusted);
      }
    }
  }

  /** Somebody was heard: the first owner is told what could be told to none before. */
  heard(principal: string): void {
    if (this.#hasNews && this.#dependencies.isOwner(principal)) this.#tellSoon();
  }

  /** What was not told by then, the next process tells. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#background.settled();
  }

  /** Reviews of one thing after the other are told together. */
  #tellSoon(): void {
    if (!this.#hasNews) return;
    this.#background.run(
      'the owners could not be told what waits for their trust; the next start tries it',
      async () => {
        await setImmediate();
        if (this.#hasNews && this.#underWay === 0 && !this.#isOver) await this.#tell();
      },
    );
  }

  async #tell(): Promise<void> {
    const { store, ownersChats, clock, log, deliver } = this.#dependencies;
    this.#hasNews = false;
    const news = (await store.all()).filter(({ asked }) => asked !== undefined && !asked.isTold);
    if (news.length === 0) return;
    const places = oneForEachChat(await ownersChats());
    const names = news.map(({ kind, name }) => `${kind} ${name}`);
    if (places.length === 0) {
      this.#hasNews = true;
      log.warn(
        { names },
        'these are off until an owner trusts them: write /trust to the bot, in a chat of your own with it',
      );
      return;
    }
    const markdown = askedNotice(news);
    const notices = places.map((conversationId) => ({ conversationId, message: noticeTo({}, markdown) }));
    const ids = news.flatMap(({ asked }) => (asked === undefined ? [] : [asked.id]));
    await store.told(ids, notices, clock.now());
    log.info({ names }, 'the owners were told that these are off until one of them trusts them');
    deliver(places);
  }
}

function keyOf({ kind, name }: TrustSubject): string {
  return `${kind} ${name}`;
}

/** How something from elsewhere is put to use, and taken out of it again. */
export interface TrustedUse {
  /** Begins to use it exactly as it was when it was reviewed. */
  on(): Promise<void>;
  /** Leaves nothing of it. It may not be in use. */
  off(): Promise<void>;
  /** An owner has just decided so. Left out: it is put to use, or out of it. */
  decided?(isTrusted: boolean): void;
}

/**
 * Something from elsewhere that is in use as long as an owner trusts it as it is. One thing is done with it at a time, in the order
 * in which it was asked for; what fails is logged, and costs nothing else.
 */
export class Trusted {
  readonly #trust: Trust;
  readonly #use: TrustedUse;
  readonly #log: Log;
  #isTrusted = false;
  #isOver = false;
  #turn: Promise<void> = Promise.resolve();

  constructor(trust: Trust, use: TrustedUse, log: Log) {
    this.#trust = trust;
    this.#use = use;
    this.#log = log;
  }

  /** An owner trusts it by now, and it was not ended. */
  get isWanted(): boolean {
    return this.#isTrusted && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Has owners asked about it as it is now. Resolves with whether one trusts it already. */
  async review(subject: TrustSubject): Promise<boolean> {
    this.#isTrusted = await this.#trust.review(subject, (isTrusted) => this.#decided(isTrusted));
    return this.#isTrusted;
  }

  /** Puts it to use or out of it, as is wanted by then. Never rejects. */
  follow(): Promise<void> {
    return this.inTurn(() => (this.isWanted ? this.#use.on() : this.#use.off()));
  }

  /** Does something else with it when all that was begun before has ended. Never rejects. */
  inTurn(work: () => Promise<void>): Promise<void> {
    this.#turn = this.#turn.then(work).catch((cause: unknown) => {
      this.#log.error({ err: cause }, 'something from elsewhere could not be put to use, or out of it');
    });
    return this.#turn;
  }

  /** Takes it out of use for good. */
  end(): Promise<void> {
    this.#isOver = true;
    return this.follow();
  }

  #decided(isTrusted: boolean): void {
    this.#isTrusted = isTrusted;
    if (this.#use.decided === undefined) void this.follow();
    else this.#use.decided(isTrusted);
  }
}

const kindWords: Readonly<Record<TrustKind, string>> = {
  plugin: 'the plugin',
  channel_plugin: 'the channel plugin',
  tool_module: 'the tool module',
  mcp_tool: 'the MCP tool',
};

/** What owners are told of what is not trusted yet, or is not any more what they trusted. */
function askedNotice(entries: readonly TrustEntry[]): string {
  const [first] = entries;
  const alone = entries.length === 1 && first !== undefined;
  const head = alone
    ? `🔑 ${capital(nameWords(first))} ${noveltyWords(first)}`
    : '🔑 These are new here, or have changed since they were trusted, and are off until an owner trusts them as they are:';
  return [head, ...entries.map((entry) => askedWords(entry, alone)), '`/trust` shows all of it again.'].join('\n\n');
}

/** What `/trust` shows. */
export function trustReport(entries: readonly TrustEntry[]): string {
  const asked = entries.filter((entry) => entry.asked?.isRefused === false);
  const refused = entries.filter((entry) => entry.asked?.isRefused === true);
  const trusted = entries.filter((entry) => entry.trusted !== undefined);
  const sections = [
    asked.length === 0
      ? 'Nothing waits to be trusted.'
      : ['These are off until an owner trusts them:', ...asked.map((entry) => askedWords(entry, false))].join('\n\n'),
    ...(trusted.length === 0 ? [] : [['Trusted:', ...trusted.map(trustedLine)].join('\n')]),
    ...(refused.length === 0 ? [] : [['Refused:', ...refused.map(refusedLine)].join('\n')]),
    ...(trusted.length === 0 ? [] : ['`/distrust ID` ends it.']),
  ];
  return sections.join('\n\n');
}

/** What an owner is told of what they have trusted or refused. `unknown`: how many of the ids fit nothing. */
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

function noveltyWords({ trusted }: TrustEntry): string {
  return trusted === undefined
    ? 'is new here, and is off until an owner trusts it as it is.'
    : 'has changed since it was trusted, and is off until an owner trusts it as it is now.';
}

function trustedLine({ trusted, ...named }: TrustEntry): string {
  if (trusted === undefined) return '';
  const by = trusted.by === undefined ? "by the config's word" : `by ${inlineCode(oneLine(trusted.by, 100))}`;
  return `- ${inlineCode(trusted.id)}: ${nameWords(named)}, ${by} since ${dayWords(trusted.at)}`;
}

function refusedLine({ asked, ...named }: TrustEntry): string {
  if (asked === undefined) return '';
  return `- ${nameWords(named)}: ${inlineCode(`/trust ${asked.id}`)} would trust it`;
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

/** What `/status` says of what no owner has decided about; nothing where there is none. */
export function untrustedWords(entries: readonly TrustEntry[]): readonly string[] {
  const count = entries.filter(({ asked }) => asked?.isRefused === false).length;
  if (count === 0) return [];
  const things =
    count === 1 ? 'One thing that others have written waits' : `${count} things that others have written wait`;
  return [`${things} to be trusted: \`/trust\`.`];
}
