/*
 * What stands between channels and the engine: the channels themselves (`createChannels`), what goes out to them
 * (`makeDelivery`), and what comes in from them (`makeIntake`): messages, presses and commands.
 */

import { broughtBy } from '../config/settings-part.ts';
import { type ChannelAdapter, type ChannelHost, partsOf, principalOf } from '../contract.ts';
import type { MoveChat } from '../conversation/access/chat-moves.ts';
import { createGroupRequests } from '../conversation/access/group-requests.ts';
import { strangers } from '../conversation/access/pairing.ts';
import type { RequestDesk } from '../conversation/access/request-desk.ts';
import { sortMessage } from '../conversation/attachments/attachments.ts';
import { type ChatCommands, createCommands } from '../conversation/commands/commands.ts';
import { offered } from '../conversation/commands/definition.ts';
import { chooseLanguage } from '../conversation/commands/language/language-command.ts';
import { chooseModel, compact, showContext } from '../conversation/commands/model/model-commands.ts';
import { peopleCommands } from '../conversation/commands/people/people-commands.ts';
import type { Reports } from '../conversation/commands/reports/reports.ts';
import { isSuggested } from '../conversation/commands/reports/suggestions.ts';
import { timeZone } from '../conversation/commands/time-zone-command.ts';
import { type ChannelWatch, createChannelWatch } from '../conversation/health/channel-watch.ts';
import type { StorageNotices } from '../conversation/health/storage.ts';
import { createChannelView } from '../conversation/live/channel-view.ts';
import { createLiveReplies } from '../conversation/live/live-replies.ts';
import { createMarks, type Marks } from '../conversation/live/message-marks.ts';
import { createToolCards } from '../conversation/live/tool-cards.ts';
import { createDelivery, type Delivery } from '../delivery/send.ts';
import { createIntake, type Intake } from '../engine/receive.ts';
import { NotStoredYetError } from '../engine/take-away.ts';
import type { RunQueue } from '../engine/wake.ts';
import type { Feature } from '../feature-points.ts';
import { languageOf } from '../lib/words.ts';
import type { Compactor } from '../runs/context/compactor.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { fileNamesIn } from './file-names.ts';
import { machineChannel } from './local-socket/machine.ts';
import { roomOf, suggestionsTo } from './reports.ts';
import { withChatModels } from './runs.ts';
import type { Services } from './services.ts';
import { createStartLinks, type StartLinks } from './start-links.ts';
import { daemonWords } from './words.ts';

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
  readonly reports: Pick<Reports, 'room' | 'suggestions'>;
  readonly requests: Pick<RequestDesk, 'connected'>;
  readonly downtime: {
    /** Until when earlier processes received everything on the channel; undefined if there were none. */
    leftAt(channel: string): number | undefined;
  };
}

/** Runs the channels. When the input of all channels has ended, requests the end of the process. */
export interface Channels {
  /** Connects them, one after the other. Throws errors of adapters. */
  start(): Promise<void>;
  /** The names of the enabled channels from plugins. */
  plugged(): readonly string[];
  readonly watch: ChannelWatch;
  /** Adds a channel, and delivers what has waited for it. Rejects if it cannot start, and removes it. */
  attach(name: string, adapter: ChannelAdapter): Promise<void>;
  /** Removes a channel. Messages for it are kept. */
  detach(name: string): Promise<void>;
  /**
   * Replaces the channels in `made` and ends those in `gone`; all others run on. A channel that cannot start counts as
   * refused by its platform, and is retried. If no channel is left that anybody could write to, the process ends.
   */
  edited(edit: ChannelEdit): Promise<void>;
}

interface ChannelsContext extends HostParts {
  readonly services: Services;
  /** Channels whose input has not ended, or that may still be plugged in. */
  readonly listening: Set<string>;
  /** Until when a former adapter of this process has received everything, by channel. */
  readonly leftAt: Map<string, number>;
  readonly startLinks: StartLinks;
  readonly watch: ChannelWatch;
}

export function createChannels(services: Services, parts: HostParts): Channels {
  const watch = createChannelWatch({
    ...services,
    hostOf: (channel, over) => hostOf(channel, over, channels),
    allRefused: services.stopRequested,
  });
  const listening = new Set([...services.adapters.keys(), ...plugged(services)]);
  const channels: ChannelsContext = {
    ...parts,
    services,
    listening,
    leftAt: new Map(),
    startLinks: createStartLinks(services),
    watch,
  };
  return {
    start: () => start(channels),
    plugged: () => plugged(services),
    watch,
    attach: (name, adapter) => attach(name, adapter, channels),
    detach: (name) => detach(name, channels),
    edited: (edit) => edited(edit, channels),
  };
}

function plugged({ setup, parts }: Services): readonly string[] {
  // Not of the view of the config: what is read of a config is kept for it.
  return broughtBy(parts, setup.now.config).pluggedChannels;
}

async function start({ services, watch }: ChannelsContext): Promise<void> {
  // Listed from the start, even before they are plugged in.
  for (const name of plugged(services)) services.health.report(name, { status: 'connecting' });
  for (const [name, adapter] of services.adapters) {
    await watch.start(name);
    await showCards(name, adapter, services);
  }
}

async function attach(name: string, adapter: ChannelAdapter, channels: ChannelsContext): Promise<void> {
  try {
    await run(name, adapter, channels);
  } catch (error) {
    await detach(name, channels);
    throw error;
  }
}

async function detach(name: string, { services, leftAt, watch }: ChannelsContext): Promise<void> {
  const heardAt = services.adapters.get(name)?.heardAt;
  if (heardAt !== undefined) leftAt.set(name, heardAt);
  services.adapters.delete(name);
  await watch.remove(name);
}

async function edited({ made, gone }: ChannelEdit, channels: ChannelsContext): Promise<void> {
  const { services, listening } = channels;
  await Promise.all([
    ...gone.map((name) => end(name, channels)),
    ...[...made].map(([name, adapter]) => swap(name, adapter, channels)),
  ]);
  const others = broughtBy(services.parts, services.setup.now.config).channels.length + plugged(services).length;
  if (gone.length > 0 && listening.size + others === 0)
    services.stopRequested((language) => daemonWords[language].noChannelLeft);
}

async function end(name: string, channels: ChannelsContext): Promise<void> {
  await detach(name, channels);
  channels.watch.forget(name);
  channels.listening.delete(name);
}

async function swap(name: string, adapter: ChannelAdapter, channels: ChannelsContext): Promise<void> {
  await detach(name, channels);
  channels.listening.add(name);
  await run(name, adapter, channels).catch((err: unknown) => {
    channels.services.log.error({ channel: name, err }, 'a channel could not be started after an edit of the config');
    channels.watch.heard(name, { status: 'dead', reason: err instanceof Error ? err.message : String(err) });
  });
}

async function run(name: string, unguarded: ChannelAdapter, { services, watch }: ChannelsContext): Promise<void> {
  const { adapters, store, redact, deliver } = services;
  const adapter = redactedAdapter(unguarded, redact);
  adapters.set(name, adapter);
  await watch.add(name, adapter);
  await showCards(name, adapter, services);
  deliver(await store.outbox.undelivered(name));
}

async function showCards(name: string, { capabilities }: ChannelAdapter, { store, deliver }: Services): Promise<void> {
  // A chat at this machine gets its cards when somebody opens it.
  if (name === machineChannel) return;
  if (!capabilities.history) deliver(await store.outbox.showCardsAgain(name));
}

/**
 * The host for one session of a channel. Once the session is over (`over` aborts), `receive` rejects, so that the
 * platform delivers the event again, and its reports are ignored.
 */
function hostOf(channel: string, over: AbortSignal, channels: ChannelsContext): ChannelHost {
  const { services, intake, queue, delivery, downtime, listening, leftAt, startLinks, requests, watch } = channels;
  const { store, movedChats, languages, health, clock, log, stopRequested } = services;
  return {
    async receive(event) {
      refuseIf(over);
      return intake.receive(event, channel);
    },
    async moved(from, chatId) {
      refuseIf(over);
      await intake.moved(from, chatId);
    },
    conversations: (most) => store.inbox.latestConversations(channel, most),
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
      if (!isBack) return;
      delivery.revive(channel);
      requests.connected(channel);
      startLinks.tell(channel);
    },
    reportEnd() {
      if (over.aborted) return;
      listening.delete(channel);
      if (listening.size === 0) stopRequested();
    },
    requestStop() {
      if (!over.aborted) stopRequested();
    },
    languageFor(sender) {
      if (sender === undefined) return languages.usual();
      const speaker = { principal: principalOf(channel, sender.id), language: languageOf(sender.language) };
      return languages.of(speaker).language;
    },
    waitingRoom: (sender) => roomOf(sender, channel, channels),
    ownersHere: () =>
      services.owners
        .all()
        .map(partsOf)
        .flatMap((owner) => (owner.channel === channel ? owner.senderId : [])),
    commands: services.menu.map((one) => ({ ...offered(one), suggests: isSuggested(one.name) })),
    suggestions: (conversation, sender, asked) => suggestionsTo(sender, { conversation, ...asked }, channels),
    dataFolder: services.config.data_dir,
    fileNames: async (conversation, sender, folder) =>
      fileNamesIn(services.workspaceOf(conversation, principalOf(channel, sender.id)), folder, services),
    log: log.child({ channel }),
    clock,
  };
}

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
    ...services,
    outbox,
    isBusy,
    get maxMessages() {
      // The last part of a longer text is a file.
      return Math.max(1, settings.maxMessages - 1);
    },
  });
  const isClear = (conversationId: string): boolean => !isBusy(conversationId) && !live.isHolding(conversationId);
  const cards = createToolCards({ ...services, outbox, isClear });
  const delivery = createDelivery({
    ...services,
    outbox,
    files,
    live,
    settings,
    moved,
    commands: new Set(services.menu.map(({ name }) => name)),
    conversationNow: services.movedChats.conversationNow,
    cardRefused: (approvalId) => approvals.cardRefused(approvalId),
    cardShown: (approvalId) => void approvals.cardShown(approvalId),
    chatRefuses(conversationId, reason) {
      approvals.chatRefuses(conversationId, reason);
      ownersChats.refused.tell(conversationId);
    },
    tellOwners: (words, besides) => tellOwners(words, false, besides),
  });
  const marks = createMarks(services);
  const view = createChannelView({
    ...services,
    live,
    cards,
    marks,
    moved,
    get secrets() {
      return setup.now.secrets;
    },
  });
  return { delivery, view, marks, live, cards };
}

/** The parts that what comes in reaches. */
interface IntakeParts {
  readonly queue: RunQueue;
  readonly marks: Marks;
  readonly moved: MoveChat;
  readonly compactor: Compactor;
  readonly notices: StorageNotices;
  readonly requests: RequestDesk;
  readonly features: readonly Feature[];
  readonly reports: Reports;
}

/** Takes what comes in: messages, presses and commands. */
export function makeIntake(services: Services, parts: IntakeParts): Intake {
  const { store, setup, config, rules: access } = services;
  const { queue, marks, moved, requests } = parts;
  const commands = makeCommands(services, parts);
  const groups = createGroupRequests({ ...services, store: store.people, idOf: services.movedChats.idOf });
  return createIntake({
    ...services,
    inbox: store.inbox,
    access,
    commands,
    moved,
    strangers: strangers({ ...services, store: store.people, asked: requests.asked, groups }),
    membershipChanged: groups.changed,
    pressStub: commands.pressStub,
    pressRequest: requests.press,
    idOf: services.movedChats.idOf,
    sort: (message, reader) =>
      sortMessage(message, {
        maxBytes: config.attachments.max_bytes,
        transcribes: setup.now.transcriber !== undefined,
        language: () => reader().language,
      }),
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

function makeCommands(services: Services, { compactor, notices, features, reports }: IntakeParts): ChatCommands {
  const { store } = services;
  const { effects, inbox } = store;
  const runs = withChatModels(services);
  const forModel = { ...services, effects, inbox };
  const forContext = {
    ...services,
    effects,
    compactor,
    loadRun: (conversationId: string) => runs.load(conversationId, services.setup.now.config.agent.context_tokens),
    isKnown: (conversationId: string) => inbox.isKnown(conversationId),
  };
  return createCommands({
    ...services,
    effects,
    inbox,
    notices,
    core: {
      model: (given) => chooseModel(given, forModel),
      context: (given) => showContext(given, forContext),
      compact: (given) => compact(given, forContext),
      language: (given) => chooseLanguage(given, { ...services, effects }),
      timezone: (given) => timeZone(given, { ...services, effects }),
      ...peopleCommands({ ...services, effects, store: store.people }),
    },
    features: {
      commands: features.flatMap(({ commands = [] }) => commands),
      variants: features.flatMap(({ commandVariants = [] }) => commandVariants),
      ofStrangers: features.flatMap(({ strangersCommands = [] }) => strangersCommands),
    },
    reports,
    isToRepeat: (error) =>
      services.ending.aborted || store.state.isAtFault(error) || error instanceof NotStoredYetError,
  });
}
