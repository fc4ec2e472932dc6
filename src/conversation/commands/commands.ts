/*
 * Chat commands. The list of what may be typed comes from its owners (`definition.ts`): the core's commands, which begin
 * here, and the features'. A command runs at once, never queued behind a run: the run may be waiting for just this one.
 */

import type { InboundMessage } from '../../contract.ts';
import type { Approvals } from '../../engine/decide.ts';
import { type Command, firstWord, type Origin } from '../../engine/message.ts';
import type { PressedCommands, PressedList } from '../../engine/press-command.ts';
import { isMissingCode } from '../../lib/missing-code.ts';
import { inlineCode } from '../../lib/plain-text.ts';
import type { ListAnswer } from '../../words/command-buttons.ts';
import type { StubAction } from '../../words/stub.ts';
import type { ConversationCore } from '../conversation-core.ts';
import type { CommandEffects } from '../effects.ts';
import type { InboxStore } from '../inbox.ts';
import { type ClaimParts, claim, claimIn } from './claiming.ts';
import { coreCommands, trustHere } from './core-commands.ts';
import { decide } from './decisions.ts';
import type { CommandDefinition, CommandVariant, ObeyedCommand, StrangersCommand } from './definition.ts';
import { begin, revoke, showGrants, stop } from './endings.ts';
import { type AnswerTaker, type CommandMeans, type GivenCommand, type Giving, givenCommand } from './given-command.ts';
import { createGuesses } from './guesses.ts';
import { help, helpLine, unknownCommand } from './help.ts';
import { pressStub, settleParked } from './parked.ts';
import type { Reports } from './reports/reports.ts';
import { commandWords } from './words.ts';

export interface CommandParts extends ConversationCore, CommandMeans, Pick<ClaimParts, 'claimCode' | 'claimed'> {
  readonly effects: CommandEffects;
  readonly inbox: Pick<InboxStore, 'obey' | 'newestSeq' | 'grantsHere' | 'subRunsOf'>;
  readonly approvals: Pick<Approvals, 'decide' | 'isApprover' | 'cardRefused' | 'isApproval' | 'openHere'>;
  /** All that may be typed, in the order of menus. */
  readonly menu: readonly CommandDefinition[];
  /** What the core's other commands do. */
  readonly core: CoreObeyed;
  readonly features: FeatureCommands;
  readonly reports: Reports;
  /** Whether a command that failed so is to be offered again: it could not be stored, or the process ends. */
  readonly isToRepeat: (error: unknown) => boolean;
  readonly stop: (conversationId: string) => void;
  readonly halt: (conversationIds: readonly string[]) => () => void;
  /** Grants that no longer hold, though that is not stored yet. */
  readonly revoking: Set<string>;
}

type Obey = ObeyedCommand['obey'];

/** The core's commands that are made elsewhere. */
type CoreObeyed = Readonly<
  Record<'model' | 'context' | 'compact' | 'timezone' | 'language' | 'pair' | 'people' | 'unpair', Obey>
>;

/** What the features obey. */
interface FeatureCommands {
  readonly commands: readonly ObeyedCommand[];
  readonly variants: readonly CommandVariant[];
  readonly ofStrangers: readonly StrangersCommand[];
}

/** Runs what people type. */
export interface ChatCommands extends PressedCommands {
  obey(command: Command, origin: Origin): Promise<void>;
  /** The same, but the answer comes back and is not sent. A claim is not obeyed so. */
  answer(command: Command, origin: Origin): Promise<ListAnswer | undefined>;
  /** Handles a press on a stub. Resolves with words for the person who pressed; undefined if the stub says enough. */
  pressStub(origin: Origin, stub: StubAction): Promise<string | undefined>;
  /** The claim that this message is, in other words than `/claim CODE`, while there is something to claim. */
  claimIn(message: InboundMessage): Command | undefined;
  /** Whether it is `/claim CODE`, while there is something to claim. */
  isClaim(command: Command): boolean;
  /** Handles `/claim CODE` from a person who is not an owner. Every attempt counts once, the right one included. */
  claim(command: Command, origin: Origin): Promise<void>;
  isDecision(command: Command): boolean;
  /** Whether it is accepted from people who may not talk yet, such as `/link CODE`. */
  isJoining(command: Command): boolean;
  admit(command: Command, origin: Origin): Promise<void>;
}

/** Throws if the menu and what is obeyed are not the same commands. */
export function createCommands(parts: CommandParts): ChatCommands {
  const { owners, features } = parts;
  const guesses = createGuesses(parts.clock);
  const variants = [trustHere(parts), startIsHelp(parts), ...features.variants];
  const obeyed = obeyedByName([...coreCommands.obeyed(coreObeyed(parts)), ...features.commands], parts.menu);
  const strangersCommand = (command: Command) => features.ofStrangers.find(({ takes }) => takes(command));
  const known: KnownCommands = { parts, variants, obeyed };
  return {
    obey: (command, origin) => obey({ command, origin }, known),
    answer: (command, origin) => answerOf({ command, origin }, known),
    press: (command, origin, list) => pressInList({ command, origin }, list, known),
    pressStub: (origin, stub) => pressStub(origin, stub, parts),
    claimIn: (message) => claimIn(message, parts),
    isClaim: ({ name }) => name === 'claim' && owners.isUnclaimed(),
    claim: (command, origin) =>
      obeySurely(give({ command, origin }, parts), (given) => claim(given, guesses, parts), parts),
    isDecision: ({ name }) => name === 'approve' || name === 'deny',
    isJoining: (command) => strangersCommand(command) !== undefined,
    admit: (command, origin) =>
      obeySurely(give({ command, origin }, parts), async (given) => strangersCommand(command)?.obey(given), parts),
  };
}

interface KnownCommands {
  readonly parts: CommandParts;
  readonly variants: readonly CommandVariant[];
  readonly obeyed: ReadonlyMap<string, ObeyedCommand>;
}

async function obey(giving: Giving, { parts, variants, obeyed }: KnownCommands): Promise<void> {
  const { command, origin } = giving;
  const given = give(giving, parts);
  const variant = variants.find(({ name, takes }) => name === command.name && takes(command, origin));
  const known = variant ?? obeyed.get(command.name);
  if (known !== undefined) return obeySurely(given, (taken) => known.obey(taken), parts);
  const names = parts.menu.map(({ name }) => name);
  return given.list(unknownCommand(command, names, given.reader.language));
}

/**
 * A command that fails by itself is answered: offered again and again, it would hold up its chat. What was not loaded yet may
 * be gone, as after an update.
 */
async function obeySurely(
  given: GivenCommand,
  obeyed: Obey,
  { log, isToRepeat }: Pick<CommandParts, 'log' | 'isToRepeat'>,
): Promise<void> {
  try {
    return await obeyed(given);
  } catch (error) {
    if (isToRepeat(error)) throw error;
    const isGone = isMissingCode(error);
    log.error(
      { err: error, command: given.name },
      isGone ? 'a part of the program is gone since this process began: restart it' : 'a command has failed',
    );
    const say = commandWords[given.reader.language];
    return given.answer(isGone ? say.codeGone : say.commandFailed);
  }
}

async function answerOf(giving: Giving, known: KnownCommands): Promise<ListAnswer | undefined> {
  let answer: ListAnswer | undefined;
  let held: string | undefined;
  const taker: AnswerTaker = {
    answered: (given) => {
      answer = given;
    },
    held: (words) => {
      held = words;
    },
  };
  try {
    await obey({ ...giving, taker }, known);
  } catch (error) {
    if (held === undefined) throw error;
  }
  return held === undefined ? answer : { markdown: held, again: '', rows: [] };
}

/** Obeys the command, then shows the list as it is now. Should the process end between, the answer stands in its place. */
async function pressInList(
  giving: Giving,
  { id, again }: PressedList,
  known: KnownCommands,
): Promise<string | undefined> {
  const { origin } = giving;
  const told: string[] = [];
  const press = { listId: id, told: (words: string) => void told.push(words) };
  if (again === undefined) {
    await obey({ ...giving, press }, known);
    return told[0];
  }
  const line = [again.name, again.argument].join(' ').trim();
  await obey({ ...giving, press: { ...press, again: line } }, known);
  const shown = { command: again, origin: { ...origin, key: `${origin.key}>` } };
  try {
    await obey({ ...shown, press: { listId: id, isOnlyInPlace: true } }, known);
  } finally {
    known.parts.deliver([origin.conversationId]);
  }
  return told[0];
}

function coreObeyed(parts: CommandParts) {
  const { reports } = parts;
  return {
    ...parts.core,
    approve: (given: GivenCommand) => decide(given, 'approve', parts),
    deny: (given: GivenCommand) => decide(given, 'deny', parts),
    stop: (given: GivenCommand) => stop(given, parts),
    new: (given: GivenCommand) => begin(given, parts),
    grants: (given: GivenCommand) => showGrants(given, parts),
    revoke: (given: GivenCommand) => revoke(given, parts),
    retry: (given: GivenCommand) => settleParked(given, 'retry', parts),
    drop: (given: GivenCommand) => settleParked(given, 'drop', parts),
    help: (given: GivenCommand) => helpIn(given, given.argument, parts),
    tools: ({ origin, argument, list }: GivenCommand) => list(reports.tools(origin, firstWord(argument).word)),
    usage: async ({ origin, answer, withHint }: GivenCommand) => answer(withHint(await reports.usage(origin))),
    status: (given: GivenCommand) => status(given, reports),
    // While there is something to claim, see `claim`.
    claim: ({ answer, reader }: GivenCommand) => answer(commandWords[reader.language].alreadyOwned),
  };
}

/** Throws if the menu has a command that nobody obeys, or lacks one. */
function obeyedByName(
  commands: readonly ObeyedCommand[],
  menu: readonly CommandDefinition[],
): ReadonlyMap<string, ObeyedCommand> {
  const byName = new Map(commands.map((command) => [command.name, command]));
  const unobeyed = menu.find(({ name }) => !byName.has(name));
  if (unobeyed !== undefined) throw new TypeError(`The command /${unobeyed.name} is in the menu, but nobody obeys it.`);
  const unlisted = commands.find(({ name }) => !menu.some((listed) => listed.name === name));
  if (unlisted !== undefined)
    throw new TypeError(`The command /${unlisted.name} is not in the menu: list it in its feature's definition.`);
  return byName;
}

function give(giving: Giving, parts: CommandParts): GivenCommand {
  const { command, origin } = giving;
  // Where commands can only be given outside threads, the hint says how to reach a thread.
  const { channel, kind, threadId } = origin.conversation;
  const isOutside = kind === 'group' && threadId === undefined;
  const prefix = isOutside ? parts.adapters.get(channel)?.capabilities.commandPrefixInThread : undefined;
  return givenCommand(giving, parts, (answer, { language }) => {
    if (prefix === undefined) return answer;
    const hint = commandWords[language].threadHint({ command: inlineCode(`${prefix}${command.name}`) });
    return `${answer}\n\n${hint}`;
  });
}

function status(given: GivenCommand, reports: Reports): Promise<void> {
  const { word } = firstWord(given.argument);
  // Ids of approvals.
  if (/^[a-z0-9]{8}$/i.test(word)) return reports.showAgain(word, given);
  return given.listAnyway(async () => {
    const report = await reports.status(given.origin, word);
    return { ...report, markdown: given.withHint(report.markdown) };
  });
}

function helpIn({ origin, list, reader }: GivenCommand, argument: string, parts: CommandParts): Promise<void> {
  const variants = [trustHere(parts), ...parts.features.variants];
  const lines = [...parts.menu.map(helpLine), ...variants.map((variant) => variant.help)];
  const helped = {
    isOwner: parts.owners.isOwner(origin.principal),
    isInGroup: origin.conversation.kind === 'group',
    language: reader.language,
  };
  const own = lines.filter((line) => line !== undefined);
  return list(help(firstWord(argument).word, { lines: own, menu: parts.menu }, helped));
}

/** What clients of chat platforms send first. */
function startIsHelp(parts: CommandParts): CommandVariant {
  return { name: 'start', takes: () => true, obey: (given) => helpIn(given, '', parts) };
}
