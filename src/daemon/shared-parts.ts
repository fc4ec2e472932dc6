import { enabledChannels } from '../config/extension-settings.ts';
import { lookAround } from '../config/look-around.ts';
import { type Config, peopleIn } from '../config/schema.ts';
import { builtinNames, offerRulesOf } from '../config/tool-rules.ts';
import { type ChannelAdapter, type Conversation, principalOf } from '../contract.ts';
import { createAccounts, createOwners } from '../conversation/access/access.ts';
import { createAccess } from '../conversation/access/access-rules.ts';
import { createChatSettings } from '../conversation/access/chat-settings.ts';
import { createGroupChoices } from '../conversation/access/group-choices.ts';
import { createLanguages, type NotedLanguage } from '../conversation/access/languages.ts';
import { createMovedChats } from '../conversation/access/moved-chats.ts';
import { createReaders } from '../conversation/access/readers.ts';
import { createTimeZones } from '../conversation/access/time-zones.ts';
import { createHealthBoard } from '../conversation/health/health-board.ts';
import { createOwnersChats } from '../conversation/owners-chats.ts';
import { createApprovals } from '../engine/decide.ts';
import type { Core } from '../engine/feature.ts';
import { createTakeAway, type TakeAway } from '../engine/take-away.ts';
import { Background } from '../lib/background.ts';
import { Live, signal } from '../lib/live.ts';
import { LogThreshold } from '../lib/log.ts';
import { directNetwork } from '../lib/network/network.ts';
import { languageOfLocale } from '../lib/words.ts';
import type { Store } from '../store/index.ts';
import { createTelemetry } from '../telemetry.ts';
import { ownerOf, ownerVariable } from '../tools/guard/process/process-family.ts';
import { processBounds } from '../tools/guard/process/sandbox.ts';
import { type Redactor, redactor } from '../tools/guard/redact/redact.ts';
import { redactedAdapter } from '../tools/guard/redact/redacted-output.ts';
import { workspaceFinder, workspaces } from '../tools/guard/workspace/workspace.ts';
import { createToolRegistry } from '../tools/registry.ts';
import { AnsweredOffers } from './answered-offers.ts';
import { AnsweredTrust } from './answered-trust.ts';
import { AnsweredWebDoor } from './answered-web-door.ts';
import { logEvent } from './event-log.ts';
import { machineChannel, machinePrincipal } from './local-socket/machine.ts';
import { ownerNotices } from './owner-notices.ts';
import type { DaemonOptions, Services, Setup } from './services.ts';
import { boundsSettingsOf, ownPathsOf } from './settings.ts';

/** What is there before the parts that all others share. */
type Given = Pick<
  Services,
  'database' | 'deliver' | 'wake' | 'stop' | 'halt' | 'room' | 'obeyAside' | 'ending' | 'parts' | 'menu'
>;

/** Makes the parts that all others share. They call nothing of `given` while they are made. */
export async function shareParts(options: DaemonOptions, store: Store, given: Given): Promise<Services> {
  const { clock, log, crashPoint } = options;
  const setup = new Live<Setup>(options);
  const config = setup.view((now) => now.config);
  const redactNow = setup.derived(({ secrets }) => redactor(secrets));
  const redact: Redactor = (text) => redactNow()(text);
  const health = createHealthBoard({ clock, log, redact });
  const commonWorkspace = workspaceFinder(() => config.workspace);
  // A fault of a common folder is reported at start, not in the first chat.
  if (!config.workspace.includes('{')) commonWorkspace(anywhere);
  const adapters = new Map([...options.adapters].map(([name, adapter]) => [name, redactedAdapter(adapter, redact)]));
  const base: Base = { options, store, setup, config, adapters };
  const people = await peopleParts(base);
  const conversationParts = await partsOfConversations(base, people);
  const { readers, chats } = conversationParts;
  const reading = {
    readerIn: readers.forConversation,
    readerOf: readers.forAnswer,
    prepareReaders: readers.prepare,
  };
  const { storage, isStored } = { storage: store.state, isStored: store.inbox.isStored };
  const takeAway = createTakeAway({ storage, isStored, adapters, ...reading, clock, log, ending: given.ending });
  const telemetry = createTelemetry(log);
  const { told } = given.database.sql;
  told.listen(telemetry.tell);
  told.onBroken((err) => log.error({ err }, 'what a commit did could not be told'));
  telemetry.listen((event) => logEvent(event, log));
  const core = { clock, log, telemetry, crashPoint, takeAway, ...given, ...reading };
  const ruleOffers = new AnsweredOffers();
  return {
    ...core,
    ...people,
    ...conversationParts,
    ...liveParts(base, given),
    privatePaths: options.privatePaths,
    configDesk: options.configDesk,
    claimCode: options.claimCode,
    startLinkKnown: options.startLinkKnown,
    claimed: options.claimed,
    tools: options.tools,
    stopRequested: options.stopRequested,
    lookup: options.lookup,
    setup,
    config,
    store,
    health,
    adapters,
    redact,
    workspaceOf: (conversation, sender) =>
      (chats.of(conversation)?.workspaceOf ?? commonWorkspace)(conversation, sender),
    logThreshold: options.logThreshold ?? new LogThreshold(config.log.level),
    configState: { fault: undefined },
    revoking: new Set<string>(),
    rightsChanged: signal<void>(),
    heard: signal<string>(),
    timeJumped: signal<number>(),
    muchLoaded: signal<void>(),
    webRoutes: new Map(),
    webFrames: new Map(),
    webDoor: new AnsweredWebDoor(),
    localRequests: new Map(),
    listings: new Map(),
    figures: new Map(),
    trust: new AnsweredTrust(),
    ruleOffers,
    tellOwners: ownerNotices({ ...core, store, ownersChats: people.ownersChats, health }),
    registry: createToolRegistry({
      log,
      clock,
      reserved: builtinNames(config),
      offers: setup.derived((now) => ({ ...offerRulesOf(now.config), ofAgent: (scope) => chats.of(scope)?.only })),
    }),
    environment: { ...options.environment, [ownerVariable]: ownerOf(config.data_dir) },
    workspaceAt: workspaces({ privatePaths: ownPathsOf({ ...options, parts: given.parts }) }),
    approvals: makeApprovals(core, base, people, { redact, ruleOffers }),
  };
}

interface Base {
  readonly options: DaemonOptions;
  readonly store: Store;
  readonly setup: Live<Setup>;
  /** Edited while the process runs. */
  readonly config: Config;
  readonly adapters: Map<string, ChannelAdapter>;
}

type PeopleParts = Pick<Services, 'accounts' | 'owners' | 'ownersChats' | 'paired' | 'movedChats' | 'groupChoices'>;

/** Who people are, and where they are found. */
async function peopleParts({ options, store, setup, config, adapters }: Base): Promise<PeopleParts> {
  const fixedAccounts = setup.derived((now) => peopleIn(now.config).map((person) => person.accounts));
  const accounts = createAccounts(fixedAccounts, await store.links.links());
  const { accountsOf } = accounts;
  const owners = createOwners({
    fixed: () => config.owners,
    local: () => localOwners(adapters),
    user: machinePrincipal,
    claimed: await store.inbox.owners(),
    accountsOf,
  });
  const { clock } = options;
  const ownersChats = createOwnersChats({
    owners,
    accountsOf,
    adapters,
    clock,
    chatsOf: store.lifetime.directChats,
    prepareReaders: store.places.prepare,
  });
  const paired = new Set((await store.people.paired()).map(({ principal }) => principal));
  const movedChats = createMovedChats(await store.inbox.moves());
  const groupChoices = createGroupChoices(await store.people.groups(), movedChats.idOf);
  return { accounts, owners, ownersChats, paired, movedChats, groupChoices };
}

/** People at the machine itself. */
function localOwners(adapters: ReadonlyMap<string, ChannelAdapter>): readonly string[] {
  return [...adapters].flatMap(([name, { localOwner }]: readonly [string, ChannelAdapter]) =>
    localOwner === undefined ? [] : [principalOf(name, localOwner.id)],
  );
}

type ConversationParts = Pick<Services, 'rules' | 'chats' | 'timeZones' | 'languages' | 'readers'>;

/** What holds where, and for whom is written. */
async function partsOfConversations(
  { options, store, setup, config }: Base,
  { accounts: { accountsOf }, owners, paired, movedChats, groupChoices }: PeopleParts,
): Promise<ConversationParts> {
  const { formerChats, idOf } = movedChats;
  const chats = createChatSettings({ config, formerChats });
  const channels = setup.derived((now) => enabledChannels(now.config.channels));
  const rules = createAccess({
    rules: channels,
    owners,
    paired,
    accountsOf,
    formerChats,
    groupChoice: groupChoices.of,
  });
  const people = setup.derived((now) => peopleIn(now.config));
  const timeZones = createTimeZones({
    noted: await store.timeZones.all(),
    accountsOf,
    ofPeople: (of) => people().find((person) => person.accounts.some((account) => of.includes(account)))?.time_zone,
    ofChat: rules.timeZoneIn,
    usual: () => config.tools.schedule.time_zone,
    personIn: (conversation) => store.places.personIn(idOf(conversation)),
  });
  const languages = createLanguages({
    noted: await store.languages.all(),
    accountsOf,
    configured: () => config.language,
    machine: languageOfLocale(options.environment),
    personIn: (conversation) => {
      const id = idOf(conversation);
      return store.places.personIn(id) ?? store.places.firstIn(id);
    },
    note: languageNotes(store, options),
  });
  return {
    rules,
    chats,
    timeZones,
    languages,
    readers: createReaders({ timeZones, languages, places: store.places }),
  };
}

/** Stores what people write in, without waiting. */
function languageNotes({ languages }: Store, { clock, log }: Pick<Services, 'clock' | 'log'>) {
  const background = new Background(log);
  return (noted: NotedLanguage): void =>
    background.run('the language of a person could not be stored', () => languages.note(noted, clock.now()));
}

type LiveParts = Pick<Services, 'settings' | 'lookAround' | 'models' | 'network' | 'sandbox' | 'bounds'>;

/** Views of the setup, which is edited while the process runs. */
function liveParts({ options, setup }: Base, { parts }: Given): LiveParts {
  const { privatePaths, environment } = options;
  return {
    settings: (own) => setup.view((now) => own.read(now.config)),
    lookAround: (edited) => lookAround(edited, environment, parts),
    models: setup.view((now) => now.models),
    network: setup.view((now) => now.network ?? directNetwork),
    sandbox: setup.view((now) => now.sandbox),
    bounds: processBounds(
      setup.view(({ sandbox, shell, network, config }) => ({
        sandbox,
        shell,
        network,
        ...boundsSettingsOf({ config, privatePaths, parts }),
      })),
    ),
  };
}

function makeApprovals(
  core: Core & { readonly takeAway: TakeAway },
  { store, setup, config, adapters }: Base,
  { owners, accounts }: PeopleParts,
  { redact, ruleOffers }: Pick<Services, 'redact' | 'ruleOffers'>,
): Services['approvals'] {
  return createApprovals(core, {
    store: store.approvals,
    redact,
    ruleOffers,
    accountsOf: accounts.accountsOf,
    settings: setup.view(({ config: { approval, budget } }) => ({
      timeout: approval.timeout_secs * 1000,
      extensionTimeout: budget.ask_timeout_secs * 1000,
      window: approval.window_secs * 1000,
      forwardTo: approval.forward_to,
    })),
    approvers: () => {
      // What somebody began at this machine waits for them there, though they have closed their chat.
      const all = [...owners.all(), machinePrincipal];
      const named = config.approval.approvers.flatMap((id) => (id === 'owner' ? all : [id]));
      return [...new Set(named)].flatMap(accounts.accountsOf);
    },
    // A channel of a plugin that is down comes back.
    isReachable: ({ channel }) => adapters.has(channel) || enabledChannels(config.channels).has(channel),
    isOpenedLater: ({ channel }) => channel === machineChannel,
  });
}

/** A placeholder for checking a folder that all conversations share. */
export const anywhere: Conversation = { channel: 'any', chatId: 'any', kind: 'direct' };
