import { join } from 'node:path';
import { enabledChannels } from '../config/extension-settings.ts';
import { peopleIn } from '../config/schema.ts';
import { builtinNames, offerRulesOf } from '../config/tool-rules.ts';
import { type ChannelAdapter, type Conversation, principalOf } from '../contract.ts';
import { createAccess, createAccounts, createMovedChats, createOwners } from '../conversation/access/access.ts';
import { chatMover } from '../conversation/access/chat-moves.ts';
import { createChatSettings } from '../conversation/access/chat-settings.ts';
import { createLanguages, type NotedLanguage } from '../conversation/access/languages.ts';
import { createReaders } from '../conversation/access/readers.ts';
import { createTimeZones } from '../conversation/access/time-zones.ts';
import { createHealthBoard } from '../conversation/health/channel-watch.ts';
import { createDowntime } from '../conversation/health/downtime.ts';
import { createStorageNotices } from '../conversation/health/storage.ts';
import { createOwnersChats } from '../conversation/owners-chats.ts';
import { createModelWaits } from '../engine/ask.ts';
import { createApprovals } from '../engine/decide.ts';
import { createTakeAway } from '../engine/take-away.ts';
import type { ChannelPort, Feature } from '../feature-points.ts';
import { features as allFeatures } from '../features/index.ts';
import { Background } from '../lib/background.ts';
import { endsWithin, watchForJumps } from '../lib/clock.ts';
import { Live, signal } from '../lib/live.ts';
import { directNetwork } from '../lib/network/network.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { languageOfLocale } from '../lib/words.ts';
import { lockData } from '../store/examine.ts';
import { asStoreError, openStore, type Store } from '../store/index.ts';
import { openProcessNote, type ProcessNote } from '../store/process-note.ts';
import { createFileWatch } from '../tools/file-watch.ts';
import { endLeftCommands, ownerOf, ownerVariable } from '../tools/guard/process/process-family.ts';
import { processBounds } from '../tools/guard/process/sandbox.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { workspaceFinder, workspaces } from '../tools/guard/workspace/workspace.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { type ChannelEdit, createChannels, makeDelivery, makeIntake } from './channels.ts';
import { createEditOutcomes } from './edit-outcome.ts';
import { modelNotices, ownerNotices, readThrough } from './owner-notices.ts';
import { makeRuns } from './runs.ts';
import type { DaemonOptions, Services, Setup } from './services.ts';
import { boundsSettingsOf, ownPathsOf } from './settings.ts';
import { makeTools } from './tools.ts';

export interface Daemon {
  /** Whether it still has no owner, who must claim it with the code. */
  readonly isUnclaimed: boolean;
  /** The number of people let in with a code, at start. */
  readonly letIn: number;
  /**
   * Applies an edit of the config: starts, changes or ends only what it affects. Call after `start`, one edit at a
   * time. Owners are told of a part that cannot follow; the rest goes on.
   */
  edited(next: Setup, channels: ChannelEdit): Promise<void>;
  /** Sends a notice to each owner in their direct chat. */
  tellOwners(markdown: string): void;
  /** Sets or clears (undefined) the fault of the config's file. Owners are told of each change. */
  configFault(words: string | undefined): void;
  /** Whether a run is being worked on. Runs that wait for a person are not. */
  isWorking(): boolean;
  /** Calls back each time that the last run has come to rest. */
  onRest(listener: () => void): void;
  /** Starts receiving, and continues the work of the previous process. */
  start(): Promise<void>;
  /** Notes at once that the process was told to end: if it is killed before it has ended, its work is not to blame. */
  toldToEnd(): void;
  /**
   * Ends within 2.5 s after the tools, which have their own time; `toolsEnded` is called then. Intake and sends end at
   * once.
   */
  stop(toolsEnded?: () => void): Promise<void>;
}

/** Opens the data and composes the parts. Throws `DataLockedError`, `StoreError` or `WorkspaceFolderError`. */
export async function createDaemon(options: DaemonOptions): Promise<Daemon> {
  const unlock = lockData(options.config.data_dir);
  const file = join(options.config.data_dir, 'keyturn.db');
  let store: Store | undefined;
  try {
    store = openStore(file);
    const daemon = await compose(options, store, { note: openProcessNote(options.config.data_dir), unlock });
    return { ...daemon, start: () => daemon.start().catch((error) => Promise.reject(asStoreError(error, file))) };
  } catch (error) {
    await store?.close();
    unlock();
    throw asStoreError(error, file);
  }
}

async function compose(
  options: DaemonOptions,
  store: Store,
  { note, unlock }: { readonly note: ProcessNote; readonly unlock: () => void },
): Promise<Daemon> {
  const { clock, log, toolGrace = 2_500 } = options;
  const ending = new AbortController();
  // They call each other in circles.
  const circles = {
    deliver: (conversationIds: readonly string[]) => delivery.wake(conversationIds),
    wake: (conversationIds: readonly string[]) => queue.wake(conversationIds),
    stop: (conversationId: string) => queue.stop(conversationId),
    halt: (conversationIds: readonly string[]) => queue.halt(conversationIds),
  };
  const services = await shareParts(options, store, { ...circles, ending: ending.signal });
  const { setup, config, configState, owners, paired, adapters, rules, approvals, registry, bounds } = services;
  const { rightsChanged, timeJumped, tellOwners, redact, deliver } = services;
  const moved = chatMover({ ...services, inbox: store.inbox });
  const { delivery, view, marks, live, cards } = makeDelivery(services, moved);
  timeJumped.listen(() => void approvals.lookAgain());
  rightsChanged.listen(approvals.followSoon);
  const notices = createStorageNotices({ ...services, storage: store.state });
  const features = await Promise.all(allFeatures.map(async (load) => (await load()).make(services)));
  for (const [name, adapter] of features.flatMap(({ channels = [] }) => channels))
    adapters.set(name, redactedAdapter(adapter, redact));
  const starting = featureStart(features, services);
  const { runner, renew: renewTools } = await makeTools(services, { delivery, features });
  const modelWaits = createModelWaits(services, store.attempts, () => config.agent.wait_for_model_secs * 1000);
  const fileWatch = createFileWatch(store.fileLabels);
  const work = { view, runner, features, modelWaits, fileWatch, ready: starting.ready };
  const { queue, compactor } = makeRuns(services, work);
  const intake = makeIntake(services, { queue, runner, marks, moved, compactor, notices, features });
  const downtime = createDowntime({ ...services, store: store.lifetime, noted: notices.learn });
  const channels = createChannels(services, { intake, queue, delivery, downtime });
  const outcomesOfEdits = createEditOutcomes(services, features);
  const followModels = modelNotices(services);
  /** What goes on beside the work, and ends with the process. */
  const beside: Promise<void>[] = [];
  let unwatch = (): void => {};

  /** Drops the codes of people whom the config lets in now, or all if pairing is off. */
  async function endCodes(): Promise<void> {
    const holders = await store.people.codeHolders(clock.now());
    const ended = holders.filter(({ principal }) => !config.pairing.enabled || rules.mayTalk(principal));
    if (ended.length > 0) await store.people.dropCodes(ended.map(({ principal }) => principal));
  }

  async function edited(next: Setup, edit: ChannelEdit): Promise<void> {
    const { config: from, warnings: former = [] } = setup.now;
    const warnings = next.warnings?.filter((warning) => !former.includes(warning));
    const change = { from, to: next.config, warnings };
    setup.replace(next);
    followModels();
    // The new rules hold from here on; each part applies them in turn.
    await renewTools();
    rightsChanged.tell();
    const outcomes = await Promise.allSettled([
      endCodes(),
      approvals.lookAgain(),
      channels.edited(edit),
      ...features.map((feature) => feature.reload?.(change)),
    ]);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') {
        const why = outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason);
        log.error({ err: outcome.reason }, 'a part could not follow the config');
        tellOwners(`⚠️ A part of your edit could not be started. ${escapeMarkdown(redact(why))}`);
      }
    outcomesOfEdits.begin(change, [...edit.made.keys(), ...channels.plugged()]);
    // Once the channels are those of the new config.
    approvals.followSoon();
    void registry.learn(ending.signal);
  }

  return {
    isUnclaimed: owners.isUnclaimed(),
    letIn: paired.size,
    edited,
    tellOwners,
    configFault(words) {
      const before = configState.fault;
      configState.fault = words;
      if (words === before) return;
      const lines = words?.split('\n').map((line) => escapeMarkdown(line));
      tellOwners(lines === undefined ? '✅ The config file is in order again.' : `⚠️ ${lines.join('\n\n')}`);
    },
    isWorking: queue.isWorking,
    onRest: (listener) => void queue.rested.listen(listener),
    async start() {
      await endLeftCommands(ownerOf(config.data_dir), clock, log);
      // Before new events can come in: find unfinished work, and continue it once it can be shown.
      const { lastCause } = note;
      if (lastCause !== undefined)
        log.info({ cause: lastCause }, 'the last process was killed for a cause from outside');
      const recovering = delivery.recover(lastCause === undefined);
      const [{ undelivered, previews }] = await Promise.all([recovering, downtime.begin()]);
      live.adopt(previews);
      if (lastCause !== undefined) await store.attempts.leave();
      queue.suspect(await store.attempts.recover());
      note.begin();
      await fileWatch.recover();
      await notices.learn();
      const unfinished = await store.inbox.unfinished();
      await endCodes();
      followModels();
      beside.push(registry.learn(ending.signal));
      await channels.start();
      starting.begin(channels);
      deliver(undelivered);
      await approvals.recover();
      await modelWaits.begin();
      beside.push(queue.takeUp(unfinished), live.endLeft(queue.whenIdle, ending.signal));
      channels.watch.begin();
      beside.push(readThrough(store, services));
      downtime.tell();
      unwatch = watchForJumps(clock, (by) => {
        log.info({ by }, 'the time has jumped');
        timeJumped.tell(by);
        if (by < 0) channels.watch.clockSet();
      });
    },
    toldToEnd: () => note.toldToEnd(),
    async stop(toolsEnded) {
      note.toldToEnd();
      ending.abort();
      store.hurry();
      unwatch();
      modelWaits.stop();
      approvals.endQuestions();
      // Messages that arrive while tools end are stored, and answered by the next process.
      await Promise.all([queue.end(toolGrace).then(toolsEnded), channels.watch.stop(), delivery.stop()]);
      await Promise.all(features.map((feature) => feature.stop?.()));
      await Promise.all([approvals.stop(), cards.stop(), bounds.stop(), ...beside]);
      await Promise.all([marks.stop(), downtime.stop(), notices.stop(), outcomesOfEdits.settled()]);
      await store.attempts
        .leave()
        .then(note.ended)
        .catch((error: unknown) => log.warn({ err: error }, 'the end could not be stored; the next start does that'));
      await store.close();
      unlock();
    },
  };
}

/** Makes the parts that all others share. They call nothing of `given` while they are made. */
async function shareParts(
  options: DaemonOptions,
  store: Store,
  given: Pick<Services, 'deliver' | 'wake' | 'stop' | 'halt' | 'ending'>,
): Promise<Services> {
  const { clock, log, crashPoint, privatePaths, claimCode, tools, stopRequested, lookup } = options;
  const setup = new Live<Setup>(options);
  const config = setup.view((now) => now.config);
  const redactNow = setup.derived(({ secrets }) => redactor(secrets));
  const redact: Redactor = (text) => redactNow()(text);
  const health = createHealthBoard({ clock, log, redact });
  const fixedAccounts = setup.derived((now) => peopleIn(now.config).map((person) => person.accounts));
  const accounts = createAccounts(fixedAccounts, await store.links.links());
  const commonWorkspace = workspaceFinder(() => config.workspace);
  // A fault of a common folder is reported at start, not in the first chat.
  if (!config.workspace.includes('{')) commonWorkspace(anywhere);
  const adapters = new Map([...options.adapters].map(([name, adapter]) => [name, redactedAdapter(adapter, redact)]));
  const owners = createOwners({
    fixed: () => config.owners,
    local: () => localOwners(adapters),
    claimed: await store.inbox.owners(),
    accountsOf: accounts.accountsOf,
  });
  const ownersChats = createOwnersChats({
    ...{ owners, accountsOf: accounts.accountsOf, adapters, clock },
    chatsOf: store.lifetime.directChats,
  });
  const paired = new Set((await store.people.paired()).map(({ principal }) => principal));
  const movedChats = createMovedChats(await store.inbox.moves());
  const chats = createChatSettings({ config, formerChats: movedChats.formerChats });
  const workspaceOf: Services['workspaceOf'] = (conversation, sender) =>
    (chats.of(conversation)?.workspaceOf ?? commonWorkspace)(conversation, sender);
  const rules = createAccess({
    rules: setup.derived((now) => enabledChannels(now.config.channels)),
    ...{ owners, paired, accountsOf: accounts.accountsOf },
    formerChats: movedChats.formerChats,
  });
  const people = setup.derived((now) => peopleIn(now.config));
  const timeZones = createTimeZones({
    noted: await store.timeZones.all(),
    accountsOf: accounts.accountsOf,
    ofPeople: (of) => people().find((person) => person.accounts.some((account) => of.includes(account)))?.time_zone,
    ofChat: rules.timeZoneIn,
    usual: () => config.tools.schedule.time_zone,
    personIn: (conversation) => store.timeZones.personIn(movedChats.idOf(conversation)),
  });
  const languages = createLanguages({
    noted: await store.languages.all(),
    accountsOf: accounts.accountsOf,
    configured: () => config.language,
    machine: languageOfLocale(options.environment),
    personIn: (conversation) => {
      const id = movedChats.idOf(conversation);
      return store.timeZones.personIn(id) ?? store.languages.firstIn(id);
    },
    note: languageNotes(store, options),
  });
  const readers = createReaders({ timeZones, languages, placeOf: store.inbox.placeOf });
  const reading = { readerIn: readers.forPlace, readerOf: readers.forAnswer };
  const { isStored } = store.inbox;
  const { ending } = given;
  const takeAway = createTakeAway({ storage: store.state, isStored, adapters, ...reading, clock, log, ending });
  const core = { clock, log, crashPoint, takeAway, ...given, ...reading };
  return {
    ...{ ...core, privatePaths, claimCode, tools, stopRequested, lookup },
    ...{ setup, config, store, health, accounts, owners, paired, movedChats, adapters, workspaceOf, redact },
    ...{ rules, timeZones, languages, readers, chats },
    configState: { fault: undefined },
    revoking: new Set<string>(),
    speechNow: () => setup.now.speech,
    models: setup.view((now) => now.models),
    network: setup.view((now) => now.network ?? directNetwork),
    sandbox: setup.view((now) => now.sandbox),
    rightsChanged: signal<void>(),
    heard: signal<string>(),
    timeJumped: signal<number>(),
    webRoutes: new Map(),
    ownersChats,
    tellOwners: ownerNotices({ ...core, store, ownersChats, health }),
    registry: createToolRegistry({
      ...{ log, clock, reserved: builtinNames(config) },
      offers: setup.derived((now) => ({ ...offerRulesOf(now.config), ofAgent: (scope) => chats.of(scope)?.only })),
    }),
    environment: { ...options.environment, [ownerVariable]: ownerOf(config.data_dir) },
    bounds: processBounds(
      setup.view(({ sandbox, shell, network, config: now }) => ({
        ...{ sandbox, shell, network },
        ...boundsSettingsOf(now, privatePaths),
      })),
    ),
    workspaceAt: workspaces({ privatePaths: ownPathsOf(options) }),
    approvals: createApprovals(core, {
      ...{ store: store.approvals, redact },
      settings: setup.view(({ config: { approval, budget } }) => ({
        timeout: approval.timeout_secs * 1000,
        extensionTimeout: budget.ask_timeout_secs * 1000,
        window: approval.window_secs * 1000,
        forwardTo: approval.forward_to,
      })),
      approvers: () => {
        const named = config.approval.approvers.flatMap((id) => (id === 'owner' ? owners.all() : [id]));
        return [...new Set(named)].flatMap(accounts.accountsOf);
      },
      // A channel of a plugin that is down comes back.
      isReachable: ({ channel }) => adapters.has(channel) || enabledChannels(config.channels).has(channel),
    }),
  };
}

/** Stores what people write in, without waiting. */
function languageNotes({ languages }: Store, { clock, log }: Pick<Services, 'clock' | 'log'>) {
  const background = new Background(log);
  return (noted: NotedLanguage): void =>
    background.run('the language of a person could not be stored', () => languages.note(noted, clock.now()));
}

/** A placeholder for checking a folder that all conversations share. */
export const anywhere: Conversation = { channel: 'any', chatId: 'any', kind: 'direct' };

/** People at the machine itself. */
function localOwners(adapters: ReadonlyMap<string, ChannelAdapter>): readonly string[] {
  return [...adapters].flatMap(([name, { localOwner }]: readonly [string, ChannelAdapter]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
}

/** How long runs wait for the features to start, in ms. */
const longestWait = 2_000;

function featureStart(features: readonly Feature[], { clock, log, ending }: Services) {
  const begun = Promise.withResolvers<void>();
  ending.addEventListener('abort', () => begun.resolve(), { once: true });
  return {
    /** Resolves when runs need not wait any longer. */
    ready: begun.promise,
    /** Does not wait. */
    begin(channels: ChannelPort): void {
      const starts = features.map(async (feature) => {
        await feature.start?.(channels).catch((err: unknown) => log.error({ err }, 'a feature could not begin'));
      });
      void endsWithin(Promise.all(starts), { clock, milliseconds: longestWait, signal: ending }).then(() =>
        begun.resolve(),
      );
    },
  };
}
