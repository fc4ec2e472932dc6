import type { ApprovalBroker } from './approval/broker.ts';
import type { Questions } from './approval/questions.ts';
import { ChatMoves } from './conversation/access/chat-moves.ts';
import { ClaimCode } from './conversation/access/claim.ts';
import { Doorkeeper } from './conversation/access/doorkeeper.ts';
import { HouseRules } from './conversation/access/house-rules.ts';
import { CommandBook } from './conversation/commands/command-book.ts';
import { Commands } from './conversation/commands/commands.ts';
import { ContextCommands } from './conversation/commands/context-command.ts';
import { ModelCommand } from './conversation/commands/model-command.ts';
import { PeopleCommands } from './conversation/commands/people-commands.ts';
import { Reports } from './conversation/commands/reports.ts';
import { Intake } from './conversation/intake.ts';
import type { Marks } from './conversation/live/marks.ts';
import type { RunQueue } from './conversation/run-queue.ts';
import { budgetLimitsOf, dayOf } from './daemon-budget.ts';
import type { Context } from './daemon-context.ts';
import type { Ground } from './daemon-parts.ts';
import { approvalSettingsOf, attachmentSettingsOf, enabledChannels, pairingSettingsOf } from './daemon-settings.ts';
import type { Tools } from './daemon-tools.ts';

/** What takes in what the channels bring stands on. */
interface Parts extends Tools {
  readonly queue: RunQueue;
  readonly broker: ApprovalBroker;
  readonly questions: Questions;
  readonly marks: Marks;
  readonly rules: HouseRules;
  readonly context: Context;
}

/** Who may talk, and who may command. */
export function makeRules({ store, config, people }: Ground): HouseRules {
  const formerChats = store.inbox.formerChats.bind(store.inbox);
  return new HouseRules({ rules: enabledChannels(config), people, formerChats });
}

/** Ends the codes of strangers whom the config lets in by now, or all where it gives none. */
export async function endCodes({ store, config, clock }: Ground, rules: HouseRules): Promise<void> {
  const holders = await store.people.codeHolders(clock.now());
  const ended = holders.filter(({ principal }) => !config.pairing.enabled || rules.isNamed(principal));
  if (ended.length > 0) await store.people.dropCodes(ended.map(({ principal }) => principal));
}

/** What takes in what the channels bring. */
export function makeIntake(ground: Ground, parts: Parts): Intake {
  const { store, config, clock, log, crashPoint, deliver, wake } = ground;
  const { broker, questions, queue, marks, rules } = parts;
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
    seen: (origin, messageId) => marks.seen(origin.conversationId, origin.conversation, messageId),
    supersede: (conversationId, principal) => queue.supersede(conversationId, principal),
  });
}

function makeDoorkeeper({ store, config, owners, clock, log, deliver }: Ground): Doorkeeper {
  const settings = pairingSettingsOf(config);
  // Nobody could let a stranger in before somebody has claimed it.
  const pairing = (): typeof settings => (owners.isUnclaimed() ? undefined : settings);
  return new Doorkeeper({ store: store.people, pairing, clock, log, deliver });
}

function makeMoves({ store, owners, adapters, clock, log, deliver }: Ground, rules: HouseRules): ChatMoves {
  const reachable = (): readonly string[] =>
    owners.all().filter((principal) => adapters.has(principal.slice(0, principal.indexOf(':'))));
  return new ChatMoves({ inbox: store.inbox, rules, owners: reachable, clock, log, deliver });
}

function makeCommands(ground: Ground, parts: Parts): Commands {
  const { store, owners, people, clock, deliver } = ground;
  const { broker, queue, rules, context } = parts;
  const reports = makeReports(ground, parts);
  const claim = new ClaimCode(ground.claimCode, clock);
  const book = new CommandBook({ inbox: store.inbox, clock, deliver });
  const isNamed = (principal: string): boolean => rules.isNamed(principal);
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
    people: new PeopleCommands({ store: store.people, people, book, isNamed, clock }),
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
    claimed: (principal) => owners.add(principal),
  });
}

function makeReports(
  { store, config, adapters, health, models, people, clock, workspaceOf, sandbox }: Ground,
  { registry, runner, queue }: Parts,
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
    settings: approvalSettingsOf(config),
    sandbox,
    isSandboxRequired: config.tools.shell.sandbox === 'required',
    workspaceOf,
    isWorking: (conversationId) => queue.isBusy(conversationId),
    isOwner: (principal) => people.isOwner(principal),
    modelOf: async ({ conversationId }) => models.of(await store.inbox.modelOf(conversationId)).label,
    clock,
  });
}
