import { isJsonObject, type JsonValue } from '../../lib/json.ts';
import type { FoundModel } from './findings.ts';
import type { Gathering } from './gathering.ts';
import { expand, type Variables } from './secrets.ts';
import { migrateWords } from './words.ts';

/** A model as a program's config names it. */
export interface WrittenModel {
  /** `anthropic/claude-sonnet-5-5`, or the name alone if `family` is known. */
  readonly name: string;
  /** Whose it is, as the program calls it. */
  readonly family?: string | undefined;
  readonly baseUrl?: JsonValue | undefined;
  readonly key?: JsonValue | undefined;
  readonly file: string;
  readonly variables: Variables;
}

type Known = readonly [provider: FoundModel['provider'], variable: string, baseUrl?: string];

/** Providers as these programs call them, and where their APIs are. */
const families: ReadonlyMap<string, Known> = new Map<string, Known>(
  Object.entries({
    anthropic: ['anthropic', 'ANTHROPIC_API_KEY'],
    openai: ['openai', 'OPENAI_API_KEY'],
    gemini: ['google', 'GEMINI_API_KEY'],
    google: ['google', 'GEMINI_API_KEY'],
    openrouter: compatible('OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'),
    groq: compatible('GROQ_API_KEY', 'https://api.groq.com/openai/v1'),
    deepseek: compatible('DEEPSEEK_API_KEY', 'https://api.deepseek.com/v1'),
    mistral: compatible('MISTRAL_API_KEY', 'https://api.mistral.ai/v1'),
    xai: compatible('XAI_API_KEY', 'https://api.x.ai/v1'),
    moonshot: compatible('MOONSHOT_API_KEY', 'https://api.moonshot.ai/v1'),
    zai: compatible('ZAI_API_KEY', 'https://api.z.ai/api/paas/v4'),
    zhipu: compatible('ZHIPU_API_KEY', 'https://open.bigmodel.cn/api/paas/v4'),
    dashscope: compatible('DASHSCOPE_API_KEY', 'https://dashscope.aliyuncs.com/compatible-mode/v1'),
    siliconflow: compatible('SILICONFLOW_API_KEY', 'https://api.siliconflow.cn/v1'),
    minimax: compatible('MINIMAX_API_KEY', 'https://api.minimax.io/v1'),
    nvidia: compatible('NVIDIA_API_KEY', 'https://integrate.api.nvidia.com/v1'),
    novita: compatible('NOVITA_API_KEY', 'https://api.novita.ai/openai/v1'),
    together: compatible('TOGETHER_API_KEY', 'https://api.together.xyz/v1'),
    fireworks: compatible('FIREWORKS_API_KEY', 'https://api.fireworks.ai/inference/v1'),
    cerebras: compatible('CEREBRAS_API_KEY', 'https://api.cerebras.ai/v1'),
    huggingface: compatible('HF_TOKEN', 'https://router.huggingface.co/v1'),
    ollama: compatible('OLLAMA_API_KEY', 'http://127.0.0.1:11434/v1'),
    lmstudio: compatible('LMSTUDIO_API_KEY', 'http://127.0.0.1:1234/v1'),
    vllm: compatible('VLLM_API_KEY', 'http://127.0.0.1:8000/v1'),
    custom: compatible('CUSTOM_API_KEY'),
  }),
);

function compatible(variable: string, baseUrl?: string): Known {
  return ['openai_compatible', variable, baseUrl];
}

/** Other names of the same. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    glm: 'zhipu',
    'google-gemini': 'gemini',
    kimi: 'moonshot',
    lm_studio: 'lmstudio',
    qwen: 'dashscope',
    'z-ai': 'zai',
    'openai-compatible': 'custom',
    llamacpp: 'custom',
  }),
);

/** The model as it can be taken; undefined if its provider has no place, which `left` then says. */
export function modelOf(written: WrittenModel, gathered: Gathering): FoundModel | undefined {
  const { file, variables } = written;
  const [family, name] = split(written);
  const place = { gathered, variables, what: `${family}: ${name}`, file };
  const own = expand(written.baseUrl, place)?.replace(/\/+$/, '');
  const listed = families.get(family);
  const known = listed ?? (own === undefined ? undefined : families.get('custom'));
  if (known === undefined || name === '') {
    gathered.left.push({ what: `${family}/${name}`, file, why: (language) => migrateWords[language].otherModel });
    return undefined;
  }
  const [provider, usual, address] = known;
  const variable = listed === undefined ? `${family.toUpperCase().replaceAll(/\W+/g, '_')}_API_KEY` : usual;
  const baseUrl = own === undefined || own === address ? address : withVersion(own, family);
  if (provider === 'openai_compatible' && (baseUrl === undefined || !URL.canParse(baseUrl))) {
    gathered.left.push({ what: `${family}/${name}`, file, why: (language) => migrateWords[language].noAddress });
    return undefined;
  }
  const value = expand(written.key, place) ?? variables[variable];
  const key = value === undefined || value === '' ? undefined : { variable, value };
  const isOwn =
    provider === 'openai_compatible' ||
    !/^https:\/\/(?:api\.(?:anthropic|openai)|generativelanguage)\./.test(baseUrl ?? '');
  return { provider, name, baseUrl: isOwn ? baseUrl : undefined, key, file };
}

/** Whose model it is, of those that a program's config has settings for: by what it calls them. */
export function settingsFor(model: Pick<WrittenModel, 'name' | 'family'>, providers: JsonValue): JsonValue {
  const [family] = split(model);
  const all = Object.entries(isJsonObject(providers) ? providers : {});
  const named = all.find(([name]) => name === model.family);
  const known = all.find(([name]) => (aliases.get(name.toLowerCase()) ?? name.toLowerCase()) === family);
  return (named ?? known)?.[1] ?? null;
}

function split({ name, family }: Pick<WrittenModel, 'name' | 'family'>): readonly [family: string, name: string] {
  const [first = '', ...rest] = name.split('/');
  const written = (family === undefined || family === 'auto' ? first : family).toLowerCase();
  const own = aliases.get(written) ?? written;
  if (family === undefined || family === 'auto')
    return rest.length === 0 ? [familyByName(name), name] : [own, rest.join('/')];
  const isRepeated = (aliases.get(first.toLowerCase()) ?? first.toLowerCase()) === own;
  return [own, isRepeated && rest.length > 0 ? rest.join('/') : name];
}

/** Whose model it is, by its name alone. */
export function familyByName(name: string): string {
  if (/^claude/i.test(name)) return 'anthropic';
  if (/^(?:gpt|o\d|chatgpt)/i.test(name)) return 'openai';
  if (/^gemini/i.test(name)) return 'gemini';
  if (/^deepseek/i.test(name)) return 'deepseek';
  return 'custom';
}

/** Ollama's own API has no version in its address; what we speak has. */
function withVersion(address: string, family: string): string {
  return family === 'ollama' && !/\/v1$/.test(address) ? `${address.replace(/\/api$/, '')}/v1` : address;
}
