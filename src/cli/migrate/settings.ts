import type { JsonObject, JsonValue } from '../../lib/json.ts';
import type { InLanguage } from '../../lib/words.ts';
import type { Findings, FoundChannel, FoundModel, Left, Secret } from './findings.ts';
import { escaped } from './secrets.ts';
import { migrateWords } from './words.ts';

/** A key of our config and what it is to be. */
export interface WantedSetting {
  readonly path: readonly string[];
  readonly value: JsonValue;
  /** The files that it comes from. */
  readonly file: string;
  /** What `${NAME}` in the value stands for. */
  readonly secrets: readonly Secret[];
  readonly comment?: InLanguage;
}

/** What of the config is to be as it was there, for these owners, in the order in which people read it. */
export function settingsOf(findings: Findings, owners: readonly string[]): readonly WantedSetting[] {
  const { models, channels, instructions, servers, timeZone } = findings;
  const texts = instructions.map(({ text }) => text).join('\n\n');
  const files = [...new Set(instructions.map(({ file }) => file))];
  const first = channels.find(({ people }) => people.length > 0)?.file ?? '';
  return [
    ...(owners.length === 0
      ? []
      : [plain(['owners'], owners, first, (language) => migrateWords[language].comments.owners)]),
    ...modelSettings(models),
    ...(texts === ''
      ? []
      : [
          plain(['agent', 'instructions'], escaped(texts), files.join(', '), (language) =>
            migrateWords[language].comments.instructions({ files }),
          ),
        ]),
    ...channels.flatMap((channel) => channelSettings(channel, owners)),
    ...(timeZone === undefined ? [] : [plain(['tools', 'schedule', 'time_zone'], escaped(timeZone), '')]),
    ...servers.map(({ name, file, settings, secrets }) => ({
      path: ['mcp_servers', name],
      value: settings,
      file,
      secrets,
    })),
  ];
}

function plain(path: readonly string[], value: JsonValue, file: string, comment?: InLanguage): WantedSetting {
  return { path, value, file, secrets: [], ...(comment === undefined ? {} : { comment }) };
}

/** The first one answers. The others follow if it cannot. */
function modelSettings(models: readonly FoundModel[]): readonly WantedSetting[] {
  const named = new Map(models.map((model) => [nameOf(model), model]));
  const [first, ...others] = named.keys();
  if (first === undefined) return [];
  // What a setting names stands before it.
  const settings = [...named]
    .toReversed()
    .map(([name, { provider, name: full, baseUrl, key, file }]): WantedSetting => {
      const value: JsonObject = {
        provider,
        name: escaped(full),
        ...(baseUrl === undefined ? {} : { base_url: escaped(baseUrl) }),
        ...(key === undefined ? {} : { api_key: `\${${key.variable}}` }),
        ...(name === first && others.length > 0 ? { fallback: others } : {}),
      };
      return { path: ['models', name], value, file, secrets: key === undefined ? [] : [key] };
    });
  return [...settings, plain(['model'], first, named.get(first)?.file ?? '')];
}

/** Those with which a start works: providers with an account of yours want its key, from there or from the environment here. */
export function keyedModels(
  models: readonly FoundModel[],
  environment: Readonly<Record<string, string | undefined>>,
): { readonly models: readonly FoundModel[]; readonly left: readonly Left[] } {
  const isKeyed = ({ provider, key }: FoundModel): boolean =>
    provider === 'openai_compatible' || key !== undefined || Boolean(environment[keyVariables[provider]]);
  const left = models.flatMap((model): readonly Left[] => {
    const { provider, name, file } = model;
    if (isKeyed(model) || provider === 'openai_compatible') return [];
    const variable = keyVariables[provider];
    return [{ what: name, file, why: (language) => migrateWords[language].noKey({ variable }) }];
  });
  return { models: models.filter(isKeyed), left };
}

const keyVariables = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY', google: 'GEMINI_API_KEY' } as const;

/** A name for the config: `claude-sonnet-5-5`. */
function nameOf({ name }: FoundModel): string {
  const [last = name] = name.split('/').slice(-1);
  return last.replaceAll(/[^\w.-]+/g, '-').slice(0, 60) || 'main';
}

/** Owners may talk anywhere, and need no other list. */
function channelSettings(found: FoundChannel, owners: readonly string[]): readonly WantedSetting[] {
  const { channel, file, isOn, tokens, people, groups } = found;
  const path = ['channels', channel];
  const others = (ids: readonly string[]): readonly string[] =>
    [...new Set(ids)].filter((id) => !owners.includes(`${channel}:${id}`));
  const listed = others(people);
  return [
    ...(isOn ? [plain([...path, 'enabled'], true, file)] : []),
    ...Object.entries(tokens).map(([key, secret]) => ({
      path: [...path, key],
      value: `\${${secret.variable}}`,
      file,
      secrets: [secret],
    })),
    ...(listed.length === 0
      ? []
      : [plain([...path, 'allow_from'], listed, file, (language) => migrateWords[language].comments.allowFrom)]),
    ...Object.entries(groups).map(([id, group]) => {
      const members = others(group.people);
      const value = {
        ...(group.needsMention ? {} : { require_mention: false }),
        ...(members.length === 0 ? {} : { allow_from: members }),
      };
      return plain([...path, 'groups', id], value, file);
    }),
  ];
}

/**
 * Who is the owner: the person that is named; else those whom the program called so, and whoever was the only one to talk.
 * Where several may talk, nothing says who decides.
 */
export function ownersOf({ channels }: Findings, named: string | undefined): readonly string[] {
  if (named !== undefined) return [named];
  const found = channels
    .filter(({ isOn }) => isOn)
    .flatMap(({ channel, owners, people, isOpen }) => {
      const everyone = [...new Set(people)];
      const ids = owners.length > 0 ? owners : everyone.length === 1 && !isOpen ? everyone : [];
      return ids.filter((id) => !id.startsWith('role:')).map((id) => `${channel}:${id}`);
    });
  return [...new Set(found)];
}
