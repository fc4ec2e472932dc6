import { approvalSettingsOf } from '../config/tool-rules.ts';
import { isSharedFolder } from '../config/workspace.ts';
import type { MoveChat } from '../conversation/access/chat-moves.ts';
import { createClaimCode, peopleCommands, strangers } from '../conversation/access/pairing.ts';
import { sortMessage } from '../conversation/attachments/attachments.ts';
import { createCommands } from '../conversation/commands/commands.ts';
import { contextCommands, modelCommand } from '../conversation/commands/model-commands.ts';
import { createReports, type Reports } from '../conversation/commands/reports.ts';
import type { StorageNotices } from '../conversation/health/storage.ts';
import type { Marks } from '../conversation/live/channel-view.ts';
import { createIntake, type Intake, type Strangers } from '../engine/receive.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import type { Compactor } from '../runs/context/compactor.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { budgetLimitsOf, dayOf } from './runs.ts';
import type { Services } from './services.ts';
import { attachmentSettingsOf } from './settings.ts';

interface Parts {
  readonly queue: RunQueue;
  readonly runner: ToolRunner;
  readonly marks: Marks;
  readonly moved: MoveChat;
  readonly compactor: Compactor;
  readonly notices: StorageNotices;
  readonly features: readonly Feature[];
}

/** Takes what comes in: messages, presses and commands. */
export function makeIntake(services: Services, parts: Parts): Intake {
  const { store, setup, approvals, rules: access, clock, log, crashPoint, deliver, wake } = services;
  const { queue, marks, moved } = parts;
  const { inbox } = store;
  const commands = makeCommands(services, parts);
  const attachments = setup.view(({ config, transcriber }) => ({
    ...attachmentSettingsOf(config),
    transcribes: transcriber !== undefined,
  }));
  return createIntake({
    ...{ inbox, access, approvals, commands, moved, clock, log, crashPoint, deliver, wake },
    strangers: makeStrangers(services),
    pressStub: commands.pressStub,
    sort: (message) => sortMessage(message, attachments),
    seen: (origin, messageId) => {
      marks.seen(origin.conversationId, origin.conversation, messageId);
      services.heard.tell(origin.principal);
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

function makeCommands(services: Services, { queue, compactor, notices, ...parts }: Parts) {
  const { store, owners, paired, models, approvals, rules, workspaceOf, clock, deliver, wake } = services;
  const claim = createClaimCode(services.claimCode, clock);
  return createCommands({
    ...{ notices, approvals, clock, deliver, isOwner: rules.isOwner },
    inbox: store.inbox,
    groups: [
      ...parts.features.flatMap(({ commands = [] }) => commands),
      modelCommand(store.inbox, models),
      contextCommands({
        ...{ compactor, workspaceOf, wake, runs: store.runs },
        isKnown: (conversationId) => store.inbox.placeOf(conversationId) !== undefined,
      }),
      peopleCommands({
        ...{ paired, rules, clock, store: store.people },
        sharesFiles: () => isSharedFolder(services.config.workspace),
        changed: services.rightsChanged.tell,
      }),
    ],
    claim: () => (owners.isUnclaimed() ? claim : undefined),
    reports: makeReports(services, { queue, ...parts }),
    stop: (conversationId) => queue.stop(conversationId),
    prefixInThread: ({ channel, kind, threadId }) =>
      kind === 'group' && threadId === undefined
        ? services.adapters.get(channel)?.capabilities.commandPrefixInThread
        : undefined,
    claimed: (principal) => {
      owners.add(principal);
      services.heard.tell(principal);
    },
  });
}

function makeReports(
  services: Services,
  { runner, queue, features }: Pick<Parts, 'runner' | 'queue' | 'features'>,
): Reports {
  const { store, setup, config, adapters, health, models, owners, accounts, registry, sandbox } = services;
  const { clock, workspaceOf } = services;
  return createReports({
    ...{ approvals: store.approvals, outbox: store.outbox, spending: store.spending },
    ...{ registry, runner, health, sandbox, workspaceOf, clock },
    limits: setup.view((now) => budgetLimitsOf(now.config)),
    dayOf: dayOf(setup),
    saysAgain: (channel) => adapters.get(channel)?.capabilities.heartbeat !== undefined,
    // Pending strangers are shown to owners only.
    asking: async ({ principal }) =>
      owners.isOwner(principal) ? (await store.people.codeHolders(clock.now())).length : 0,
    more: async (origin) => (await Promise.all(features.map(({ status }) => status?.(origin) ?? []))).flat(),
    troubles: () => [store.state.trouble?.words ?? [], services.configState.fault ?? []].flat(),
    settings: setup.view((now) => approvalSettingsOf(now.config)),
    get isSandboxRequired() {
      return config.tools.shell.sandbox === 'required';
    },
    isWorking: (conversationId) => queue.isBusy(conversationId),
    isOwner: (principal) => owners.isOwner(principal),
    accountsOf: accounts.accountsOf,
    labelsOf: (conversationId) => store.inbox.labelsOf(conversationId),
    modelOf: async ({ conversationId }) => models.of(await store.inbox.modelOf(conversationId)).label,
  });
}
