/*
 * Names that people bring from the configs of other programs, and what they are here. A name is compared without case and
 * without `_`, `-` and blanks: `botToken` and `bot_token` are one.
 */

import type { InLanguage } from '../lib/words.ts';
import type { KeyPath } from './config-error.ts';
import { configWords } from './words.ts';

interface ForeignKey {
  readonly names: readonly string[];
  /** The blocks it may stand in: `''` is the top, `*` any. Without: anywhere. */
  readonly within?: readonly string[];
  /** The key that is meant: used if the place has it. */
  readonly key?: string;
  /** Otherwise where it belongs. */
  readonly elsewhere?: keyof typeof configWords.en.elsewhere;
}

const foreignKeys: readonly ForeignKey[] = [
  { names: ['bottoken', 'telegramtoken', 'discordtoken', 'accesstoken'], within: ['channels'], key: 'token' },
  { names: ['bottoken', 'token'], within: ['channels'], key: 'bot_token' },
  { names: ['signingsecret'], within: ['channels'], key: 'signing_secret' },
  {
    names: ['allowedusers', 'allowlist', 'whitelist', 'allowedchatids', 'allowedids', 'users', 'allow', 'dmpolicy'],
    within: ['channels'],
    key: 'allow_from',
  },
  {
    names: ['admins', 'admin', 'adminids', 'superusers', 'masters', 'ownerids', 'ownerid'],
    within: ['channels'],
    elsewhere: 'owners',
  },
  {
    names: ['admins', 'admin', 'adminids', 'superusers', 'masters', 'ownerids', 'ownerid'],
    within: [''],
    key: 'owners',
  },
  {
    names: ['personas', 'perchat', 'chatsettings', 'bindings', 'channelprompts'],
    within: [''],
    key: 'chats',
  },
  { names: ['allowedchats', 'allowedgroups', 'guilds', 'servers', 'rooms'], within: ['channels'], key: 'groups' },
  { names: ['tts', 'texttospeech', 'voice', 'voicereply'], within: [''], key: 'speech' },
  { names: ['stt', 'speechtotext', 'whisper', 'asr'], within: [''], key: 'transcription' },
  { names: ['providers', 'llms', 'llm', 'modellist', 'endpoints'], within: [''], key: 'models' },
  {
    names: ['provider', 'llmprovider', 'modelname', 'modelid', 'apikey', 'openaiapikey', 'anthropicapikey', 'baseurl'],
    within: [''],
    elsewhere: 'models',
  },
  {
    names: ['model', 'modelname', 'modelid', 'id', 'deployment', 'engine'],
    within: ['models', 'transcription', 'speech'],
    key: 'name',
  },
  {
    names: ['url', 'endpoint', 'apibase', 'apiurl', 'apiendpoint', 'host', 'baseuri', 'address', 'server'],
    within: ['models', 'transcription', 'speech'],
    key: 'base_url',
  },
  {
    names: ['key', 'token', 'secret', 'apitoken', 'accesskey', 'authtoken'],
    within: ['models', 'transcription', 'speech'],
    key: 'api_key',
  },
  { names: ['type', 'vendor', 'kind', 'api', 'backend'], within: ['models'], key: 'provider' },
  {
    names: ['maxtokens', 'maxcompletiontokens', 'numpredict', 'maxoutput'],
    within: ['models'],
    key: 'max_output_tokens',
  },
  {
    names: ['contextwindow', 'contextlength', 'numctx', 'maxcontext', 'nctx', 'maxtokens'],
    within: ['models', 'agent', ''],
    elsewhere: 'contextTokens',
  },
  {
    names: ['timeout', 'timeoutms', 'timeoutseconds', 'requesttimeout'],
    within: ['models', 'mcp_servers', 'transcription', 'speech'],
    key: 'timeout_secs',
  },
  { names: ['fallbacks', 'fallbackmodels', 'backup'], within: ['models'], key: 'fallback' },
  { names: ['thinking', 'reasoningeffort', 'effort', 'thinkinglevel'], within: ['models'], key: 'reasoning' },
  {
    names: ['temperature', 'topp', 'topk', 'seed', 'stop', 'presencepenalty', 'frequencypenalty'],
    elsewhere: 'ofProvider',
  },
  {
    names: ['input', 'prompt', 'inputpermtok', 'inputcost', 'inputper1k'],
    within: ['models'],
    key: 'input_per_million',
  },
  {
    names: ['output', 'completion', 'outputpermtok', 'outputcost', 'outputper1k'],
    within: ['models'],
    key: 'output_per_million',
  },
  { names: ['cacheread', 'cachedinput', 'cached'], within: ['models'], key: 'cached_input_per_million' },
  {
    names: ['systemprompt', 'system', 'persona', 'soul', 'prompt', 'identity', 'custominstructions'],
    within: ['agent'],
    key: 'instructions',
  },
  {
    names: ['systemprompt', 'persona', 'soul', 'instructions', 'identity'],
    within: ['agents', 'chats'],
    key: 'prompt',
  },
  {
    names: ['systemprompt', 'persona', 'soul', 'instructions', 'prompt', 'model', 'agent'],
    within: ['channels'],
    elsewhere: 'chats',
  },
  {
    names: ['systemprompt', 'system', 'persona', 'soul', 'identity', 'prompt', 'instructions'],
    within: [''],
    elsewhere: 'instructions',
  },
  {
    names: ['maxiterations', 'maxsteps', 'maxtooliterations', 'maxtoolrounds', 'iterations', 'recursionlimit'],
    within: ['agent'],
    key: 'max_turns',
  },
  { names: ['mcp', 'mcpserver'], within: [''], key: 'mcp_servers' },
  { names: ['environment', 'envs'], within: ['mcp_servers'], key: 'env' },
  { names: ['workdir', 'workingdirectory', 'cwd'], within: [''], key: 'workspace' },
  { names: ['storage', 'database', 'db', 'statedir', 'home', 'datapath', 'datafolder'], within: [''], key: 'data_dir' },
  {
    names: ['loglevel', 'logging', 'verbose', 'debug'],
    within: [''],
    elsewhere: 'log',
  },
  {
    names: ['cron', 'schedules', 'heartbeat', 'jobs', 'tasks'],
    within: [''],
    elsewhere: 'tasks',
  },
  {
    names: ['skills', 'memory', 'memories', 'session', 'sessions', 'bindings'],
    within: [''],
    elsewhere: 'nowhere',
  },
];

/**
 * What an unknown key of another program's config is here, as a sentence. `known` are the keys of its place. Undefined if
 * the key is not known from elsewhere.
 */
export function foreignKey(path: KeyPath, known: readonly string[]): InLanguage | undefined {
  const name = plain(String(path.at(-1)));
  const block = path.length === 1 ? '' : String(path[0]);
  const here = foreignKeys.filter(
    ({ names, within, key }) =>
      names.includes(name) &&
      (within === undefined || within.includes(block)) &&
      (key === undefined || known.includes(key)),
  );
  const [found] = here.toSorted((one, other) => Number(one.key === undefined) - Number(other.key === undefined));
  const { key, elsewhere } = found ?? {};
  if (key !== undefined) return (language) => configWords[language].meantKey({ key });
  return elsewhere === undefined ? undefined : (language) => configWords[language].elsewhere[elsewhere];
}

/**
 * The base addresses of servers that speak OpenAI's protocol, as their makers document them; the local ones on their
 * usual ports.
 */
const compatibleServers: Readonly<Record<string, string>> = {
  ollama: 'http://127.0.0.1:11434/v1',
  lmstudio: 'http://127.0.0.1:1234/v1',
  llamacpp: 'http://127.0.0.1:8080/v1',
  vllm: 'http://127.0.0.1:8000/v1',
  openrouter: 'https://openrouter.ai/api/v1',
  deepseek: 'https://api.deepseek.com/v1',
  qwen: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
  moonshot: 'https://api.moonshot.cn/v1',
  zhipu: 'https://open.bigmodel.cn/api/paas/v4',
  siliconflow: 'https://api.siliconflow.cn/v1',
  doubao: 'https://ark.cn-beijing.volces.com/api/v3',
  minimax: 'https://api.minimax.io/v1',
  groq: 'https://api.groq.com/openai/v1',
  mistral: 'https://api.mistral.ai/v1',
  together: 'https://api.together.xyz/v1',
  fireworks: 'https://api.fireworks.ai/inference/v1',
  xai: 'https://api.x.ai/v1',
  perplexity: 'https://api.perplexity.ai',
  cerebras: 'https://api.cerebras.ai/v1',
  nvidia: 'https://integrate.api.nvidia.com/v1',
};

const otherNames: Readonly<Record<string, string>> = {
  llamaserver: 'llamacpp',
  dashscope: 'qwen',
  tongyi: 'qwen',
  alibaba: 'qwen',
  aliyun: 'qwen',
  kimi: 'moonshot',
  glm: 'zhipu',
  bigmodel: 'zhipu',
  zai: 'zhipu',
  volcengine: 'doubao',
  ark: 'doubao',
  mistralai: 'mistral',
  togetherai: 'together',
  grok: 'xai',
  nim: 'nvidia',
};

/** How to use a provider that people name as in other programs, as a sentence. Undefined if it is not known. */
export function foreignProvider(written: string): InLanguage | undefined {
  const name = plain(written);
  const address = own(compatibleServers, own(otherNames, name) ?? name);
  if (address === undefined) return undefined;
  return (language) => configWords[language].writeProvider({ address });
}

/** What describes a model that is named as in other programs, `anthropic/claude-…`. Undefined for other names. */
export function foreignModel(written: string): { readonly provider: string; readonly name: string } | undefined {
  const [, provider, name] = /^([\w.-]+)[/:](\S+)$/.exec(written) ?? [];
  if (provider === undefined || name === undefined) return undefined;
  const ours = own(builtin, plain(provider));
  const address = own(compatibleServers, own(otherNames, plain(provider)) ?? plain(provider));
  if (ours === undefined && address === undefined) return undefined;
  return { provider: ours === undefined ? `"openai_compatible", "base_url": "${address}"` : `"${ours}"`, name };
}

const builtin: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  claude: 'anthropic',
  openai: 'openai',
  google: 'google',
  gemini: 'google',
};

function own<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_\-.\s]/g, '');
}
