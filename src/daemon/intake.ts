import type { ApprovalBroker } from '../approval/broker.ts';
import type { Questions } from '../approval/questions.ts';
import { partsOf } from '../contract.ts';
import { ChatMoves } from '../conversation/access/chat-moves.ts';
import { ClaimCode } from '../conversation/access/claim.ts';
import { Doorkeeper } from '../conversation/access/doorkeeper.ts';
import { HouseRules } from '../conversation/access/house-rules.ts';
import { LinkRules } from '../conversation/access/link-rules.ts';
import type { TrustBook } from '../conversation/access/trust-book.ts';
import { CommandBook } from '../conversation/commands/command-book.ts';
import { Commands } from '../conversation/commands/commands.ts';
import { ComposedCommand } from '../conversation/commands/composed-command.ts';
import { ContextCommands } from '../conversation/commands/context-command.ts';
import { DeviceCommands } from '../conversation/commands/device-commands.ts';
import { LinkCommands } from '../conversation/commands/link-commands.ts';
import { ModelCommand } from '../conversation/commands/model-command.ts';
import { PeopleCommands } from '../conversation/commands/people-commands.ts';
import { PinCommands } from '../conversation/commands/pin-commands.ts';
import { Reports } from '../conversation/commands/reports.ts';
import { TrustCommands } from '../conversation/commands/trust-commands.ts';
import { Intake } from '../conversation/intake.ts';
import type { Marks } from '../conversation/live/marks.ts';
import type { RunQueue } from '../conversation/run-queue.ts';
import type { TrustEntry } from '../conversation/trust-store.ts';
import type { Bringers } from './bringers.ts';
import { budgetLimitsOf, dayOf } from './budget.ts';
import type { Context } from './context.ts';
import type { Ground } from './parts.ts';
import { approvalSettingsOf, attachmentSettingsOf, enabledChannels, pairingSettingsOf } from './settings.ts';
import type { Tools } from './tools.ts';

/** What takes in what the channels bring stands on. */
interface Parts extends Tools {
  readonly queue: RunQueue;
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly marks: Marks;
  readonly rules: HouseRules;
  readonly context: Context;
  readonly trust: TrustBook;
  readonly bringers: Pick<Bringers, 'troubles'>;
}

/** Who may talk, and who may command. */
export function makeRules({ store, config, people, accounts }: Ground): HouseRules {
  const formerChats = store.inbox.formerChats.bind(store.inbox);
  return new HouseRules({ rules: enabledChannels(config), people, formerChats, accountsOf: accounts.accountsOf });
}

/** Ends the codes of strangers whom the config lets in by now, or all where it gives none. */
export async function endCodes({ store, config, clock }: Ground, rules: HouseRules): Promise<void> {
  const holders = await store.people.codeHolders(clock.now());
  const ended = holders.filter(({ principal }) => !config.pairing.enabled || rules.mayTalk(principal));
  if (ended.length > 0) await store.people.dropCodes(ended.map(({ principal }) => principal));
}

/** What takes in what the channels bring. */
export function makeIntake(ground: Ground, parts: Parts): Intake {
  const { store, config, clock, log, crashPoint, deliver, wake } = ground;
  const { broker, questions, queue, marks, rules, trust } = parts;
  return new Intake({
    inbox: store.inbox,
    broker,
    questions,
    commands: makeCommands(ground, parts),
    attachmentRules: { ...attachmentSettingsOf(config), transcribes: ground.transcriber !== undefined },
    rules,
    door: makeDoorkeeper(ground),
    moves: makeMoves(ground, rules),
    clock,
    log,
    crashPoint,
    deliver,
    wake,
    seen: (origin, messageId) => {
      marks.seen(origin.conversationId, origin.conversation, messageId);
      trust.heard(origin.principal);
    },
    supersede: (conversationId, principal) => queue.supersede(conversationId, principal),
  });
}

function makeDoorkeeper({ store, config, owners, clock, log, deliver }: Ground): Doorkeeper {
  const settings = pairingSettingsOf(config);
  // Nobody could let a stranger in before somebody has claimed it.
  const pairing = (): typeof settings => (owners.isUnclaimed() ? undefined : settings);
  return new Doorkeeper({ store: store.people, pairing, clock, log, deliver });
}

function makeMoves(ground: Ground, rules: HouseRules): ChatMoves {
  const { store, clock, log, deliver } = ground;
  return new ChatMoves({ inbox: store.inbox, rules, owners: () => reachableOwners(ground), clock, log, deliver });
}

/** The owners whose channels run. */
function reachableOwners({ owners, adapters }: Ground): readonly string[] {
  return owners.all().filter((principal) => adapters.has(partsOf(principal).channel));
}

function makeCommands(ground: Ground, parts: Parts): Commands {
  const { store, owners, people, clock, deliver } = ground;
  const { broker, queue, rules, context, trust } = parts;
  const reports = makeReports(ground, parts);
  const claim = new ClaimCode(ground.claimCode, clock);
  const book = new CommandBook({ inbox: store.inbox, clock, deliver });
  return new Commands({
    book,
    inbox: store.inbox,
    broker,
    model: new ModelCommand({ inbox: store.inbox, models: ground.models, book }),
    context: new ContextCommands({
      runs: store.runs,
      isKnown: (conversationId) => store.inbox.placeOf(conversationId) !== undefined,
      compactor: context.compactor,
      workspaceOf: ground.workspaceOf,
      book,
      wake: ground.wake,
    }),
    pins: new PinCommands({ inbox: store.inbox, book }),
    people: new PeopleCommands({
      store: store.people,
      people,
      book,
      isNamed: (principal) => rules.isNamed(principal),
      isLinkedIn: (principal) => rules.isLinkedIn(principal),
      changed: () => ground.deviceDoor?.review(),
      clock,
    }),
    devices: new DeviceCommands({
      door: ground.deviceDoor,
      accountsOf: ground.accounts.accountsOf,
      mayBring: (principal) => rules.isLetIn(principal) || rules.isLinkedIn(principal),
      stop: (conversationId) => queue.stop(conversationId),
      book,
      clock,
    }),
    links: makeLinkCommands(ground, book, parts),
    trust: new TrustCommands({ store: store.trust, trust, isOwner: (principal) => owners.isOwner(principal), book }),
    composed: new ComposedCommand({
      store: store.composedTools,
      registry: parts.registry,
      accountsOf: (principal) => ground.accounts.accountsOf(principal),
      isOwner: (principal) => owners.isOwner(principal),
      book,
    }),
    clock,
    claim: () => (owners.isUnclaimed() ? claim : undefined),
    status: (origin) => reports.status(origin),
    tools: (origin) => reports.tools(origin),
    usage: (origin) => reports.usage(origin),
    stop: (conversationId) => queue.stop(conversationId),
    prefixInThread: ({ channel, kind, threadId }) =>
      kind === 'group' && threadId === undefined
        ? ground.adapters.get(channel)?.capabilities.commandPrefixInThread
        : undefined,
    claimed: (principal) => {
      owners.add(principal);
      trust.heard(principal);
    },
  });
}

function makeLinkCommands(ground: Ground, book: CommandBook, { rules, broker }: Parts): LinkCommands {
  const { store, accounts, clock, deliver } = ground;
  return new LinkCommands({
    links: store.links,
    people: store.people,
    accounts,
    rules: new LinkRules({
      accountsOf: accounts.accountsOf,
      isOwner: (principal) => rules.isOwner(principal),
      isApprover: (principal) => broker.isApprover(principal),
      mayTalk: (principal) => rules.mayTalk(principal),
      isLetIn: (principal) => rules.isLetIn(principal),
      owners: () => reachableOwners(ground),
    }),
    book,
    clock,
    deliver,
    changed: () => ground.deviceDoor?.review(),
  });
}

function makeReports(
  { store, config, adapters, health, models, people, accounts, clock, workspaceOf, sandbox }: Ground,
  { registry, runner, queue, bringers }: Parts,
): Reports {
  return new Reports({
    approvals: store.approvals,
    outbox: store.outbox,
    spending: store.spending,
    limits: budgetLimitsOf(config),
    dayOf: dayOf(config),
    registry,
    runner,
    health,
    saysAgain: (channel) => adapters.get(channel)?.capabilities.heartbeat !== undefined,
    // What strangers ask is for owners to know.
    asking: async ({ principal }) =>
      people.isOwner(principal) ? (await store.people.codeHolders(clock.now())).length : 0,
    untrusted: async ({ principal }) => (people.isOwner(principal) ? waitingCount(await store.trust.all()) : 0),
    troubles: () => bringers.troubles(),
    settings: approvalSettingsOf(config),
    sandbox,
    isSandboxRequired: config.tools.shell.sandbox === 'required',
    workspaceOf,
    isWorking: (conversationId) => queue.isBusy(conversationId),
    isOwner: (principal) => people.isOwner(principal),
    accountsOf: accounts.accountsOf,
    modelOf: async ({ conversationId }) => models.of(await store.inbox.modelOf(conversationId)).label,
    clock,
  });
}

function waitingCount(entries: readonly TrustEntry[]): number {
  return entries.filter(({ asked }) => asked?.isRefused === false).length;
}
