import { isSharedFolder } from '../config/workspace.ts';
import { type ConfiguredAccess, createAccess } from '../conversation/access/access.ts';
import { chatMover, type MoveChat } from '../conversation/access/chat-moves.ts';
import { createClaimCode } from '../conversation/access/claim.ts';
import { strangers } from '../conversation/access/pairing.ts';
import { sortMessage } from '../conversation/attachments/attachment-words.ts';
import { createCommands } from '../conversation/commands/commands.ts';
import { contextCommands, modelCommand } from '../conversation/commands/model-commands.ts';
import { type ParkedMessages, parkedMessages } from '../conversation/commands/parked-messages.ts';
import { peopleCommands } from '../conversation/commands/people-commands.ts';
import { createReports, type Reports } from '../conversation/commands/reports.ts';
import type { StorageNotices } from '../conversation/health/storage.ts';
import type { Marks } from '../conversation/live/marks.ts';
import type { Approvals } from '../engine/decide.ts';
import { createIntake, type Intake, type Strangers } from '../engine/receive.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import type { Services } from './parts.ts';
import type { Context } from './runs.ts';
import { budgetLimitsOf, dayOf } from './runs.ts';
import { approvalSettingsOf, attachmentSettingsOf, enabledChannels } from './settings.ts';
import type { Tools } from './tools.ts';

interface Parts extends Tools {
  readonly queue: RunQueue;
  readonly approvals: Approvals;
  readonly marks: Marks;
  readonly rules: ConfiguredAccess;
  readonly moveChat: MoveChat;
  readonly context: Context;
  /** Called with each person who was heard. */
  readonly heard: (principal: string) => void;
  readonly notices: StorageNotices;
  readonly features: readonly Feature[];
}

/** Who may talk, and who may command. */
export function makeRules({ store, setup, owners, paired, accounts }: Services): ConfiguredAccess {
  const formerChats = store.inbox.formerChats.bind(store.inbox);
  const rules = setup.derived(({ config }) => enabledChannels(config));
  return createAccess({ rules, owners, paired, formerChats, accountsOf: accounts.accountsOf });
}

/** Drops the codes of people whom the config lets in now, or all if pairing is off. */
export async function endCodes({ store, config, clock }: Services, rules: ConfiguredAccess): Promise<void> {
  const holders = await store.people.codeHolders(clock.now());
  const ended = holders.filter(({ principal }) => !config.pairing.enabled || rules.mayTalk(principal));
  if (ended.length > 0) await store.people.dropCodes(ended.map(({ principal }) => principal));
}

export function makeIntake(services: Services, parts: Parts): Intake {
  const { store, setup, clock, log, crashPoint, deliver, wake } = services;
  const { approvals, queue, marks, rules } = parts;
  const { cardRefused } = approvals;
  const isOwner = rules.isOwner;
  const parked = parkedMessages({ inbox: store.inbox, isOwner, clock, deliver, cardRefused });
  const attachments = setup.view(({ config, transcriber }) => ({
    ...attachmentSettingsOf(config),
    transcribes: transcriber !== undefined,
  }));
  return createIntake({
    inbox: store.inbox,
    access: rules,
    strangers: makeStrangers(services),
    commands: makeCommands(services, parts, parked),
    approvals,
    pressStub: (origin, stub) => parked.press(origin, stub),
    sort: (message) => sortMessage(message, attachments),
    moved: parts.moveChat,
    clock,
    log,
    crashPoint,
    deliver,
    wake,
    seen: (origin, messageId) => {
      marks.seen(origin.conversationId, origin.conversation, messageId);
      parts.heard(origin.principal);
    },
    supersede: (conversationId, principal, doing) => queue.supersede(conversationId, principal, doing),
  });
}

function makeStrangers({ store, config, owners, clock, log, deliver }: Services): Strangers {
  const pairing = () => {
    const { enabled, code_secs, max_codes } = config.pairing;
    // Without an owner, nobody could let a stranger in.
    return enabled && !owners.isUnclaimed() ? { lifetime: code_secs * 1000, most: max_codes } : undefined;
  };
  return strangers({ store: store.people, pairing, clock, log, deliver });
}

/** Moves conversations whose chats got another id. */
export function makeMoves(services: Services, rules: ConfiguredAccess): MoveChat {
  const { store, clock, log, deliver } = services;
  return chatMover({ inbox: store.inbox, rules, owners: services.reachableOwners, clock, log, deliver });
}

function makeCommands(services: Services, parts: Parts, parked: ParkedMessages) {
  const { store, owners, paired, models, workspaceOf, clock, deliver, wake } = services;
  const { approvals, queue, rules, context, notices } = parts;
  const claim = createClaimCode(services.claimCode, clock);
  return createCommands({
    ...{ notices, approvals, parked, clock, deliver, isOwner: rules.isOwner },
    inbox: store.inbox,
    groups: [
      ...parts.features.flatMap(({ commands = [] }) => commands),
      modelCommand(store.inbox, models),
      contextCommands({
        runs: store.runs,
        isKnown: (conversationId) => store.inbox.placeOf(conversationId) !== undefined,
        compactor: context.compactor,
        ...{ workspaceOf, wake },
      }),
      peopleCommands({
        store: store.people,
        sharesFiles: () => isSharedFolder(services.config.workspace),
        changed: services.rightsChanged.tell,
        ...{ paired, rules, clock },
      }),
    ],
    claim: () => (owners.isUnclaimed() ? claim : undefined),
    reports: makeReports(services, parts),
    stop: (conversationId) => queue.stop(conversationId),
    prefixInThread: ({ channel, kind, threadId }) =>
      kind === 'group' && threadId === undefined
        ? services.adapters.get(channel)?.capabilities.commandPrefixInThread
        : undefined,
    claimed: (principal) => {
      owners.add(principal);
      parts.heard(principal);
    },
  });
}

function makeReports(services: Services, { registry, runner, queue, features }: Parts): Reports {
  const { store, setup, config, adapters, health, models, owners, accounts, clock, workspaceOf } = services;
  return createReports({
    approvals: store.approvals,
    outbox: store.outbox,
    spending: store.spending,
    limits: setup.view((now) => budgetLimitsOf(now.config)),
    dayOf: dayOf(setup),
    registry,
    runner,
    health,
    saysAgain: (channel) => adapters.get(channel)?.capabilities.heartbeat !== undefined,
    // Pending strangers are shown to owners only.
    asking: async ({ principal }) =>
      owners.isOwner(principal) ? (await store.people.codeHolders(clock.now())).length : 0,
    more: async (origin) => (await Promise.all(features.map(({ status }) => status?.(origin) ?? []))).flat(),
    troubles: () => [store.state.trouble?.words ?? [], services.configState.fault ?? []].flat(),
    settings: setup.view((now) => approvalSettingsOf(now.config)),
    get sandbox() {
      return services.sandbox;
    },
    get isSandboxRequired() {
      return config.tools.shell.sandbox === 'required';
    },
    workspaceOf,
    isWorking: (conversationId) => queue.isBusy(conversationId),
    isOwner: (principal) => owners.isOwner(principal),
    accountsOf: accounts.accountsOf,
    labelsOf: (conversationId) => store.inbox.labelsOf(conversationId),
    modelOf: async ({ conversationId }) => models.of(await store.inbox.modelOf(conversationId)).label,
    clock,
  });
}
