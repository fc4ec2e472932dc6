import type { Log } from '../lib/log.ts';
import type { Candidate } from './failover.ts';
import type { LanguageModel, ModelRequest } from './language-model.ts';

/** A model of the config that is opened when it is first asked. */
export interface ConfiguredModel {
  readonly label: string;
  readonly seesImages: boolean;
  /** Throws `ModelError` if it cannot be made as the config describes it. */
  readonly open: () => Promise<LanguageModel>;
  /** Set if it was opened before. */
  readonly opened?: LanguageModel;
  /** The names of those that are asked in its place, in their order. */
  readonly fallback: readonly string[];
}

export interface ConfiguredModelsDependencies {
  readonly defaultName: string;
  /** By their names in the config. */
  readonly models: ReadonlyMap<string, ConfiguredModel>;
  /** Puts fallbacks behind a model. */
  readonly failover: (first: Candidate, fallbacks: readonly Candidate[]) => LanguageModel;
  readonly log: Log;
}

/** The models of the config: each is opened once, when it is first asked. */
export class ConfiguredModels implements Models {
  readonly defaultName: string;
  readonly names: readonly string[];
  readonly #dependencies: ConfiguredModelsDependencies;
  readonly #alone: ReadonlyMap<string, LanguageModel>;
  readonly #made = new Map<string, LanguageModel>();
  readonly #missed = new Set<string>();

  constructor(dependencies: ConfiguredModelsDependencies) {
    this.defaultName = dependencies.defaultName;
    this.names = [...dependencies.models.keys()];
    this.#dependencies = dependencies;
    this.#alone = new Map([...dependencies.models].map(([name, model]) => [name, model.opened ?? openedLater(model)]));
  }

  of(name: string | undefined): LanguageModel {
    const { defaultName } = this;
    const known = name === undefined ? defaultName : this.#known(name);
    const made = this.#made.get(known) ?? this.#make(known);
    this.#made.set(known, made);
    return made;
  }

  /** A conversation remembers its choice longer than the config may. */
  #known(name: string): string {
    if (this.#alone.has(name)) return name;
    if (!this.#missed.has(name)) {
      this.#missed.add(name);
      const words =
        'a conversation has chosen a model that the config does not have any more; the default answers there';
      this.#dependencies.log.warn({ model: name }, words);
    }
    return this.defaultName;
  }

  #make(name: string): LanguageModel {
    const candidates = [...this.#chainOf(name)].flatMap((member) => {
      const model = this.#alone.get(member);
      return model === undefined ? [] : [{ name: member, model }];
    });
    const [first, ...fallbacks] = candidates;
    if (first === undefined) throw new Error(`there is no model ${name}`);
    return fallbacks.length === 0 ? first.model : this.#dependencies.failover(first, fallbacks);
  }

  /** The model, then its fallbacks, then theirs; each once. */
  #chainOf(name: string): ReadonlySet<string> {
    const chain = new Set([name]);
    for (const member of chain) {
      for (const next of this.#dependencies.models.get(member)?.fallback ?? []) chain.add(next);
    }
    return chain;
  }
}

/** A model that cannot be opened is tried again with the next request. */
function openedLater({ label, seesImages, open }: ConfiguredModel): LanguageModel {
  let opened: Promise<LanguageModel> | undefined;
  return {
    label,
    seesImages,
    async *stream(request: ModelRequest) {
      opened ??= open().catch((error: unknown) => {
        opened = undefined;
        throw error;
      });
      yield* (await opened).stream(request);
    },
  };
}

/** A model of the config, as far as it matters before it is opened. */
export interface NamedModel {
  readonly key: string;
  readonly name: string;
  readonly provider: string;
  readonly seesImages?: boolean;
}

/** How the operator calls a model, and whether it sees pictures: what is known before it is opened. */
export function describeModel({ key, name, provider, seesImages }: NamedModel): {
  readonly label: string;
  readonly seesImages: boolean;
} {
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
