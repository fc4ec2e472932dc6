/* Which models there are already: keys in the environment, and servers of this machine. */

import { providerDefaults } from '../../config/choose-model.ts';
import type { Environment } from '../../config/environment.ts';
import { keyMakers } from '../../config/key-shapes.ts';
import { systemClock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject, objectsIn } from '../../lib/json.ts';
import type { Language } from '../../lib/words.ts';
import { ask, type NoAnswer } from '../doctor/check.ts';
import type { Surroundings } from './surroundings.ts';
import { setupWords } from './words.ts';

/** A model that could be used. */
export interface FoundModel {
  /** At its server. */
  readonly name: string;
  /** Under which name it would stand in the config. */
  readonly key: string;
  readonly label: string;
  /** Where it was found. */
  readonly hint: (language: Language) => string;
  /** In `models`. */
  readonly settings: JsonObject;
}

/** The best first: a provider whose key is there, then what this machine serves. Takes a second at most. */
export async function findModels(
  environment: Environment,
  { servers }: Surroundings,
  send: typeof fetch,
): Promise<readonly FoundModel[]> {
  const served = await Promise.all(
    servers.map(async ({ name, baseUrl }) => {
      const names = await servedModels(baseUrl, {}, send);
      return typeof names === 'function' || 'status' in names
        ? []
        : names.map((each) => servedModel(each, name, baseUrl));
    }),
  );
  return [...keyedModels(environment), ...served.flat()];
}

function keyedModels(environment: Environment): readonly FoundModel[] {
  return providerDefaults.flatMap(({ provider, name, variables }) => {
    const variable = variables.find((each) => (environment[each] ?? '') !== '');
    if (variable === undefined) return [];
    const title = keyMakers.find((each) => each.provider === provider)?.title ?? provider;
    return [
      {
        name,
        key: provider,
        label: `${name} (${title})`,
        hint: (language: Language) => setupWords[language].keyFound({ variable }),
        settings: { provider, name },
      },
    ];
  });
}

/** A model of a server with OpenAI's API. */
export function servedModel(name: string, server: string, baseUrl: string): FoundModel {
  return {
    name,
    key: server.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    label: `${name} (${server})`,
    hint: () => baseUrl,
    settings: { provider: 'openai_compatible', name, base_url: baseUrl },
  };
}

export type ServedModels = readonly string[] | { readonly status: number } | NoAnswer;

/** The names of the models that a server lists, those that cannot chat left out; else the status of its answer, or why it gave none. */
export async function servedModels(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
  send: typeof fetch,
): Promise<ServedModels> {
  const answer = await ask({ fetch: send, clock: systemClock }, `${baseUrl}/models`, { headers });
  if (typeof answer === 'function') return answer;
  const { status, body } = answer;
  const list = isJsonObject(body) ? (body.data ?? body.models) : body;
  if (status !== 200 || !Array.isArray(list)) return { status };
  const names = objectsIn(list).flatMap((entry) => [entry.id ?? entry.name].filter((name) => typeof name === 'string'));
  return names
    .filter((name) => !odd.test(name) && !/embed|whisper|rerank|\btts\b|bge-/i.test(name))
    .slice(0, mostListed);
}

/** In the config, `${NAME}` would be a variable of ours: a server that was found unasked would be told what it holds. */
const odd = /\p{Cc}|\$\{|^\s*$/u;

/** OpenRouter has hundreds. */
const mostListed = 30;
