import { resolveModels } from '../../config/choose-model.ts';
import { isJsonObject, objectsIn } from '../../lib/json.ts';
import type { ModelDescription } from '../../models/language-model.ts';
import { ask, type CheckContext, doubt, fault, type Problem, type Seen, said } from './check.ts';
import { doctorWords } from './words.ts';

/** The addresses of the providers, and how each is told the key. Asking for the list of models costs nothing. */
const providers = {
  anthropic: {
    address: 'https://api.anthropic.com/v1',
    headers: (key: string) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
  },
  openai: { address: 'https://api.openai.com/v1', headers: bearer },
  google: {
    address: 'https://generativelanguage.googleapis.com/v1beta',
    headers: (key: string) => ({ 'x-goog-api-key': key }),
  },
  openai_compatible: { address: '', headers: bearer },
} as const;

function bearer(key: string): Readonly<Record<string, string>> {
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}

/** So many are asked; a config has a few. */
const mostAsked = 12;

/** Whether the server of each model answers, takes the key, and has the model. Makes no request that costs anything. */
export async function checkModels(context: CheckContext): Promise<Seen | undefined> {
  const { loaded } = context;
  if (loaded === undefined) return undefined;
  const { models } = resolveModels(loaded.config, loaded.environment);
  const described = [...models.values()].filter((model) => model.provider !== 'offline').slice(0, mostAsked);
  if (described.length === 0) {
    const words = said((language) => doctorWords[language].modelOffline, {});
    return { name: 'models', state: (language) => doctorWords[language].doubt, problems: [doubt(words)] };
  }
  const problems = await Promise.all(described.map((model) => modelProblems(model, context)));
  return {
    name: 'models',
    state: (language) => doctorWords[language].modelAnswers({ names: described.map(({ key }) => key) }),
    problems: problems.flat(),
  };
}

async function modelProblems(model: ModelDescription, context: CheckContext): Promise<readonly Problem[]> {
  const { key, provider, baseUrl, apiKey = '', headers = {} } = model;
  const known = providers[provider];
  const address = (baseUrl ?? known.address).replace(/\/+$/, '');
  const answer = await ask(context, `${address}/models`, { headers: { ...known.headers(apiKey), ...headers } });
  const at = { name: key, address, status: typeof answer === 'function' ? 0 : answer.status };
  if (typeof answer === 'function')
    return [
      fault((language) =>
        said((reader) => doctorWords[reader].modelUnreached, { name: key, address, why: answer(language) })(language),
      ),
    ];
  // Google refuses a key with 400.
  const isOfKey = at.status === 401 || at.status === 403 || (provider === 'google' && at.status === 400);
  if (isOfKey) return [fault(said((language) => doctorWords[language].modelKeyRefused, at))];
  if (at.status >= 500) return [fault(said((language) => doctorWords[language].modelFault, at))];
  return missingProblems(model, answer.body);
}

/** A server of one's own lists what it has loaded; those of providers list not all. */
function missingProblems({ key, provider, name }: ModelDescription, body: unknown): readonly Problem[] {
  if (provider !== 'openai_compatible' || !isJsonObject(body) || !Array.isArray(body.data)) return [];
  const listed = objectsIn(body.data).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  // Ollama takes a name without `:latest`, routers take aliases: a doubt, no fault.
  if (listed.some((id) => id === name || id === `${name}:latest`)) return [];
  const missing = { name: key, model: name, listed: listed.slice(0, 5) };
  return [doubt(said((language) => doctorWords[language].modelUnknown, missing))];
}
