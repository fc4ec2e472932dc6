/* Hermes Agent: YAML beside a `.env` that has the tokens and who may talk, memories in Markdown, jobs in JSON. */

import { join } from 'node:path';
import { isJsonObject, type JsonValue, objectsIn, valueAt } from '../../../lib/json.ts';
import { channelOf, type WrittenGroup } from '../channels.ts';
import type { Findings, Former, FoundChannel, FoundModel, FoundSchedule, Looking } from '../findings.ts';
import { type FormerConfig, formerConfig } from '../former-config.ts';
import { dataOf, firstOf, type Gathering, idsOf, shortName, wordOf } from '../gathering.ts';
import { modelOf, type WrittenModel } from '../models.ts';
import { schedulesOf } from '../schedules.ts';
import { serverOf } from '../servers.ts';
import { migrateWords } from '../words.ts';
import { instructionsIn, leaveFolders, memoriesIn } from '../workspace-files.ts';

export const hermes: Former = {
  name: 'hermes',
  title: 'Hermes Agent',
  folders: ['.hermes'],
  variable: 'HERMES_HOME',
  marks: ['config.yaml', 'SOUL.md', '.env'],
  read,
};

async function read(looking: Looking): Promise<Findings> {
  const { folder } = looking;
  const all = await formerConfig(looking, 'config.yaml', 'yaml');
  const { gathered, config } = all;
  leaveRights(all);
  const findings = {
    models: modelsOf(all),
    channels: await channelsOf(all),
    instructions: await instructionsIn(folder, ['SOUL.md'], gathered),
    memories: await memoriesIn(folder, ['memories/USER.md', 'memories/MEMORY.md'], gathered),
    schedules: await jobsOf(all),
    servers: serversOf(all),
    timeZone: wordOf(valueAt(config, ['timezone'])),
  };
  await leaveFolders(
    [
      [join(folder, 'skills'), 'skills'],
      [join(folder, 'sessions'), 'sessions'],
    ],
    gathered,
  );
  return { ...findings, left: gathered.left };
}

function modelsOf({ gathered, file, config, variables }: FormerConfig): readonly FoundModel[] {
  const main = valueAt(config, ['model']);
  const name = typeof main === 'string' ? main : wordOf(firstOf(main, 'default', 'model', 'model_name'));
  if (name === undefined) return [];
  const others = [
    ...objectsIn(valueAt(config, ['fallback_providers'])),
    ...objectsIn([valueAt(config, ['fallback_model'])]),
  ];
  const wanted = [
    { name, block: main },
    ...others.map((block) => ({ name: wordOf(firstOf(block, 'model')) ?? '', block })),
  ];
  return wanted.flatMap(({ name: model, block }): readonly FoundModel[] => {
    const provider = wordOf(firstOf(block, 'provider')) ?? 'auto';
    if (model === '') return [];
    if (/^(?:nous|openai-codex|copilot|qwen-oauth|google-gemini-cli)$/.test(provider)) {
      gathered.left.push({ what: `${provider}: ${model}`, file, why: (language) => migrateWords[language].oauthModel });
      return [];
    }
    const written = writtenModel({ model, provider, block }, config);
    return [modelOf({ ...written, file, variables }, gathered)].flatMap((found) => found ?? []);
  });
}

/** Its providers are named in three places, and the key may be a variable's name. */
function writtenModel(
  {
    model,
    provider,
    block,
  }: { readonly model: string; readonly provider: string; readonly block: JsonValue | undefined },
  config: JsonValue,
): Pick<WrittenModel, 'name' | 'family' | 'baseUrl' | 'key'> {
  const bare = provider.replace(/^custom:/, '');
  const listed = objectsIn(valueAt(config, ['custom_providers'])).find((one) => firstOf(one, 'name') === bare);
  const own = valueAt(config, ['providers', bare]) ?? listed;
  const variable = wordOf(firstOf(block, 'key_env', 'api_key_env') ?? firstOf(own, 'key_env', 'api_key_env'));
  const written = wordOf(firstOf(block, 'base_url') ?? firstOf(own, 'base_url'));
  // What no block names goes through OpenRouter, whose names of models begin with the maker's.
  const isRouter =
    provider === 'openrouter' || (provider === 'auto' && (written === undefined || written.includes('openrouter.ai')));
  const baseUrl = isRouter ? undefined : written;
  const key =
    firstOf(block, 'api_key') ?? firstOf(own, 'api_key') ?? (variable === undefined ? undefined : `\${${variable}}`);
  const family = isRouter
    ? 'openrouter'
    : own !== undefined || provider === 'auto'
      ? 'custom'
      : (families.get(bare) ?? bare);
  return { name: model, family, baseUrl, key };
}

const families: ReadonlyMap<string, string> = new Map(
  Object.entries({ 'kimi-coding': 'moonshot', ollama: 'custom', vllm: 'custom' }),
);

async function channelsOf(parts: FormerConfig): Promise<readonly FoundChannel[]> {
  const { gathered, config, variables } = parts;
  const found: FoundChannel[] = [];
  for (const channel of ['telegram', 'slack', 'discord'] as const) {
    const upper = channel.toUpperCase();
    const block = valueAt(config, ['platforms', channel]) ?? valueAt(config, ['gateway', 'platforms', channel]);
    const token = firstOf(block, 'token', 'bot_token') ?? variables[`${upper}_BOT_TOKEN`];
    const people = [...idsOf(variables[`${upper}_ALLOWED_USERS`]), ...(await approvedIn(channel, gathered))];
    if (token === undefined && people.length === 0) continue;
    const all = variables[`${upper}_ALLOW_ALL_USERS`] ?? variables.GATEWAY_ALLOW_ALL_USERS ?? '';
    const isOpen = /^(?:true|1|yes)$/i.test(all);
    const tokens = {
      token,
      bot_token: token,
      app_token: firstOf(block, 'app_token') ?? variables[`${upper}_APP_TOKEN`],
    };
    const isOn = firstOf(block, 'enabled') !== false;
    found.push(
      channelOf(
        { channel, file: '.env', isOn, isOpen, tokens, people, groups: groupsOf(upper, parts), variables },
        gathered,
      ),
    );
  }
  return found;
}

/** Chats where it answers. In some of them it listened to all members. */
function groupsOf(upper: string, { variables, gathered }: FormerConfig): Readonly<Record<string, WrittenGroup>> {
  const open = idsOf(variables[`${upper}_GROUP_ALLOWED_CHATS`]);
  for (const id of open)
    gathered.left.push({
      what: `${upper}_GROUP_ALLOWED_CHATS: ${id}`,
      file: '.env',
      why: (language) => migrateWords[language].everybody,
    });
  const rooms = [
    ...idsOf(variables[`${upper}_ALLOWED_CHATS`]),
    ...idsOf(variables[`${upper}_ALLOWED_CHANNELS`]),
    ...open,
  ];
  const needsMention = !/^(?:false|0|no)$/i.test(variables[`${upper}_REQUIRE_MENTION`] ?? '');
  return Object.fromEntries(rooms.map((id) => [id, { needsMention, people: [] }]));
}

/** Who was let in by a code: newer versions keep it in another folder. */
async function approvedIn(channel: string, gathered: Gathering): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const folder of ['platforms/pairing', 'pairing']) {
    const store = await dataOf(join(gathered.folder, folder, `${channel}-approved.json`), 'json', gathered);
    if (isJsonObject(store)) ids.push(...Object.keys(store));
  }
  return ids;
}

/** Jobs that say only a platform's name go to its home channel. */
async function jobsOf({ gathered, variables }: FormerConfig): Promise<readonly FoundSchedule[]> {
  const path = join(gathered.folder, 'cron', 'jobs.json');
  const data = (await dataOf(path, 'json', gathered)) ?? null;
  const held = Array.isArray(data) ? data : valueAt(data, ['jobs']);
  const jobs = Array.isArray(held) ? objectsIn(held) : objectsIn(Object.values(isJsonObject(held) ? held : {}));
  const placed = jobs.map((job) => {
    const home = variables[`${String(firstOf(job, 'deliver') ?? '').toUpperCase()}_HOME_CHANNEL`];
    return home === undefined ? job : { ...job, deliver: `${String(job.deliver)}:${home}` };
  });
  return schedulesOf(placed, shortName(path, gathered), gathered);
}

function serversOf({ gathered, file, config, variables }: FormerConfig) {
  const servers = valueAt(config, ['mcp_servers']) ?? valueAt(config, ['mcp', 'servers']);
  return Object.entries(isJsonObject(servers) ? servers : {}).flatMap(
    ([name, written]) => serverOf({ name, written, file, variables }, gathered) ?? [],
  );
}

/** What runs there without a question does not here. In its YAML, `off` is false. */
function leaveRights({ gathered, file, config }: FormerConfig): void {
  const mode = valueAt(config, ['approvals', 'mode']);
  const allowed = idsOf(valueAt(config, ['command_allowlist'])).length;
  const rights = [
    ['approvals.mode: off', mode === false || mode === 'off'],
    [`command_allowlist: ${allowed}`, allowed > 0],
  ] as const;
  for (const [what, isThere] of rights)
    if (isThere) gathered.left.push({ what, file, why: (language) => migrateWords[language].withoutAsking });
  for (const what of ['hooks', 'plugins', 'quick_commands'])
    if (Object.keys(Object(valueAt(config, [what]))).length > 0)
      gathered.left.push({ what, file, why: (language) => migrateWords[language].ownMatter });
}
