import { join } from 'node:path';
import { enabledChannels } from '../config/extension-settings.ts';
import { lookAround } from '../config/look-around.ts';
import { peopleIn } from '../config/schema.ts';
import { builtinNames, offerRulesOf } from '../config/tool-rules.ts';
import { type ChannelAdapter, type Conversation, principalOf } from '../contract.ts';
import { createAccounts, createOwners } from '../conversation/access/access.ts';
import { createAccess } from '../conversation/access/access-rules.ts';
import { chatMover } from '../conversation/access/chat-moves.ts';
import { createChatSettings } from '../conversation/access/chat-settings.ts';
import { createLanguages, type NotedLanguage } from '../conversation/access/languages.ts';
import { createMovedChats } from '../conversation/access/moved-chats.ts';
import { createReaders } from '../conversation/access/readers.ts';
import { createTimeZones } from '../conversation/access/time-zones.ts';
import { createDowntime } from '../conversation/health/downtime.ts';
import { createHealthBoard } from '../conversation/health/health-board.ts';
import { createStorageNotices } from '../conversation/health/storage.ts';
import { createOwnersChats } from '../conversation/owners-chats.ts';
import { createModelWaits } from '../engine/ask.ts';
import { createApprovals } from '../engine/decide.ts';
import { createTakeAway } from '../engine/take-away.ts';
import type { FeatureDefinition } from '../feature-points.ts';
import { Background } from '../lib/background.ts';
import { Live, signal } from '../lib/live.ts';
import { directNetwork } from '../lib/network/network.ts';
import { escapeMarkdown } from '../lib/plain-text.ts';
import { languageOfLocale, type Words, wordsIn } from '../lib/words.ts';
import type { Database } from '../store/database.ts';
import { lockData } from '../store/examine.ts';
import { type Store, storeOf } from '../store/index.ts';
import { logLeftFeatures } from '../store/left-tables.ts';
import { asStoreError, openDatabase } from '../store/open.ts';
import { openProcessNote, type ProcessNote } from '../store/process-note.ts';
import { createFileWatch } from '../tools/file-watch.ts';
import { ownerOf, ownerVariable } from '../tools/guard/process/process-family.ts';
import { processBounds } from '../tools/guard/process/sandbox.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { workspaceFinder, workspaces } from '../tools/guard/workspace/workspace.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { type ChannelEdit, createChannels, makeDelivery, makeIntake } from './channels.ts';
import { commandMenu, loadFeatures } from './command-menu.ts';
import { createEditOutcomes } from './edit-outcome.ts';
import { applyEdit, type DaemonParts, featureStart, startDaemon, stopDaemon } from './lifecycle.ts';
import { modelNotices, ownerNotices } from './owner-notices.ts';
import { makeRuns } from './runs.ts';
import type { DaemonOptions, Services, Setup } from './services.ts';
import { boundsSettingsOf, ownPathsOf } from './settings.ts';
import { makeTools } from './tools.ts';
import { daemonWords } from './words.ts';

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
  tellOwners(markdown: Words): void;
  /** Sets or clears (undefined) the fault of the config's file. Owners are told of each change. */
  configFault(words: Words | undefined): void;
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
  const definitions = await loadFeatures();
  const refusal = (error: unknown): unknown => asStoreError(error, file, definitions);
  const unlock = lockData(options.config.data_dir);
  const file = join(options.config.data_dir, 'keyturn.db');
  let database: Database | undefined;
  try {
    database = openDatabase(file, definitions);
    logLeftFeatures(database.sql, definitions, options.log);
    const note = openProcessNote(options.config.data_dir);
    const daemon = await compose(options, database, { definitions, note, unlock });
    return { ...daemon, start: () => daemon.start().catch((error) => Promise.reject(refusal(error))) };
  } catch (error) {
    await database?.close();
    unlock();
    throw refusal(error);
  }
}

interface Opened {
  readonly definitions: readonly FeatureDefinition[];
  readonly note: ProcessNote;
  readonly unlock: () => void;
}

async function compose(options: DaemonOptions, database: Database, opened: Opened): Promise<Daemon> {
  const { note, unlock } = opened;
  const parts = await makeParts(options, database, opened);
  const { services, queue } = parts;
  const { tellOwners } = services;
  let unwatch = (): void => {};
  return {
    isUnclaimed: services.owners.isUnclaimed(),
    letIn: services.paired.size,
    edited: (next, edit) => applyEdit(next, edit, parts),
    tellOwners,
    configFault: (words) => noteConfigFault(words, services),
    isWorking: queue.isWorking,
    onRest: (listener) => void queue.rested.listen(listener),
    async start() {
      unwatch = await startDaemon(parts);
    },
    toldToEnd: () => note.toldToEnd(),
    async stop(toolsEnded) {
      unwatch();
      await stopDaemon(parts, { toolGrace: options.toolGrace ?? 2_500, toolsEnded });
      unlock();
    },
  };
}

async function makeParts(
  options: DaemonOptions,
  database: Database,
  { definitions, note }: Opened,
): Promise<DaemonParts> {
  const ending = new AbortController();
  const store = storeOf(database, options.config.data_dir);
  // They call each other in circles.
  const circles = {
    deliver: (conversationIds: readonly string[]) => delivery.wake(conversationIds),
    wake: (conversationIds: readonly string[]) => queue.wake(conversationIds),
    stop: (conversationId: string) => queue.stop(conversationId),
    halt: (conversationIds: readonly string[]) => queue.halt(conversationIds),
  };
  const parts = definitions.flatMap(({ settings = [] }) => settings);
  const menu = commandMenu(definitions);
  const services = await shareParts(options, store, { ...circles, database, ending: ending.signal, parts, menu });
  const { config, adapters, approvals, rightsChanged, timeJumped, redact } = services;
  const moved = chatMover({ ...services, inbox: store.inbox });
  const { delivery, view, marks, live, cards } = makeDelivery(services, moved);
  timeJumped.listen(() => void approvals.lookAgain());
  rightsChanged.listen(approvals.followSoon);
  const notices = createStorageNotices({ ...services, storage: store.state });
  const features = await Promise.all(definitions.map((definition) => definition.make(services)));
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
  const made = { services, note, features, starting, delivery, live, cards, marks, queue, modelWaits, fileWatch };
  const around = { downtime, notices, channels, outcomesOfEdits, renewTools, followModels: modelNotices(services) };
  return { ...made, ...around, ending, beside: [] };
}

function noteConfigFault(words: Words | undefined, { configState, tellOwners }: Services): void {
  const [before, now] = [configState.fault, words].map((one) => one && wordsIn('en', one));
  configState.fault = words;
  if (now === before) return;
  tellOwners((language) => {
    if (words === undefined) return daemonWords[language].configInOrder;
    const lines = wordsIn(language, words)
      .split('\n')
      .map((line) => escapeMarkdown(line));
    return `⚠️ ${lines.join('\n\n')}`;
  });
}

/** Makes the parts that all others share. They call nothing of `given` while they are made. */
async function shareParts(
  options: DaemonOptions,
  store: Store,
  given: Pick<Services, 'database' | 'deliver' | 'wake' | 'stop' | 'halt' | 'ending' | 'parts' | 'menu'>,
): Promise<Services> {
  const { clock, log, crashPoint, privatePaths, claimCode, tools, stopRequested, lookup } = options;
  const setup = new Live<Setup>(options);
  const config = setup.view((now) => now.config);
  const { parts } = given;
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
    settings: (own) => setup.view((now) => own.read(now.config)),
    lookAround: (edited) => lookAround(edited, options.environment, parts),
    configState: { fault: undefined },
    revoking: new Set<string>(),
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
        ...boundsSettingsOf({ config: now, privatePaths, parts }),
      })),
    ),
    workspaceAt: workspaces({ privatePaths: ownPathsOf({ ...options, parts }) }),
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
