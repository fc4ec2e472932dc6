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
import type { Network } from '../../lib/network/network.ts';
import type { Said } from '../../lib/words.ts';
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
import { createToolWatch } from './ignored-tools.ts';
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
  readonly tell: (words: Said) => void;
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

export function createKnowledge(
  description: ModelDescription,
  { clock, log, network, tell }: KnowledgeParts,
): Knowledge {
  const { key, provider, toolCalls = 'auto', contextTokens, seesImages } = description;
  const learned: Learned = { told: undefined, refused: undefined, refusedAt: 0, cut: undefined, lack: undefined };
  const warned = new Set<ToolLack['from']>();
  const background = new Background(log);
  let watch = createToolWatch();
  /** When to ask at the next look; undefined: not until something happens. */
  let dueAt: number | undefined = isAsked(description) ? Number.NEGATIVE_INFINITY : undefined;
  let asking: Promise<void> | undefined;
  /** The server is too slow: no request waits for what it says. */
  let isSlow = false;
  /** The server was gone, or has not answered yet. */
  let isStale = false;
  let hasAskedLoaded = false;

  function look(): void {
    if (tellsNothing(learned) && clock.now() - learned.refusedAt > validity) learned.refused = undefined;
    if (dueAt !== undefined && clock.now() >= dueAt) ask();
  }

  /** Returns at once. */
  function ask(): void {
    if (asking !== undefined || !isAsked(description)) return;
    dueAt = undefined;
    const wasGone = isStale;
    isStale = false;
    const asked = askNow(wasGone).finally(() => {
      asking = undefined;
    });
    asking = asked;
    background.run('a model server could not be asked what it can', () => asked);
  }

  async function ready(signal: AbortSignal): Promise<void> {
    look();
    if (asking === undefined || learned.told !== undefined || isSlow) return;
    const isOver = await endsWithin(asking, { clock, milliseconds: longestWait, signal });
    isSlow = !isOver && !signal.aborted;
  }

  async function askNow(wasGone: boolean): Promise<void> {
    const { name, baseUrl = '' } = description;
    const told = await askServer({ name, baseUrl, headers: headersOf(description), fetch: network.fetch, clock });
    if (told === 'later') {
      isStale = true;
      dueAt = clock.now() + pauseAfterFailure;
      return;
    }
    learn(told, wasGone);
  }

  function learn(told: Told, wasGone: boolean): void {
    const isNew = !isDeepStrictEqual(told, learned.told);
    if (wasGone || (isNew && learned.told !== undefined)) {
      learned.refused = undefined;
      learned.cut = undefined;
      learned.lack = undefined;
      watch = createToolWatch();
      hasAskedLoaded = false;
    }
    learned.told = told;
    if (isEmpty(told)) return;
    dueAt = clock.now() + validity;
    if (isNew) log.info({ model: key, ...told }, 'the server of a model says what it can');
    if (told.tools === false) warn({ from: 'server' });
  }

  /** Once for each cause. */
  function warn(lack: ToolLack): void {
    if (toolCalls === 'text' || warned.has(lack.from)) return;
    warned.add(lack.from);
    const { name: modelName } = description;
    const values = { modelKey: key, modelName, server: learned.told?.server, lack, isAuto: toolCalls === 'auto' };
    const words: Said = (language) => modelWords[language].lacksTools(values);
    log.warn({ model: key, from: lack.from, toolCalls }, words('en'));
    tell(words);
  }

  function lacks(lack: Exclude<ToolLack, { from: 'server' }>): void {
    learned.lack = lack;
    warn(lack);
  }

  function answered(request: ModelRequest, answer: ModelAnswer, wasNative: boolean): void {
    // A gateway may count the messages alone, for a server that says that it has tools.
    const mayIgnore = wasNative && learned.told?.tools !== true;
    const shown = mayIgnore ? watch.heard(request, answer) : undefined;
    if (shown?.type === 'ignored') lacks({ from: 'usage', ignored: shown });
    if (shown?.type === 'cut') {
      learned.cut = shown.window;
      log.info({ model: key, window: shown.window }, 'the server of a model cuts longer requests without a word');
    }
    const { window = Number.POSITIVE_INFINITY } = windowOf(undefined, learned);
    if (answer.usage.inputTokens > window) {
      // It has another one by now.
      learned.refused = undefined;
      learned.cut = undefined;
      ask();
    }
    if (learned.told?.isUntilLoaded !== true || hasAskedLoaded) return;
    hasAskedLoaded = true;
    ask();
  }

  function failed(error: ModelError): void {
    if (error.window !== undefined) [learned.refused, learned.refusedAt] = [error.window, clock.now()];
    if (error.fault !== 'transient') return;
    // It may come back with another window, and a server that says nothing is not asked again.
    if (tellsNothing(learned)) learned.refused = undefined;
    else isStale = true;
  }

  async function* heard(request: ModelRequest, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
    const wasNative = !callsInText() && request.tools.length > 0;
    try {
      for await (const event of events) {
        if (isStale) ask();
        if (event.type === 'finish') answered(request, event.answer, wasNative && !callsInText());
        yield event;
      }
    } catch (error) {
      if (error instanceof ModelError) failed(error);
      throw error;
    }
  }

  function callsInText(): boolean {
    return toolCalls === 'text' || (toolCalls === 'auto' && lackOf(learned) !== undefined);
  }

  return {
    ...{ look, ready, callsInText, heard },
    lookAgain() {
      if (asking !== undefined || (learned.told === undefined ? !isStale : isEmpty(learned.told))) return;
      isStale = true;
      ask();
    },
    abilities: () => ({
      ...windowOf(contextTokens, learned),
      ...toolsOf(toolCalls, learned),
      ...imagesOf(seesImages, learned),
    }),
    seesImages: () => seesImages ?? learned.told?.images ?? provider !== 'openai_compatible',
    refusesTools() {
      lacks({ from: 'refusal' });
      return toolCalls === 'auto';
    },
  };
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
