import { type Approval, needsButtons } from '../../approval/approval.ts';
import { denial } from '../../approval/cards.ts';
import { sourceWords } from '../../approval/verdict.ts';
import { commandMenu } from '../../command-menu.ts';
import { buttonsWords, whichWords } from '../../engine/answer-card.ts';
import type { Approvals } from '../../engine/decide.ts';
import { type Command, firstWord, noticeTo, type Origin } from '../../engine/message.ts';
import { sameSecret } from '../../lib/ids.ts';
import { escapeMarkdown, inlineCode } from '../../lib/plain-text.ts';
import { clockTime } from '../../lib/time-words.ts';
import type { Language } from '../../lib/words.ts';
import type { StubAction } from '../../words/stub.ts';
import { createGuesses, tooManyGuesses } from '../access/pairing.ts';
import type { ConversationCore } from '../conversation-core.ts';
import {
  type CommandEffects,
  type Effect,
  noEffect,
  type StartedOver,
  type Stopped,
  type Unparked,
} from '../effects.ts';
import type { InboxStore, StoredCommand } from '../inbox.ts';
import { type CommandGroup, type CommandMeans, type GivenCommand, givenCommand, ownersOnly } from './given-command.ts';
import { helpText, unknownCommandWords } from './help.ts';
import { grantsReport, type Reports } from './reports.ts';

interface CommandParts extends ConversationCore, CommandMeans {
  readonly effects: CommandEffects;
  readonly inbox: Pick<InboxStore, 'obey' | 'newestSeq' | 'grantsHere' | 'subRunsOf'>;
  readonly approvals: Pick<Approvals, 'decide' | 'isApprover' | 'cardRefused' | 'isApproval' | 'openHere'>;
  /** The commands of other parts, which take precedence. */
  readonly groups: readonly CommandGroup[];
  /** Makes the person who types it the first owner, while nobody owns this Keyturn. */
  readonly claimCode: string;
  readonly reports: Reports;
  readonly stop: (conversationId: string) => void;
  readonly halt: (conversationIds: readonly string[]) => () => void;
  /** Grants that no longer hold, though that is not stored yet. */
  readonly revoking: Set<string>;
}

/** Runs commands at once, never queued behind a run: the run may be waiting for just this one. */
export function createCommands(parts: CommandParts) {
  const { effects, approvals, reports, stop, halt, revoking, owners, adapters, readers } = parts;
  const parked = parkedMessages(parts);
  const guesses = createGuesses(parts.clock);
  const groups = [trustHere(parts), ...parts.groups];

  function give(command: Command, origin: Origin): GivenCommand {
    // Where commands can only be given outside threads, the hint says how to reach a thread.
    const { channel, kind, threadId } = origin.conversation;
    const isOutside = kind === 'group' && threadId === undefined;
    const prefix = isOutside ? adapters.get(channel)?.capabilities.commandPrefixInThread : undefined;
    const hint = `\n\nEach thread here is a conversation of its own: to ask one, write ${inlineCode(`${prefix}${command.name}`)} in it.`;
    return givenCommand(command, origin, parts, (words) => (prefix === undefined ? words : `${words}${hint}`));
  }

  async function obey(given: GivenCommand): Promise<void> {
    const { name, origin, withHint } = given;
    switch (name) {
      case 'approve':
      case 'deny':
        return decide(given, name);
      case 'stop':
        return end(given, effects.stop, '🛑 Stopped.', stopWords);
      case 'new':
        return end(given, effects.startOver, '🛑 Stopped, to begin a new conversation.', newWords);
      case 'grants':
        return given.answer(withHint(grantsReport(await grantsAt(origin), approvals, readers.forAnswer(origin))));
      case 'revoke':
        return revoke(given);
      case 'status':
        return given.answerAnyway(async () => {
          const { markdown, buttons } = await reports.status(origin);
          return { markdown: withHint(markdown), buttons };
        });
      case 'tools':
        return given.answer(reports.tools(origin));
      case 'usage':
        return given.answer(withHint(await reports.usage(origin)));
      case 'help':
      case 'start':
        return given.answer(
          helpText(
            groups.flatMap(({ help = [] }) => help),
            owners.isOwner(origin.principal),
          ),
        );
      case 'claim':
        return given.answer(alreadyOwned);
      case 'retry':
      case 'drop':
        return parked.command(given, name);
      default:
        return given.answer(unknownCommandWords(name, known(origin), '`/help` shows what I know.'));
    }
  }

  /** The commands that are obeyed there: those of the menu, without those of features that are left out. */
  function known(origin: Origin): readonly string[] {
    const isTaken = (name: string) => groups.some(({ takes }) => takes({ name, argument: '' }, origin));
    return commandMenu.map(({ name }) => name).filter((name) => isOwn(name) || isTaken(name));
  }

  async function decide({ argument, origin, answer }: GivenCommand, verb: 'approve' | 'deny'): Promise<void> {
    const open = await approvals.openHere(origin);
    const { word, rest } = approvalNamed(argument);
    // A reason may begin with any word, as in "100 files are too many". What looks like an id may be one with a slip.
    const isLikeId = verb === 'approve' ? word !== '' : /^(?=.*\d)[a-z0-9]{7,9}$/.test(word);
    const isId = isLikeId || (await approvals.isApproval(word));
    const meant = isId ? word : onlyOne(open, verb, readers.forAnswer(origin).language);
    const choice = verb === 'approve' ? ({ type: 'once' } as const) : denial(isId ? rest : argument);
    const words = typeof meant === 'string' ? await approvals.decide(origin, meant, choice) : meant.words;
    if (words !== undefined) await answer(words);
  }

  function end<Result extends Stopped>(
    given: GivenCommand,
    effect: Effect<Result>,
    held: string,
    words: (result: Result) => string,
  ): Promise<void> {
    const { conversationId } = given.origin;
    let goOn = (): void => {};
    let upTo: number | undefined;
    return given.end(effect, (result) => given.withHint(words(result)), {
      held,
      now() {
        const ends = [halt([conversationId])];
        goOn = () => ends.forEach((endHalt) => void endHalt());
        upTo = parts.inbox.newestSeq(conversationId);
        ends.push(halt(parts.inbox.subRunsOf(conversationId)));
      },
      upTo: () => upTo,
      over: () => goOn(),
      ended({ subRuns }) {
        for (const id of [conversationId, ...subRuns]) stop(id);
      },
    });
  }

  async function revoke({ argument, origin, answer, end: endGiven }: GivenCommand): Promise<void> {
    const { principal } = origin;
    const { word } = firstWord(argument);
    if (word === '') return answer('Say which: `/revoke ID` or `/revoke all`. `/grants` shows them.');
    const grantIds = (await grantsAt(origin))
      .filter(({ requester }) => requester === principal || approvals.isApprover(principal))
      .filter(({ id }) => word === 'all' || id === word.toLowerCase())
      .map(({ id }) => id);
    await endGiven(effects.revoke(grantIds), revokeWords, {
      held: revokeWords(grantIds.length),
      now() {
        for (const id of grantIds) revoking.add(id);
      },
      over() {
        for (const id of grantIds) revoking.delete(id);
      },
    });
  }

  async function grantsAt({ conversationId }: Origin) {
    const grants = await parts.inbox.grantsHere(conversationId, parts.clock.now());
    return grants.filter(({ id }) => !revoking.has(id));
  }

  return {
    /** Handles a press on a stub. Resolves with words for the person who pressed; undefined if the stub says enough. */
    pressStub: parked.press,

    obey(command: Command, origin: Origin): Promise<void> {
      const given = give(command, origin);
      const group = groups.find(({ takes }) => takes(command, origin));
      return group === undefined ? obey(given) : group.obey(given);
    },

    /** Whether it is `/claim CODE`, while there is something to claim. */
    isClaim: ({ name }: Command): boolean => name === 'claim' && owners.isUnclaimed(),

    isDecision: ({ name }: Command): boolean => name === 'approve' || name === 'deny',

    /** Whether it is accepted from people who may not talk yet, such as `/link CODE`. */
    isJoining: (command: Command): boolean => groups.some(({ fromStrangers }) => fromStrangers?.takes(command)),

    async admit(command: Command, origin: Origin): Promise<void> {
      const group = groups.find(({ fromStrangers }) => fromStrangers?.takes(command));
      await group?.fromStrangers?.obey(give(command, origin));
    },

    /** Handles `/claim CODE` from a person who is not an owner. Every attempt counts once, the right one included. */
    async claim(command: Command, origin: Origin): Promise<void> {
      const given = give(command, origin);
      const guess = guesses.take(origin.principal);
      if (guess === 'ignored') return;
      if (guess === 'too-many') return given.answer(tooManyGuesses);
      const isRight = sameSecret(command.argument.trim().toLowerCase(), parts.claimCode);
      const obeyed = isRight
        ? await given.obey(effects.claim, claimWords)
        : await given.obey(noEffect, () => wrongClaim);
      if (obeyed.status === 'repeated') guesses.giveBack(origin.principal);
      if (obeyed.status !== 'done' || obeyed.result !== true) return;
      owners.add(origin.principal);
      parts.heard.tell(origin.principal);
    },
  };
}

/** The commands that `obey` takes. */
function isOwn(name: string): boolean {
  return /^(?:approve|deny|stop|new|grants|revoke|status|tools|usage|help|claim|retry|drop)$/.test(name);
}

/** `/trust here`: an owner marks what was read in the conversation until now as trusted. */
function trustHere({ owners, effects }: CommandParts): CommandGroup {
  return {
    takes: ({ name, argument }) => name === 'trust' && /^here$/i.test(argument.trim()),
    help: { section: 'owners', text: '`/trust here`: trust what was read in this chat until now' },
    async obey({ origin, answer, obey }) {
      if (!owners.isOwner(origin.principal)) return answer(ownersOnly);
      await obey(effects.trustHere, (trusted) =>
        trusted.length === 0
          ? 'Nothing was read here that others may have written.'
          : `What was read here now counts as trusted: ${sourceWords(trusted, 'en')}. What is read next counts again.`,
      );
    },
  };
}

/** The id of the only approval that is meant, or words about why it is not clear which. */
function onlyOne(
  open: readonly Approval[],
  verb: 'approve' | 'deny',
  language: Language,
): string | { readonly words: string } {
  const [only, ...others] = open;
  if (only === undefined)
    return { words: 'Nothing waits for your decision here. `/status` shows what waits elsewhere.' };
  if (others.length > 0) return { words: whichWords(verb, open, language) };
  return verb === 'approve' && needsButtons(only) ? { words: buttonsWords(only, language) } : only.id;
}

/** The first word of a decision, whatever signs stand around it, and what follows. */
function approvalNamed(argument: string): { readonly word: string; readonly rest: string } {
  const said = argument.normalize('NFKC');
  const [, word = '', rest = ''] = /^[^\p{L}\p{N}]*([a-z0-9]*)([\s\S]*)$/iu.exec(said) ?? [];
  return { word: word.toLowerCase(), rest: rest.replace(/^[\s\p{P}]+/u, '') };
}

function stopWords({ stopped, cancelled }: Stopped): string {
  if (!stopped && cancelled === 0) return 'There was nothing to stop.';
  return `🛑 Stopped.${cancelled === 0 ? '' : ` ${calls(cancelled)} called off.`}`;
}

function newWords({ cancelled, pinned }: StartedOver): string {
  const offCalls = cancelled === 0 ? '' : ` ${calls(cancelled)} called off.`;
  const kept = pinned === 0 ? '' : ` What is pinned here is kept: \`/pins\` shows it, \`/unpin all\` takes it away.`;
  return `✨ A new conversation. I no longer use what was said before.${offCalls}${kept}`;
}

function revokeWords(revoked: number): string {
  if (revoked === 0) return 'There is no such permission here. `/grants` shows them.';
  return revoked === 1 ? 'Revoked. It will be asked for again.' : `Revoked ${revoked} permissions.`;
}

function claimWords(claimed: boolean): string {
  if (!claimed) return alreadyOwned;
  return '🔑 This Keyturn is yours now. Write to me, for example: list the files. `/help` shows more.';
}

const triedAgain = 'I am trying it again.';
const dropped = 'Dropped.';
const wrongClaim = 'That is not the code. Keyturn prints it when it starts: `/claim CODE`.';
const alreadyOwned = 'This Keyturn already has an owner.';

function calls(count: number): string {
  return count === 1 ? 'One call was' : `${count} calls were`;
}

/**
 * Retries or drops parked messages: those that a platform refused while it accepted others. Each waits in the outbox; a
 * stub in its place has buttons to retry and to drop it. Everybody who may talk there may press them, and an owner may
 * type the same anywhere.
 */
function parkedMessages({ inbox, effects, approvals, owners, clock, deliver, readerIn }: CommandParts) {
  /** Resolves with whether it is applied, now or before. */
  async function obey(
    origin: Origin,
    { stubId, verb }: Pick<StubAction, 'stubId' | 'verb'>,
    answer: StoredCommand<Unparked | undefined>['answer'],
  ): Promise<boolean> {
    const at = clock.now();
    const words = (place: string): string => {
      const by = `${escapeMarkdown(origin.name)} at ${clockTime(at, readerIn(place))}`;
      return verb === 'retry' ? `🔁 Tried again for ${by}.` : `🗑 Dropped by ${by}.`;
    };
    const effect = effects.unpark({ stubId, verb, anywhere: owners.isOwner(origin.principal), words });
    const obeyed = await inbox.obey({ origin, name: verb, effect, answer, at });
    if (obeyed.status === 'repeated') return true;
    deliver([origin.conversationId, ...obeyed.places]);
    const { result: unparked } = obeyed;
    if (unparked?.approvalId !== undefined) await approvals.cardRefused(unparked.approvalId);
    return unparked !== undefined;
  }

  return {
    async press(origin: Origin, stub: StubAction): Promise<string | undefined> {
      // Below a list, the pressed message is not the stub.
      const at = stub.isListed ? { ...origin, pressed: undefined } : origin;
      if (!(await obey(at, stub, () => undefined))) return 'That is no longer waiting.';
      if (!stub.isListed) return undefined;
      return stub.verb === 'retry' ? triedAgain : dropped;
    },

    /** Handles `/retry ID` and `/drop ID`. */
    async command({ argument, origin }: GivenCommand, verb: StubAction['verb']): Promise<void> {
      const stubId = firstWord(argument).word.toLowerCase();
      await obey(origin, { stubId, verb }, (unparked) => {
        if (stubId === '') return noticeTo(origin, `Say which: \`/${verb} ID\`. \`/status\` shows what waits.`);
        if (unparked === undefined)
          return noticeTo(origin, 'Nothing of that name waits here. `/status` shows what waits.');
        return noticeTo(origin, verb === 'retry' ? triedAgain : dropped);
      });
    },
  };
}
