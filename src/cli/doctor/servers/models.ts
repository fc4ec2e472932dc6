import { resolveModels } from '../../../config/choose-model.ts';
import { isJsonObject, objectsIn } from '../../../lib/json.ts';
import { fetchedRequests } from '../../../lib/network/fetched-requests.ts';
import { askServer } from '../../../models/abilities/ask-server.ts';
import type { ModelDescription } from '../../../models/language-model.ts';
import { type Answer, ask, type CheckContext, doubt, fault, type Problem, type Seen, said } from '../check.ts';
import { doctorWords } from '../words.ts';
import { serverWords } from './words.ts';

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

/** A model, and how its server is asked. */
interface Asked {
  readonly model: ModelDescription;
  /** Without a slash at its end. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What somebody has copied of an example of a request, behind the address of the API. */
const wholePath = /\/(?:chat\/completions|completions|responses|messages|embeddings|models|api\/chat|api\/generate)$/;

async function modelProblems(model: ModelDescription, context: CheckContext): Promise<readonly Problem[]> {
  const { key: name, provider, baseUrl, apiKey = '', headers: own = {} } = model;
  const known = providers[provider];
  const address = (baseUrl ?? known.address).replace(/\/+$/, '');
  const shorter = address.replace(wholePath, '');
  if (shorter !== address)
    return [fault(said((language) => serverWords[language].pathTooLong, { name, address, right: shorter }))];
  const headers = { ...known.headers(apiKey), ...own };
  const answer = await ask(context, `${address}/models`, { headers });
  if (typeof answer === 'function')
    return [
      fault((language) =>
        said((reader) => doctorWords[reader].modelUnreached, {
          name,
          address,
          isHosted: baseUrl === undefined,
          why: answer(language),
        })(language),
      ),
    ];
  const asked: Asked = { model, address, headers };
  const refusal = refusalOf(asked, answer);
  if (refusal !== undefined) return [refusal];
  if (answer.status === 404) return pathProblems(asked, context);
  const missing = missingProblems(model, answer.body);
  return missing.length > 0 ? missing : abilityProblems(asked, context);
}

/** Why the server answers with no list of models; undefined if it may have one. */
function refusalOf({ model, address }: Asked, { status, headers, body }: Answer): Problem | undefined {
  const { key: name, provider, apiKey = '' } = model;
  const at = { name, address, status };
  // Google refuses a key with 400.
  const isOfKey = status === 401 || status === 403 || (provider === 'google' && status === 400);
  if (isOfKey)
    return apiKey === ''
      ? fault(said((language) => serverWords[language].needsKey, at))
      : fault(said((language) => doctorWords[language].modelKeyRefused, at));
  if (status === 402) return fault(said((language) => serverWords[language].noCredit, at));
  if (status === 429) return doubt(said((language) => serverWords[language].tooMany, at));
  if (status >= 500) return fault(said((language) => doctorWords[language].modelFault, at));
  if (status >= 300 && status < 400) {
    const target = headers.get('location') ?? '';
    const to = URL.canParse(target) ? new URL(target).origin : '?';
    return fault(said((language) => serverWords[language].moved, { ...at, to }));
  }
  return status === 200 && body === null ? fault(said((language) => serverWords[language].noApi, at)) : undefined;
}

/** Many servers have no list; but if the list is behind `/v1`, the requests are, too. */
async function pathProblems({ model, address, headers }: Asked, context: CheckContext): Promise<readonly Problem[]> {
  if (model.provider !== 'openai_compatible' || /\/v\d+\w*$/.test(address)) return [];
  const right = `${address}/v1`;
  const answer = await ask(context, `${right}/models`, { headers });
  if (typeof answer === 'function' || answer.status !== 200 || !isJsonObject(answer.body)) return [];
  return [fault(said((language) => serverWords[language].pathTooShort, { name: model.key, address, right }))];
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

/** Below this, tools and a conversation hardly fit together. In tokens. */
const smallWindow = 8_000;

/** Whether the server says that the model cannot do what is asked of it. */
async function abilityProblems({ model, address, headers }: Asked, context: CheckContext): Promise<readonly Problem[]> {
  const { key: name, provider, name: id, toolCalls, contextTokens } = model;
  if (provider !== 'openai_compatible') return [];
  const { fetch, clock } = context;
  const told = await askServer({ baseUrl: address, name: id, headers, requests: fetchedRequests(fetch), clock });
  if (told === 'later') return [];
  const { tools, window, server = '' } = told;
  const problems: Problem[] = [];
  if (tools === false && toolCalls !== 'text')
    problems.push(doubt(said((language) => serverWords[language].noTools, { name, model: id })));
  if (window === undefined) return problems;
  const sizes = { name, window, wanted: contextTokens ?? 0, isOllama: server === 'Ollama' };
  if (contextTokens !== undefined && contextTokens > window)
    problems.push(fault(said((language) => serverWords[language].windowOver, sizes)));
  else if (window < smallWindow) problems.push(doubt(said((language) => serverWords[language].windowSmall, sizes)));
  return problems;
}
