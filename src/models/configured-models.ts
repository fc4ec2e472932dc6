import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import type { Candidate } from './failover.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';

/** A model of the config that is opened when it is first asked. */
export interface ConfiguredModel {
  readonly label: string;
  readonly seesImages: boolean;
  /** Throws `ModelError` if it cannot be made as the config describes it. */
  readonly open: () => Promise<LanguageModel>;
  /** Set if it was opened before. */
  readonly opened?: LanguageModel | undefined;
  /** The names of those that are asked in its place, in their order. */
  readonly fallback: readonly string[];
}

interface ConfiguredModelsParts {
  readonly defaultName: string;
  /** By their names in the config. */
  readonly models: ReadonlyMap<string, ConfiguredModel>;
  /** Puts fallbacks behind a model. */
  readonly failover: (first: Candidate, fallbacks: readonly Candidate[]) => LanguageModel;
  readonly log: Log;
}

/** The models of the config: each is opened once, when it is first asked. */
export function configuredModels({ defaultName, models, failover, log }: ConfiguredModelsParts): Models {
  const alone = new Map([...models].map(([name, model]) => [name, model.opened ?? openedLater(model)]));
  const made = new Map<string, LanguageModel>();
  const missed = new Set<string>();

  function of(name: string | undefined): LanguageModel {
    const known = name === undefined ? defaultName : knownName(name);
    const model = made.get(known) ?? make(known);
    made.set(known, model);
    return model;
  }

  /** A conversation remembers its choice longer than the config may. */
  function knownName(name: string): string {
    if (alone.has(name)) return name;
    if (!missed.has(name)) {
      missed.add(name);
      const words =
        'a conversation has chosen a model that the config does not have any more; the default answers there';
      log.warn({ model: name }, words);
    }
    return defaultName;
  }

  /** The model, then its fallbacks, then theirs; each once. */
  function make(name: string): LanguageModel {
    const chain = new Set([name]);
    for (const member of chain) for (const next of models.get(member)?.fallback ?? []) chain.add(next);
    const [first, ...fallbacks] = [...chain].flatMap((member) => {
      const model = alone.get(member);
      return model === undefined ? [] : [{ name: member, model }];
    });
    if (first === undefined) throw new Error(`there is no model ${name}`);
    return fallbacks.length === 0 ? first.model : failover(first, fallbacks);
  }

  return { defaultName, names: [...models.keys()], of };
}

/** A model that cannot be opened is tried again with the next request. */
function openedLater({ label, seesImages, open }: ConfiguredModel): LanguageModel {
  const opened = once(open);
  return {
    label,
    seesImages,
    async *stream(request: ModelRequest) {
      yield* (await opened()).stream(request);
    },
  };
}

/** How the operator calls a model, and whether it sees pictures: what is known before it is opened. */
export function describeModel({
  key,
  name,
  provider,
  seesImages,
}: Readonly<Record<'key' | 'name' | 'provider', string>> & { readonly seesImages?: boolean }) {
  return { label: `${key} (${name})`, seesImages: seesImages ?? provider !== 'openai_compatible' };
}

/** The models that conversations can choose from. */
export interface Models {
  /** What answers where nobody has chosen another. */
  readonly defaultName: string;
  /** All that can be chosen, the default among them, by their names in the config. */
  readonly names: readonly string[];
  /**
   * The model of that name: the default for none, and for one that the config does not have any more. Opens nothing: that
   * comes with the first request.
   */
  of(name: string | undefined): LanguageModel;
}
