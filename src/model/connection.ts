import { ModelError } from './language-model.ts';

/** What of a model's description says how it is reached. */
export interface ConnectionDescription {
  /** Its key in the config. */
  readonly key: string;
  readonly provider: 'anthropic' | 'openai' | 'google' | 'openai_compatible';
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Where the model is asked. Throws `ModelError` if that is not known, or is nothing that can be asked. */
export function addressOf({ key, provider, baseUrl }: ConnectionDescription): string {
  if (baseUrl !== undefined) return checked(baseUrl, `models.${key}`);
  switch (provider) {
    case 'anthropic':
      return 'https://api.anthropic.com/v1';
    case 'openai':
      return 'https://api.openai.com/v1';
    case 'google':
      return 'https://generativelanguage.googleapis.com/v1beta';
    case 'openai_compatible':
      throw new ModelError(
        'permanent',
        `The model '${key}' has no address. Set models.${key}.base_url in the config, for example http://127.0.0.1:11434/v1 for Ollama.`,
      );
  }
}

/** The packages put the name of what they ask for behind it. */
function checked(baseUrl: string, setting: string): string {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new ModelError('permanent', `${setting}.base_url is no http address: ${JSON.stringify(baseUrl)}.`);
  }
  if (url.username !== '' || url.password !== '') {
    const advice = `Set ${setting}.api_key or ${setting}.headers instead.`;
    throw new ModelError('permanent', `${setting}.base_url has a name or a password in it. ${advice}`);
  }
  if (url.search !== '' || url.hash !== '') {
    const advice = 'It must end with the path, as in http://127.0.0.1:11434/v1.';
    throw new ModelError('permanent', `${setting}.base_url has a "?" or a "#" in it. ${advice}`);
  }
  return baseUrl;
}

/** Throws `ModelError` if HTTP cannot carry the API key or one of the headers. Shows neither. */
export function checkHeaders({ key, apiKey = '', headers = {} }: ConnectionDescription): void {
  const fault = 'holds a line break or another character that HTTP cannot carry';
  if (!headerValue.test(apiKey)) {
    const advice = `Correct models.${key}.api_key in the config, or the variable that it names.`;
    throw new ModelError('auth', `The API key of the model '${key}' ${fault}. ${advice}`);
  }
  for (const [name, value] of Object.entries(headers)) {
    if (headerName.test(name) && headerValue.test(value)) continue;
    const advice = `Correct models.${key}.headers in the config, or the variable that it names.`;
    throw new ModelError('permanent', `The header ${JSON.stringify(name)} of the model '${key}' ${fault}. ${advice}`);
  }
}

const headerName = /^[\w!#$%&'*+.^`|~-]+$/;
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
