import { once } from '../lib/background.ts';
import type { Clock } from '../lib/clock.ts';
import { type Signal, signal } from '../lib/live.ts';
import type { Log } from '../lib/log.ts';
import { directNetwork, type Network } from '../lib/network/network.ts';
import type { InLanguage } from '../lib/words.ts';
import { createKnowledge, type Knowledge } from './abilities/knowledge.ts';
import { createFailover, type Failover } from './failover.ts';
import {
  describeModel,
  type LanguageModel,
  type ModelDescription,
  type ModelEvent,
  type ModelRequest,
  withFallbacks,
} from './language-model.ts';
import { createModelHealth, type ModelHealth, type ModelState } from './model-health.ts';
import { attempts, withContinuation, withRetries } from './retry.ts';

/** Everything needed to call a model. */
export type ChosenModel = { readonly provider: 'offline' } | ModelDescription;

interface OpenModelParts {
  readonly clock: Clock;
  /** Default: directly. */
  readonly network?: Network;
}

type LearningParts = Parameters<typeof createKnowledge>[1];

/** The models that conversations can choose from. */
export interface Models {
  /** The model of conversations that have not chosen one. */
  readonly defaultName: string;
  /** All models in the config, including the default. */
  readonly names: readonly string[];
  /** What the owners should know of a model, in plain text. */
  readonly learned: Signal<InLanguage>;
  /** Asks the servers of all models what they can, those that were asked before again. Returns at once. */
  look(): void;
  /**
   * The model of that name; the default if the name is missing or no longer in the config. Opened by its first request.
   */
  of(name: string | undefined): LanguageModel;
  /** Its provider, and the name that the provider knows. */
  sourceOf(name: string): ModelSource;
  /** How its last requests ended, since this process opened it. */
  stateOf(name: string | undefined): ModelState;
}

export interface ModelSource {
  readonly provider: string;
  readonly modelId: string;
}

/**
 * Makes the models in the config. Only the default is loaded now, each other model on its first request. Throws
 * `ModelError` if the default cannot be made.
 */
export async function openModels(
  { defaultName, models }: { readonly defaultName: string; readonly models: ReadonlyMap<string, ChosenModel> },
  { clock, log, network = directNetwork }: OpenModelParts & { readonly log: Log },
): Promise<Models> {
  const learned = signal<InLanguage>();
  const parts = { clock, log, network, tell: learned.tell };
  const theDefault = await openModel(models.get(defaultName) ?? { provider: 'offline' }, parts);
  await theDefault.load();
  // The offline model can only be the default.
  const alone = new Map(
    [...models].map(([name, model]) => {
      const isDefault = name === defaultName || model.provider === 'offline';
      return [name, isDefault ? theDefault : opened(model, parts)] as const;
    }),
  );
  const health = createModelHealth(clock);
  const context: ModelsContext = {
    defaultName,
    models,
    alone,
    theDefault: theDefault.model,
    health,
    failover: createFailover(clock, log),
    made: new Map(),
    missed: new Set(),
    log,
  };
  return {
    defaultName,
    names: [...models.keys()],
    learned,
    look: () => lookAt(alone),
    sourceOf: (name) => sourceOf(models.get(name) ?? models.get(defaultName)),
    of: (name) => modelNamed(name, context),
    stateOf: (name = defaultName) => health.stateOf(alone.has(name) ? name : defaultName),
  };
}

interface ModelsContext {
  readonly defaultName: string;
  readonly models: ReadonlyMap<string, ChosenModel>;
  readonly alone: ReadonlyMap<string, Opened>;
  readonly theDefault: LanguageModel;
  readonly health: ModelHealth;
  readonly failover: Failover;
  /** The models with their fallbacks, as they were asked for. */
  readonly made: Map<string, LanguageModel>;
  /** Names that conversations have chosen, and that the config has lost: told once each. */
  readonly missed: Set<string>;
  readonly log: Log;
}

function modelNamed(chosen: string | undefined, context: ModelsContext): LanguageModel {
  const { defaultName, alone, made, missed, log } = context;
  const name = chosen ?? defaultName;
  const known = alone.has(name) ? name : defaultName;
  if (known !== name && !missed.has(name)) {
    // The config may have lost a model that a conversation has chosen.
    const words = 'a conversation has chosen a model that the config does not have any more; the default answers there';
    log.warn({ model: name }, words);
    missed.add(name);
  }
  const model = made.get(known) ?? withItsFallbacks(known, context);
  made.set(known, model);
  return model;
}

function withItsFallbacks(name: string, { models, alone, theDefault, health, failover }: ModelsContext): LanguageModel {
  const chain = withFallbacks([name], (member) => fallbacksOf(models.get(member)));
  const candidates = [...chain].flatMap((member) => {
    const one = alone.get(member);
    return one === undefined ? [] : [{ name: member, model: health.watched(member, one.model) }];
  });
  const [first = { name, model: health.watched(name, theDefault) }, ...fallbacks] = candidates;
  return fallbacks.length === 0 ? first.model : failover(first, fallbacks);
}

function sourceOf(model: ChosenModel | undefined): ModelSource {
  if (model === undefined || model.provider === 'offline') return { provider: 'offline', modelId: 'offline' };
  return { provider: model.provider, modelId: model.name };
}

function lookAt(alone: ReadonlyMap<string, Opened>): void {
  for (const { knowledge } of alone.values()) {
    knowledge?.lookAgain();
    knowledge?.look();
  }
}

function fallbacksOf(model: ChosenModel | undefined): readonly string[] {
  return model === undefined || model.provider === 'offline' ? [] : (model.fallback ?? []);
}

/** A model, and what is known of it. */
interface Opened {
  readonly model: LanguageModel;
  readonly knowledge?: Knowledge;
  /** Loads what it is made of; the first request does it otherwise. Throws `ModelError`. */
  readonly load: () => Promise<unknown>;
}

/** The model without fallbacks. If it cannot be loaded, the next request tries again. */
async function openModel(described: ChosenModel, parts: LearningParts): Promise<Opened> {
  if (described.provider !== 'offline') return opened(described, parts);
  const { offlineModel } = await import('./offline/offline-model.ts');
  return { model: offlineModel, load: async () => undefined };
}

function opened(description: ModelDescription, parts: LearningParts): Opened {
  const knowledge = createKnowledge(description, parts);
  const load = once(() => loadModel(description, parts));
  const { label } = describeModel(description);

  async function* stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    knowledge.look();
    const { native, inText } = await load();
    const way = knowledge.callsInText() ? await inText() : native;
    yield* attempts(request.signal, way.stream(request), async (error, { isShown }) => {
      if (isShown || !error.lacksTools || !knowledge.refusesTools()) throw error;
      return (await inText()).stream(request);
    });
  }

  const model = {
    label,
    get seesImages() {
      return knowledge.seesImages();
    },
    abilities() {
      knowledge.look();
      return knowledge.abilities();
    },
    ready: knowledge.ready,
    stream: (request: ModelRequest) => knowledge.heard(request, stream(request)),
  };
  return { model, knowledge, load };
}

/** The model with retries and continuation, in both ways to call tools. */
async function loadModel(description: ModelDescription, { clock, network = directNetwork }: OpenModelParts) {
  const created = await (await import('./create-model.ts')).createModel(description, clock, network);
  const patient = (model: LanguageModel): LanguageModel => withRetries(model, { clock, random: Math.random });
  const inText = once(async () => {
    const { withTextTools } = await import('./text-tools/text-tools.ts');
    return withContinuation(patient(withTextTools(created)));
  });
  return { native: withContinuation(patient(await withWrittenCalls(created, description))), inText };
}

/** The servers of the providers themselves leave no calls in the text. */
async function withWrittenCalls(model: LanguageModel, { baseUrl }: ModelDescription): Promise<LanguageModel> {
  if (baseUrl === undefined) return model;
  return (await import('./text-tools/written-calls.ts')).withWrittenCalls(model);
}
