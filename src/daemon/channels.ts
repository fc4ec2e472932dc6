/*
 * What stands between channels and the engine: the channels themselves (`createChannels`), what goes out to them
 * (`makeDelivery`), and what comes in from them (`makeIntake`): messages, presses and commands.
 */

import { enabledChannels } from '../config/extension-settings.ts';
import type { ChannelAdapter, ChannelHost } from '../contract.ts';
import type { MoveChat } from '../conversation/access/chat-moves.ts';
import { peopleCommands, strangers } from '../conversation/access/pairing.ts';
import { sortMessage } from '../conversation/attachments/attachments.ts';
import { createCommands } from '../conversation/commands/commands.ts';
import { languageCommand } from '../conversation/commands/language-command.ts';
import { contextCommands, modelCommand } from '../conversation/commands/model-commands.ts';
import { createReports, type Reports } from '../conversation/commands/reports.ts';
import { timeZoneCommand } from '../conversation/commands/time-zone-command.ts';
import { createChannelWatch } from '../conversation/health/channel-watch.ts';
import type { StorageNotices } from '../conversation/health/storage.ts';
import { createChannelView, createMarks, type Marks } from '../conversation/live/channel-view.ts';
import { createLiveReplies } from '../conversation/live/live-replies.ts';
import { createToolCards } from '../conversation/live/tool-cards.ts';
import { createDelivery, type Delivery } from '../delivery/send.ts';
import { createIntake, type Intake } from '../engine/receive.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import type { Compactor } from '../runs/context/compactor.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import type { ToolRunner } from '../tools/runner.ts';
import { budgetLimitsOf, dayOf, withChatModels } from './runs.ts';
import type { Services } from './services.ts';

/** Channels of Keyturn's own that an edit of the config changes. */
export interface ChannelEdit {
  /** New or changed channels. */
  readonly made: ReadonlyMap<string, ChannelAdapter>;
  readonly gone: readonly string[];
}

/** The parts that channels reach. */
interface HostParts {
  readonly intake: Intake;
  readonly queue: RunQueue;
  readonly delivery: Delivery;
  readonly downtime: {
    /** Until when earlier processes received everything on the channel; undefined if there were none. */
    leftAt(channel: string): number | undefined;
  };
}

/** Runs the channels. When the input of all channels has ended, requests the end of the process. */
export function createChannels(services: Services, { intake, queue, delivery, downtime }: HostParts) {
  const { config, adapters, health, store, movedChats, clock, log, redact, deliver, stopRequested } = services;
  /** Channels whose input has not ended, or that may still be plugged in. */
  const listening = new Set([...adapters.keys(), ...plugged()]);
  /** Until when a former adapter of this process has received everything, by channel. */
  const leftAt = new Map<string, number>();
  const watch = createChannelWatch({ ...services, hostOf, allRefused: stopRequested });

  /** The names of the enabled channels from plugins. */
  function plugged(): readonly string[] {
    const plugins = Object.keys(config.channel_plugins);
    return plugins.length === 0 ? [] : plugins.filter((name) => enabledChannels(config.channels).has(name));
  }

  /** Connects them, one after the other. Throws errors of adapters. */
  async function start(): Promise<void> {
    // Listed from the start, even before they are plugged in.
    for (const name of plugged()) health.report(name, { status: 'connecting' });
    for (const [name, adapter] of adapters) {
      await watch.start(name);
      await showCards(name, adapter);
    }
  }

  /** Adds a channel, and delivers what has waited for it. Rejects if it cannot start, and removes it. */
  async function attach(name: string, adapter: ChannelAdapter): Promise<void> {
    try {
      await run(name, adapter);
    } catch (error) {
      await detach(name);
      throw error;
    }
  }

  /** Removes a channel. Messages for it are kept. */
  async function detach(name: string): Promise<void> {
    const heardAt = adapters.get(name)?.heardAt;
    if (heardAt !== undefined) leftAt.set(name, heardAt);
    adapters.delete(name);
    await watch.remove(name);
  }

  /**
   * Replaces the channels in `made` and ends those in `gone`; all others run on. A channel that cannot start counts as
   * refused by its platform, and is retried. If no channel is left that anybody could write to, the process ends.
   */
  async function edited({ made, gone }: ChannelEdit): Promise<void> {
    const end = async (name: string): Promise<void> => {
      await detach(name);
      watch.forget(name);
      listening.delete(name);
    };
    const swap = async (name: string, adapter: ChannelAdapter): Promise<void> => {
      await detach(name);
      listening.add(name);
      await run(name, adapter).catch((err: unknown) => {
        log.error({ channel: name, err }, 'a channel could not be started after an edit of the config');
        watch.heard(name, { status: 'dead', reason: err instanceof Error ? err.message : String(err) });
      });
    };
    await Promise.all([...gone.map(end), ...[...made].map(([name, adapter]) => swap(name, adapter))]);
    const others = config.gateway.enabled ? 1 : plugged().length;
    if (gone.length > 0 && listening.size + others === 0) stopRequested(noChannelLeft);
  }

  async function run(name: string, unguarded: ChannelAdapter): Promise<void> {
    const adapter = redactedAdapter(unguarded, redact);
    adapters.set(name, adapter);
    await watch.add(name, adapter);
    await showCards(name, adapter);
    deliver(await store.outbox.undelivered(name));
  }

  async function showCards(name: string, { capabilities }: ChannelAdapter): Promise<void> {
    if (!capabilities.history) deliver(await store.outbox.showCardsAgain(name));
  }

  /**
   * The host for one session of a channel. Once the session is over (`over` aborts), `receive` rejects, so that the
   * platform delivers the event again, and its reports are ignored.
   */
  function hostOf(channel: string, over: AbortSignal): ChannelHost {
    return {
      async receive(event) {
        refuseIf(over);
        return intake.receive(event, channel);
      },
      async moved(from, chatId) {
        refuseIf(over);
        await intake.moved(from, chatId);
      },
      places: (most) => store.inbox.latestPlaces(channel, most),
      leftAt: leftAt.get(channel) ?? downtime.leftAt(channel),
      whenIdle: async (conversation) => {
        const id = movedChats.idOf(conversation);
        do {
          await queue.whenIdle(id);
          await delivery.whenIdle(id);
        } while (!over.aborted && (queue.isBusy(id) || delivery.isBusy(id)));
      },
      reportHealth(reported) {
        if (over.aborted) return;
        const isBack = reported.status === 'connected' && health.of(channel)?.health.status !== 'connected';
        watch.heard(channel, reported);
        if (isBack) delivery.revive(channel);
      },
      reportEnd() {
        if (over.aborted) return;
        listening.delete(channel);
        if (listening.size === 0) stopRequested();
      },
      requestStop() {
        if (!over.aborted) stopRequested();
      },
      log: log.child({ channel }),
      clock,
    };
  }

  return { start, plugged, watch, attach, detach, edited };
}

const noChannelLeft =
  'The config was edited: no channel is on any more, so nobody could talk to Keyturn, and it ends. Switch one on in the config, and start it again.';

function refuseIf(over: AbortSignal): void {
  if (over.aborted) throw new Error('This session of the channel is over: another one receives in its place.');
}

/** Delivers messages, and shows work in progress. */
export function makeDelivery(services: Services, moved: MoveChat) {
  const { store, approvals, setup, ownersChats, tellOwners } = services;
  const { outbox, files } = store;
  const settings = setup.view(({ config: { agent, delivery: wanted } }) => ({
    firstPause: 500,
    longestPause: 900_000,
    ambiguousPause: wanted.ambiguous_retry_after_ms,
    maxMessages: wanted.max_messages,
    lateAfter: wanted.late_after_secs * 1000,
    steadyAfter: agent.last_try_after_secs * 1000,
  }));
  const isBusy = (conversationId: string): boolean => delivery.isBusy(conversationId);
  const live = createLiveReplies({
    ...{ ...services, outbox, isBusy },
    get maxMessages() {
      // The last part of a longer text is a file.
      return Math.max(1, settings.maxMessages - 1);
    },
  });
  const isClear = (conversationId: string): boolean => !isBusy(conversationId) && !live.isHolding(conversationId);
  const cards = createToolCards({ ...services, outbox, isClear });
  const delivery = createDelivery({
    ...{ ...services, outbox, files, live, settings, moved },
    placeNow: services.movedChats.placeNow,
    cardRefused: (approvalId) => approvals.cardRefused(approvalId),
    cardShown: (approvalId) => void approvals.cardShown(approvalId),
    chatRefuses(conversationId, reason) {
      approvals.chatRefuses(conversationId, reason);
      ownersChats.refused.tell(conversationId);
    },
    tellOwners: (markdown, besides) => tellOwners(markdown, false, besides),
  });
  const marks = createMarks(services);
  const view = createChannelView({
    ...{ ...services, live, cards, marks, moved },
    get secrets() {
      return setup.now.secrets;
    },
  });
  return { delivery, view, marks, live, cards };
}

/** The parts that what comes in reaches. */
interface IntakeParts {
  readonly queue: RunQueue;
  readonly runner: ToolRunner;
  readonly marks: Marks;
  readonly moved: MoveChat;
  readonly compactor: Compactor;
  readonly notices: StorageNotices;
  readonly features: readonly Feature[];
}

/** Takes what comes in: messages, presses and commands. */
export function makeIntake(services: Services, parts: IntakeParts): Intake {
  const { store, setup, config, rules: access } = services;
  const { queue, marks, moved } = parts;
  const commands = makeCommands(services, parts);
  return createIntake({
    ...{ ...services, inbox: store.inbox, access, commands, moved },
    strangers: strangers({ ...services, store: store.people }),
    pressStub: commands.pressStub,
    idOf: services.movedChats.idOf,
    sort: (message) => sortMessage(message, config.attachments.max_bytes, setup.now.transcriber !== undefined),
    trustsOwners: () => config.attachments.trust_owners,
    seen: (origin, messageId) => {
      marks.seen(origin.conversationId, origin.conversation, messageId);
      services.timeZones.learn(origin.principal, origin.timeZone);
      services.languages.learn(origin);
      services.heard.tell(origin.principal);
    },
    supersede: queue.supersede,
  });
}

function makeCommands(services: Services, { queue, compactor, notices, ...parts }: IntakeParts) {
  const { store } = services;
  const runs = withChatModels(services);
  return createCommands({
    ...{ ...services, notices },
    inbox: store.inbox,
    groups: [
      ...parts.features.flatMap(({ commands = [] }) => commands),
      modelCommand(store.inbox, services),
      timeZoneCommand(services),
      languageCommand(services),
      contextCommands({
        ...{ ...services, compactor },
        loadRun: (conversationId) => runs.load(conversationId, services.setup.now.config.agent.context_tokens),
        isKnown: (conversationId) => store.inbox.isKnown(conversationId),
      }),
      peopleCommands({ ...services, store: store.people }),
    ],
    reports: makeReports(services, { queue, ...parts }),
  });
}

function makeReports(
  services: Services,
  { runner, queue, features }: Pick<IntakeParts, 'runner' | 'queue' | 'features'>,
): Reports {
  const { store, setup } = services;
  const { approvals, inbox, outbox, people, spending } = store;
  return createReports({
    ...{ ...services, approvals, inbox, outbox, people, spending, runner, queue },
    isApprover: services.approvals.isApprover,
    limits: setup.view((now) => budgetLimitsOf(now.config)),
    dayOf: dayOf(setup),
    more: async (origin) => (await Promise.all(features.map(({ status }) => status?.(origin) ?? []))).flat(),
    missingTools: (origin) => features.flatMap(({ missingTools }) => missingTools?.(origin) ?? []),
    troubles: () => [store.state.trouble?.words ?? [], services.configState.fault ?? []].flat(),
  });
}
