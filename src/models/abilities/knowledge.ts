/*
 * What is known of a model while the process runs: from the config, from its server, and from its answers. The server is asked
 * beside the work: only before it was ever heard, the first request waits for it, since that may be far too long for it. It is
 * asked again after it was gone, since it may have come back with another model; when it has loaded the model; and at times.
 * The config counts more than all of it.
 */

import { isDeepStrictEqual } from 'node:util';
import { Background } from '../../lib/background.ts';
import { type Clock, endsWithin } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { fetchedRequests, type Sender } from '../../lib/network/fetched-requests.ts';
import { createKeptRequests } from '../../lib/network/kept-requests.ts';
import type { Network } from '../../lib/network/network.ts';
import type { InLanguage } from '../../lib/words.ts';
import {
  type LanguageModel,
  type ModelAbilities,
  type ModelAnswer,
  type ModelDescription,
  ModelError,
  type ModelEvent,
  type ModelProvider,
  type ModelRequest,
} from '../language-model.ts';
import { modelWords, type ToolLack } from '../words.ts';
import { askServer } from './ask-server.ts';
import { createToolWatch, type ToolWatch } from './ignored-tools.ts';
import type { Told } from './told.ts';

export interface Knowledge {
  /** Asks the server if it is time for that. Returns at once. */
  readonly look: () => void;
  /** Asks the server if it is time for that, and waits for a first answer: see `LanguageModel`. */
  readonly ready: (signal: AbortSignal) => Promise<void>;
  /** Asks the server again, if it has said something or was not there. Returns at once. */
  readonly lookAgain: () => void;
  readonly abilities: () => ModelAbilities;
  readonly seesImages: () => boolean;
  /** Whether the next request must describe its tools in text. */
  readonly callsInText: () => boolean;
  /** The server refuses tools. Returns whether they can go in text instead. */
  readonly refusesTools: () => boolean;
  /** The events of an answer, from which it learns. */
  readonly heard: (request: ModelRequest, events: ReturnType<LanguageModel['stream']>) => AsyncIterable<ModelEvent>;
}

interface KnowledgeParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly network: Network;
  /** Tells the owners, in plain text. */
  readonly tell: (words: InLanguage) => void;
}

/** What was learned; changes. */
interface Learned {
  /** Undefined until its server has answered. */
  told: Told | undefined;
  /** The window that a refusal has named. */
  refused: number | undefined;
  refusedAt: number;
  /** The window to which its server cuts requests without a word. */
  cut: number | undefined;
  lack: Exclude<ToolLack, { from: 'server' }> | undefined;
}

interface KnowledgeState extends KnowledgeParts {
  readonly description: ModelDescription;
  readonly learned: Learned;
  /** The causes that were told. */
  readonly warned: Set<ToolLack['from']>;
  readonly background: Background;
  watch: ToolWatch;
  /** When to ask at the next look; undefined: not until something happens. */
  dueAt: number | undefined;
  asking: Promise<void> | undefined;
  /** The server is too slow: no request waits for what it says. */
  isSlow: boolean;
  /** The server was gone, or has not answered yet. */
  isStale: boolean;
  hasAskedLoaded: boolean;
}

export function createKnowledge(description: ModelDescription, parts: KnowledgeParts): Knowledge {
  const { provider, toolCalls = 'auto', contextTokens, seesImages } = description;
  const learned: Learned = { told: undefined, refused: undefined, refusedAt: 0, cut: undefined, lack: undefined };
  const { clock, log, network, tell } = parts;
  const state: KnowledgeState = {
    clock,
    log,
    network,
    tell,
    description,
    learned,
    warned: new Set(),
    background: new Background(log),
    watch: createToolWatch(),
    dueAt: isAsked(description) ? Number.NEGATIVE_INFINITY : undefined,
    asking: undefined,
    isSlow: false,
    isStale: false,
    hasAskedLoaded: false,
  };
  return {
    look: () => look(state),
    ready: (signal) => ready(signal, state),
    callsInText: () => callsInText(state),
    heard: (request, events) => heard(request, events, state),
    lookAgain() {
      if (state.asking !== undefined || (learned.told === undefined ? !state.isStale : isEmpty(learned.told))) return;
      state.isStale = true;
      ask(state);
    },
    abilities: () => ({
      ...windowOf(contextTokens, learned),
      ...toolsOf(toolCalls, learned),
      ...imagesOf(seesImages, learned),
    }),
    seesImages: () => seesImages ?? learned.told?.images ?? provider !== 'openai_compatible',
    refusesTools() {
      lacks({ from: 'refusal' }, state);
      return toolCalls === 'auto';
    },
  };
}

function look(state: KnowledgeState): void {
  const { learned, clock, dueAt } = state;
  if (tellsNothing(learned) && clock.now() - learned.refusedAt > validity) learned.refused = undefined;
  if (dueAt !== undefined && clock.now() >= dueAt) ask(state);
}

/** Returns at once. */
function ask(state: KnowledgeState): void {
  if (state.asking !== undefined || !isAsked(state.description)) return;
  state.dueAt = undefined;
  const wasGone = state.isStale;
  state.isStale = false;
  const asked = askNow(wasGone, state).finally(() => {
    state.asking = undefined;
  });
  state.asking = asked;
  state.background.run('a model server could not be asked what it can', () => asked);
}

async function ready(signal: AbortSignal, state: KnowledgeState): Promise<void> {
  look(state);
  if (state.asking === undefined || state.learned.told !== undefined || state.isSlow) return;
  const isOver = await endsWithin(state.asking, { clock: state.clock, milliseconds: longestWait, signal });
  state.isSlow = !isOver && !signal.aborted;
}

async function askNow(wasGone: boolean, state: KnowledgeState): Promise<void> {
  const { description, clock, network } = state;
  const { name, baseUrl = '' } = description;
  const told = await withRequests(baseUrl, network, (requests) =>
    askServer({ name, baseUrl, headers: headersOf(description), requests, clock }),
  );
  if (told === 'later') {
    state.isStale = true;
    state.dueAt = clock.now() + pauseAfterFailure;
    return;
  }
  learn(told, wasGone, state);
}

/** Not with `fetch` unless a proxy needs it: Node loads that when it is first called, 30 ms and 6 MB. */
async function withRequests<Result>(
  baseUrl: string,
  network: Network,
  work: (requests: Sender) => Promise<Result>,
): Promise<Result> {
  const url = URL.parse(baseUrl);
  if (url !== null && network.proxyFor(url) !== undefined) return work(fetchedRequests(network.fetch));
  const requests = createKeptRequests(network);
  try {
    return await work(requests);
  } finally {
    requests.close();
  }
}

function learn(told: Told, wasGone: boolean, state: KnowledgeState): void {
  const { learned, description, clock, log } = state;
  const isNew = !isDeepStrictEqual(told, learned.told);
  if (wasGone || (isNew && learned.told !== undefined)) {
    learned.refused = undefined;
    learned.cut = undefined;
    learned.lack = undefined;
    state.watch = createToolWatch();
    state.hasAskedLoaded = false;
  }
  learned.told = told;
  if (isEmpty(told)) return;
  state.dueAt = clock.now() + validity;
  if (isNew) log.info({ model: description.key, ...told }, 'the server of a model says what it can');
  if (told.tools === false) warn({ from: 'server' }, state);
}

/** Once for each cause. */
function warn(lack: ToolLack, { description, warned, learned, log, tell }: KnowledgeState): void {
  const { key: modelKey, name: modelName, toolCalls = 'auto' } = description;
  if (toolCalls === 'text' || warned.has(lack.from)) return;
  warned.add(lack.from);
  const values = { modelKey, modelName, server: learned.told?.server, lack, isAuto: toolCalls === 'auto' };
  const words: InLanguage = (language) => modelWords[language].lacksTools(values);
  log.warn({ model: modelKey, from: lack.from, toolCalls }, words('en'));
  tell(words);
}

function lacks(lack: Exclude<ToolLack, { from: 'server' }>, state: KnowledgeState): void {
  state.learned.lack = lack;
  warn(lack, state);
}

function answered(request: ModelRequest, answer: ModelAnswer, wasNative: boolean, state: KnowledgeState): void {
  const { learned, description, log } = state;
  // A gateway may count the messages alone, for a server that says that it has tools.
  const mayIgnore = wasNative && learned.told?.tools !== true;
  const shown = mayIgnore ? state.watch.heard(request, answer) : undefined;
  if (shown?.type === 'ignored') lacks({ from: 'usage', ignored: shown }, state);
  if (shown?.type === 'cut') {
    const { window } = shown;
    learned.cut = window;
    log.info({ model: description.key, window }, 'the server of a model cuts longer requests without a word');
  }
  const { window = Number.POSITIVE_INFINITY } = windowOf(undefined, learned);
  if (answer.usage.inputTokens > window) {
    // It has another one by now.
    learned.refused = undefined;
    learned.cut = undefined;
    ask(state);
  }
  if (learned.told?.isUntilLoaded !== true || state.hasAskedLoaded) return;
  state.hasAskedLoaded = true;
  ask(state);
}

function failed(error: ModelError, state: KnowledgeState): void {
  const { learned, clock } = state;
  if (error.window !== undefined) [learned.refused, learned.refusedAt] = [error.window, clock.now()];
  if (error.fault !== 'transient') return;
  // It may come back with another window, and a server that says nothing is not asked again.
  if (tellsNothing(learned)) learned.refused = undefined;
  else state.isStale = true;
}

async function* heard(
  request: ModelRequest,
  events: AsyncIterable<ModelEvent>,
  state: KnowledgeState,
): AsyncGenerator<ModelEvent> {
  const wasNative = !callsInText(state) && request.tools.length > 0;
  try {
    for await (const event of events) {
      if (state.isStale) ask(state);
      if (event.type === 'finish') answered(request, event.answer, wasNative && !callsInText(state), state);
      yield event;
    }
  } catch (error) {
    if (error instanceof ModelError) failed(error, state);
    throw error;
  }
}

function callsInText({ description: { toolCalls = 'auto' }, learned }: KnowledgeState): boolean {
  return toolCalls === 'text' || (toolCalls === 'auto' && lackOf(learned) !== undefined);
}

/** Whether its server does not say what it can. */
function tellsNothing({ told }: Learned): boolean {
  return told === undefined || isEmpty(told);
}

/** In ms: after the server could not answer, and after it has. */
const pauseAfterFailure = 5_000;
const validity = 600_000;
/** Of the first request, for what the server says. In ms. */
const longestWait = 2_000;

/** Whether it has a server that can be asked: not one of the providers themselves. */
function isAsked({ provider, baseUrl }: ModelDescription): boolean {
  if (baseUrl === undefined || provider === 'google') return false;
  return !ownHosts.has(URL.parse(baseUrl)?.hostname ?? '');
}

const ownHosts: ReadonlySet<string> = new Set(['api.openai.com', 'api.anthropic.com']);

/** As the provider's package sends them. */
function headersOf({ provider, apiKey = '', headers }: ModelDescription): Readonly<Record<string, string>> {
  return { accept: 'application/json', ...(apiKey === '' ? {} : keyHeaders[provider](apiKey)), ...headers };
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

const keyHeaders: Readonly<Record<ModelProvider, (key: string) => Record<string, string>>> = {
  openai_compatible: bearer,
  openai: bearer,
  anthropic: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  google: (key) => ({ 'x-goog-api-key': key }),
};

function isEmpty({ window, tools, images }: Told): boolean {
  return window === undefined && tools === undefined && images === undefined;
}

function lackOf({ told, lack }: Learned): ToolLack | undefined {
  return lack ?? (told?.tools === false ? { from: 'server' } : undefined);
}

function windowOf(
  contextTokens: number | undefined,
  { told, refused, cut }: Learned,
): Pick<ModelAbilities, 'window' | 'windowFrom' | 'server'> {
  const server = told?.server;
  if (contextTokens !== undefined) return { server, window: contextTokens, windowFrom: 'config' };
  if (refused !== undefined) return { server, window: refused, windowFrom: 'refusal' };
  if (told?.window === undefined) return cut === undefined ? { server } : { server, window: cut, windowFrom: 'usage' };
  return { server, window: told.window, windowFrom: told.isUntilLoaded === true ? 'default' : 'server' };
}

function toolsOf(toolCalls: 'auto' | 'native' | 'text', learned: Learned): Pick<ModelAbilities, 'tools' | 'toolsFrom'> {
  if (toolCalls !== 'auto') return { tools: toolCalls === 'native', toolsFrom: 'config' };
  const lack = lackOf(learned);
  if (lack !== undefined) return { tools: false, toolsFrom: lack.from };
  return learned.told?.tools === undefined ? {} : { tools: learned.told.tools, toolsFrom: 'server' };
}

function imagesOf(seesImages: boolean | undefined, { told }: Learned): Pick<ModelAbilities, 'images' | 'imagesFrom'> {
  if (seesImages !== undefined) return { images: seesImages, imagesFrom: 'config' };
  return told?.images === undefined ? {} : { images: told.images, imagesFrom: 'server' };
}
