import { resolveModels } from '../../config/choose-model.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { trustCertificates } from '../../lib/network/certificates/certificates.ts';
import { directNetwork, type Network } from '../../lib/network/network.ts';
import { openNetwork } from '../../lib/network/open-network.ts';
import type { LanguageModel } from '../../models/language-model.ts';
import { type ChosenModel, openModels } from '../../models/open-models.ts';

/** A model that is looked at alone: nothing else answers for it. */
export interface OneModel {
  readonly model: LanguageModel;
  /** The same with its tool calls in text. Undefined: it has them there already, or is no AI. */
  readonly inText?: LanguageModel;
  /** Whether it is the practice mode. */
  readonly isOffline: boolean;
}

/** A model of the config, by its name there, reached as Keyturn would. Throws `ConfigError` if a model has no key. */
export async function openModelOf(loaded: LoadedConfig, name: string): Promise<OneModel> {
  const { models } = resolveModels(loaded.config, loaded.environment);
  trustCertificates(loaded.network.certificates);
  const network = await openNetwork(loaded.network.proxies);
  return openOneModel(models.get(name) ?? { provider: 'offline' }, { clock: systemClock, network });
}

interface OpenParts {
  readonly clock: Clock;
  /** Default: directly. */
  readonly network?: Network;
}

/** Throws `ModelError` if it cannot be made. */
export async function openOneModel(described: ChosenModel, parts: OpenParts): Promise<OneModel> {
  if (described.provider === 'offline') return { model: await opened(described, parts), isOffline: true };
  const { fallback: _, ...alone } = described;
  const model = await opened(alone, parts);
  if (alone.toolCalls === 'text') return { model, isOffline: false };
  return { model, inText: await opened({ ...alone, toolCalls: 'text' }, parts), isOffline: false };
}

async function opened(described: ChosenModel, { clock, network = directNetwork }: OpenParts): Promise<LanguageModel> {
  const name = described.provider === 'offline' ? described.provider : described.key;
  const models = await openModels(
    { defaultName: name, models: new Map([[name, described]]) },
    { clock, log: silentLog, network },
  );
  return models.of(name);
}
