import type { Choice } from '../../approval/approval.ts';
import { denial } from '../../approval/cards.ts';
import type { Conversation } from '../../contract.ts';
import type { Approvals } from '../../engine/decide.ts';
import { type Command, firstWord, type Origin } from '../../engine/message.ts';
import type { Clock } from '../../lib/clock.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import type { ClaimCode } from '../access/claim.ts';
import type { EffectResult, InboxStore } from '../inbox.ts';
import type { CommandBook } from './command-book.ts';
import type { ParkedMessages } from './parked-messages.ts';
import { grantsReport, helpText } from './status-report.ts';

/** Adds what has to be said where the command was given. */
export type WithHint = (words: string) => string;

/** The commands about one matter. */
export interface CommandGroup {
  /** Whether it is one of them. */
  readonly takes: (command: Command, origin: Origin) => boolean;
  /** Their line of `/help`. */
  readonly help?: string;
  obey(command: Command, origin: Origin, withHint: WithHint): Promise<void>;
  /** Those that are taken from people who may not talk yet, too. */
  readonly fromStrangers?: {
    readonly takes: (command: Command) => boolean;
    obey(command: Command, origin: Origin): Promise<void>;
  };
}

export interface CommandDependencies {
  readonly book: CommandBook;
  readonly inbox: Pick<InboxStore, 'grantsHere'>;
  readonly approvals: Approvals;
  readonly parked: ParkedMessages;
  /** The commands of all matters that have some of their own. */
  readonly groups: readonly CommandGroup[];
  readonly clock: Clock;
  /** Set while nobody owns this Keyturn. */
  readonly claim: () => ClaimCode | undefined;
  readonly status: (origin: Origin) => Promise<string>;
  readonly tools: (origin: Origin) => Promise<string>;
  readonly usage: (origin: Origin) => Promise<string>;
  /** Told that a conversation's run was ended by a person. */
  readonly stop: (conversationId: string) => void;
  /** What is typed before the name of a command in a thread of this place, where that is something else than in the place. */
  readonly prefixInThread: (conversation: Conversation) => string | undefined;
  /** Told that somebody has become an owner. */
  readonly claimed: (principal: string) => void;
}

type Words = (result: EffectResult) => string;

/**
 * Obeys commands at once, never behind the run that may be waiting for just this one. Each is stored with its effect and
 * its answer in one transaction: delivered twice, it acts once.
 */
export class Commands {
  readonly #dependencies: CommandDependencies;

  constructor(dependencies: CommandDependencies) {
    this.#dependencies = dependencies;
  }

  async obey(command: Command, origin: Origin): Promise<void> {
    const group = this.#dependencies.groups.find(({ takes }) => takes(command, origin));
    if (group !== undefined) return group.obey(command, origin, (words) => this.#withHint(command, origin, words));
    switch (command.name) {
      case 'approve':
        return this.#decide(command, origin, { type: 'once' });
      case 'deny':
        return this.#decide(command, origin, denial(firstWord(command.argument).rest));
      case 'stop':
        return this.#end(command, origin, 'stop', stopWords);
      case 'new':
        return this.#end(command, origin, 'new', newWords);
      case 'grants':
        return this.#answerHere(
          command,
          origin,
          grantsReport(await this.#grants(origin), this.#dependencies.approvals),
        );
      case 'revoke':
        return this.#revoke(command, origin);
      case 'status':
        return this.#dependencies.book.answerAnyway(command, origin, async () =>
          this.#withHint(command, origin, await this.#dependencies.status(origin)),
        );
      case 'tools':
        return this.#answer(command, origin, await this.#dependencies.tools(origin));
      case 'usage':
        return this.#answerHere(command, origin, await this.#dependencies.usage(origin));
      case 'help':
      case 'start':
        return this.#answer(command, origin, helpText(this.#dependencies.groups.flatMap(({ help = [] }) => help)));
      case 'claim':
        return this.#answer(command, origin, alreadyOwned);
      case 'retry':
      case 'drop':
        return this.#dependencies.parked.command(command, command.name, origin);
      default:
        return this.#answer(
          command,
          origin,
          `I do not know ${inlineCode(`/${command.name}`)}. ${inlineCode('/help')} shows what I know.`,
        );
    }
  }

  /** Whether it is `/claim CODE`, and there is something to claim. */
  isClaim(command: Command): boolean {
    return command.name === 'claim' && this.#dependencies.claim() !== undefined;
  }

  /** Whether it decides about an approval. */
  isDecision(command: Command): boolean {
    return command.name === 'approve' || command.name === 'deny';
  }

  /** Whether it is taken from somebody who may not talk yet, as `/link CODE`. */
  isJoining(command: Command): boolean {
    return this.#dependencies.groups.some(({ fromStrangers }) => fromStrangers?.takes(command) === true);
  }

  async admit(command: Command, origin: Origin): Promise<void> {
    const group = this.#dependencies.groups.find(({ fromStrangers }) => fromStrangers?.takes(command));
    await group?.fromStrangers?.obey(command, origin);
  }

  /** Takes `/claim CODE` from somebody who is no owner. */
  async claim(command: Command, origin: Origin): Promise<void> {
    switch (this.#dependencies.claim()?.attempt(origin.principal, command.argument)) {
      case undefined:
      case 'ignored':
        return;
      case 'too-many':
        return this.#answer(command, origin, 'Too many wrong codes. Try again in an hour.');
      case 'wrong':
        return this.#answer(command, origin, 'That is not the code. Keyturn prints it when it starts: `/claim CODE`.');
      case 'right': {
        const { book } = this.#dependencies;
        const obeyed = await book.obey(command, origin, { effect: { type: 'claim' }, words: claimWords });
        if (obeyed.status === 'done' && obeyed.claimed) this.#dependencies.claimed(origin.principal);
      }
    }
  }

  async #decide(command: Command, origin: Origin, choice: Choice): Promise<void> {
    const { word } = firstWord(command.argument);
    if (word === '')
      return this.#answer(
        command,
        origin,
        `Say which: ${inlineCode(`/${command.name} ID`)}. ${inlineCode('/status')} shows what waits.`,
      );
    const objection = await this.#dependencies.approvals.decide(origin, word.toLowerCase(), choice);
    if (objection !== undefined) await this.#answer(command, origin, objection);
  }

  /** Answers a command that is about the conversation in which it was given. */
  #answerHere(command: Command, origin: Origin, words: string): Promise<void> {
    return this.#answer(command, origin, this.#withHint(command, origin, words));
  }

  /** Says how to ask a thread, where somebody asks beside all threads because they can ask nowhere else. */
  #withHint({ name }: Command, { conversation }: Origin, words: string): string {
    const prefix = this.#dependencies.prefixInThread(conversation);
    if (prefix === undefined) return words;
    return `${words}\n\nEach thread here is a conversation of its own: to ask one, write ${inlineCode(prefix + name)} in it.`;
  }

  async #end(command: Command, origin: Origin, type: 'stop' | 'new', words: Words): Promise<void> {
    const { book, stop } = this.#dependencies;
    const here = (result: EffectResult): string => this.#withHint(command, origin, words(result));
    await book.end(command, origin, { effect: { type }, words: here }, ({ subRuns }) => {
      for (const conversationId of [origin.conversationId, ...subRuns]) stop(conversationId);
    });
  }

  async #revoke(command: Command, origin: Origin): Promise<void> {
    const { book, approvals } = this.#dependencies;
    const { word } = firstWord(command.argument);
    if (word === '')
      return this.#answer(command, origin, 'Say which: `/revoke ID` or `/revoke all`. `/grants` shows them.');
    const grants = (await this.#grants(origin)).filter(
      ({ requester }) => requester === origin.principal || approvals.isApprover(origin.principal),
    );
    const grantIds = grants.filter(({ id }) => word === 'all' || id === word.toLowerCase()).map(({ id }) => id);
    await book.obey(command, origin, { effect: { type: 'revoke', grantIds }, words: revokeWords });
  }

  #grants(origin: Origin) {
    return this.#dependencies.inbox.grantsHere(origin.conversationId, this.#dependencies.clock.now());
  }

  #answer(command: Command, origin: Origin, words: string): Promise<void> {
    return this.#dependencies.book.answer(command, origin, words);
  }
}

function stopWords({ stopped, cancelled }: EffectResult): string {
  if (!stopped && cancelled === 0) return 'There was nothing to stop.';
  return `🛑 Stopped.${cancelled === 0 ? '' : ` ${calls(cancelled)} called off.`}`;
}

function newWords({ cancelled, pinned = 0 }: EffectResult): string {
  const offCalls = cancelled === 0 ? '' : ` ${calls(cancelled)} called off.`;
  const kept = pinned === 0 ? '' : ` What is pinned here is kept: \`/pins\` shows it, \`/unpin all\` takes it away.`;
  return `✨ A new conversation. I have put what was said before out of my mind.${offCalls}${kept}`;
}

function revokeWords({ revoked }: EffectResult): string {
  if (revoked === 0) return 'There is no such permission here. `/grants` shows them.';
  return revoked === 1 ? 'Revoked. It will be asked for again.' : `Revoked ${revoked} permissions.`;
}

function claimWords({ claimed }: EffectResult): string {
  if (!claimed) return alreadyOwned;
  return '🔑 This Keyturn is yours now. Write to me, for example: list the files. `/help` shows more.';
}

const alreadyOwned = 'This Keyturn already has an owner.';

function calls(count: number): string {
  return count === 1 ? 'One call was' : `${count} calls were`;
}
