import { type KeyPath, spellPath } from '../config/config-error.ts';
import type { Origin } from '../engine/message.ts';
import type { ChannelPort, Feature, FeatureCore, PartFault } from '../feature-points.ts';
import { untilAborted } from '../lib/clock.ts';
import { escapeMarkdown, oneLine } from '../lib/plain-text.ts';
import { type Language, type Words, wordsIn } from '../lib/words.ts';
import { extensionWords } from './words.ts';

/** Brings tools or channels of one source while the daemon runs. */
export interface Provider {
  /** Does not wait for slow work. Never rejects: the operator is told of errors. */
  start(): Promise<void>;
  /** Removes what it brought and leaves nothing running. At shutdown, within 2 s. */
  stop(): Promise<void>;
  /** Lines of plain text for owners. */
  troubles(): readonly Words[];
  /** Start it again at each edit of the config: it leaves alone what has not changed. */
  readonly follows?: true;
}

/** A provider that the config names. */
export interface WantedProvider<Made extends Provider> {
  /** Its place in the config. */
  readonly place: KeyPath;
  /** All of the config that it is made of: when that changes, it is made again. */
  readonly madeOf: object;
  make(): Promise<Made>;
}

/** The providers of one feature, as the config wants them. A failure of one affects nothing else. */
export interface Providers<Made extends Provider> {
  running(): readonly Made[];
  start(channels: ChannelPort): Promise<void>;
  /** Ends the providers that the config no longer has unchanged, and starts the missing ones. Does not wait for those. */
  reload(): Promise<void>;
  /** What does not work, once each has started or failed, or the signal aborts. */
  faults(over: AbortSignal): Promise<readonly PartFault[]>;
  /** For `/status` and `/tools`: owners alone are told. */
  readonly reports: Required<Pick<Feature, 'troubles' | 'missingTools'>>;
  stop(): Promise<void>;
}

/** What the config wants now. Code for what is not configured is not loaded. */
type Wants<Made extends Provider> = (channels: ChannelPort) => readonly WantedProvider<Made>[];

interface Running<Made> {
  readonly place: KeyPath;
  readonly provider: Made;
}

interface ProvidersState<Made extends Provider> {
  readonly core: FeatureCore;
  readonly wants: Wants<Made>;
  /** By what they are made of. */
  readonly running: Map<string, Running<Made>>;
  /** The starts that have not ended, by their providers. */
  readonly starting: Map<Made, Promise<void>>;
  port: ChannelPort | undefined;
  /** Serialises edits. */
  settling: Promise<readonly Made[]>;
}

export function createProviders<Made extends Provider>(core: FeatureCore, wants: Wants<Made>): Providers<Made> {
  const state: ProvidersState<Made> = {
    core,
    wants,
    running: new Map(),
    starting: new Map(),
    port: undefined,
    settling: Promise.resolve([]),
  };
  return {
    running: () => runningIn(state),
    start: (channels) => start(channels, state),
    reload: () => reload(state),
    faults: (over) => faults(over, state),
    reports: {
      troubles: async (origin) => troublesFor(origin, state),
      missingTools: (origin) => troublesFor(origin, state),
    },
    stop: () => stop(state),
  };
}

/** What owners read of the troubles of a provider, as markdown. */
export function troubleWords(provider: Provider, language: Language): readonly string[] {
  return provider.troubles().map((trouble) => `⚠️ ${escapeMarkdown(oneLine(wordsIn(language, trouble), 700))}`);
}

function troublesFor<Made extends Provider>(origin: Origin, state: ProvidersState<Made>): readonly string[] {
  const { rules, readers } = state.core;
  if (!rules.isOwner(origin.principal)) return [];
  const { language } = readers.forAnswer(origin);
  return runningIn(state).flatMap((provider) => troubleWords(provider, language));
}

function runningIn<Made extends Provider>({ running }: ProvidersState<Made>): readonly Made[] {
  return [...running.values()].map(({ provider }) => provider);
}

async function start<Made extends Provider>(channels: ChannelPort, state: ProvidersState<Made>): Promise<void> {
  state.port = channels;
  await Promise.all((await settleSoon(state)).map((provider) => begin(provider, state)));
}

async function reload<Made extends Provider>(state: ProvidersState<Made>): Promise<void> {
  // Not awaited: a provider that hangs must not delay the others or further edits.
  for (const provider of await settleSoon(state)) void begin(provider, state);
}

async function faults<Made extends Provider>(
  over: AbortSignal,
  { settling, starting, running }: ProvidersState<Made>,
): Promise<readonly PartFault[]> {
  await untilAborted(Promise.all([settling, ...starting.values()]), over);
  return [...running.values()].flatMap(({ place, provider }) => faultsOf(place, provider, starting.has(provider)));
}

async function stop<Made extends Provider>(state: ProvidersState<Made>): Promise<void> {
  await state.settling;
  await Promise.all(runningIn(state).map((provider) => tell(provider, 'stop', state.core)));
}

function settleSoon<Made extends Provider>(state: ProvidersState<Made>): Promise<readonly Made[]> {
  state.settling = state.settling.then(() =>
    state.port === undefined || state.core.ending.aborted ? [] : settle(state.port, state),
  );
  return state.settling;
}

/** Ends the providers that the config no longer has unchanged, and makes the missing ones. Returns those to start. */
async function settle<Made extends Provider>(
  channels: ChannelPort,
  state: ProvidersState<Made>,
): Promise<readonly Made[]> {
  const { core, running, wants } = state;
  const wanted = new Map(wants(channels).map((one) => [JSON.stringify(one.madeOf), one]));
  const over = [...running].filter(([key]) => !wanted.has(key));
  for (const [key] of over) running.delete(key);
  await Promise.all(over.map(([, { provider }]) => tell(provider, 'stop', core)));
  return (await Promise.all([...wanted].map(([key, one]) => take(key, one, state)))).flat();
}

async function take<Made extends Provider>(
  key: string,
  { place, make }: WantedProvider<Made>,
  { core, running }: ProvidersState<Made>,
): Promise<readonly Made[]> {
  const former = running.get(key)?.provider;
  if (former !== undefined) return former.follows === true ? [former] : [];
  try {
    const provider = await make();
    running.set(key, { place, provider });
    return [provider];
  } catch (error) {
    core.log.error({ err: error }, 'a source of tools could not be made: its tools are missing');
    return [];
  }
}

async function tell(provider: Provider, what: 'start' | 'stop', { log }: FeatureCore): Promise<void> {
  await provider[what]().catch((err: unknown) => log.error({ err }, `a source of tools could not ${what}`));
}

function begin<Made extends Provider>(provider: Made, { core, starting }: ProvidersState<Made>): Promise<void> {
  const started = tell(provider, 'start', core).finally(() => {
    if (starting.get(provider) === started) starting.delete(provider);
  });
  starting.set(provider, started);
  return started;
}

function faultsOf(place: KeyPath, provider: Provider, isStarting: boolean): readonly PartFault[] {
  const found = provider.troubles().map((words) => ({ place, words }));
  if (found.length > 0 || !isStarting) return found;
  return [{ place, words: (language) => extensionWords[language].stillStarting({ place: spellPath(place) }) }];
}
