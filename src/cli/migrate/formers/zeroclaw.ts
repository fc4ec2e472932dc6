/* ZeroClaw: TOML in three versions of its schema, memories and jobs in SQLite, a workspace for each agent. */

import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue, objectsIn, valueAt } from '../../../lib/json.ts';
import { channelOf, leaveChannels, type WrittenGroup } from '../channels.ts';
import type { Findings, Former, FoundChannel, FoundMemory, FoundModel, FoundSchedule, Looking } from '../findings.ts';
import { tableOf } from '../foreign-table.ts';
import { type FormerConfig, formerConfig } from '../former-config.ts';
import { firstOf, idsOf, shortName, wordOf } from '../gathering.ts';
import { modelOf } from '../models.ts';
import { schedulesOf } from '../schedules.ts';
import { serverOf } from '../servers.ts';
import { migrateWords } from '../words.ts';
import { instructionsIn, leaveFolders, memoriesIn } from '../workspace-files.ts';

export const zeroclaw: Former = {
  name: 'zeroclaw',
  title: 'ZeroClaw',
  folders: ['.zeroclaw'],
  variable: 'ZEROCLAW_CONFIG_DIR',
  marks: ['config.toml'],
  read,
};

/** The newest `schema_version` that these lines were written for. */
const knownSchema = 3;

interface Config extends FormerConfig {
  /** The agent that answers, by its alias; undefined before the third version. */
  readonly agent: string | undefined;
}

async function read(looking: Looking): Promise<Findings> {
  const { folder } = looking;
  const found = await formerConfig(looking, 'config.toml', 'toml');
  const { gathered, file, config } = found;
  const version = Number(valueAt(config, ['schema_version']) ?? 1);
  if (version > knownSchema)
    gathered.left.push({
      what: `schema_version: ${version}`,
      file,
      why: (language) => migrateWords[language].newerFormat,
    });
  const all: Config = { ...found, agent: agentOf(config) };
  leaveRights(all);
  const workspaces = [
    ...(all.agent === undefined ? [] : [join(folder, 'agents', all.agent, 'workspace')]),
    join(folder, 'workspace'),
  ];
  const texts = await Promise.all(
    workspaces.map((one) => instructionsIn(one, ['SOUL.md', 'IDENTITY.md', 'AGENTS.md'], gathered)),
  );
  const notes = await Promise.all(workspaces.map((one) => memoriesIn(one, ['USER.md', 'MEMORY.md'], gathered)));
  const findings = {
    models: modelsOf(all),
    channels: channelsOf(all),
    instructions: texts.flat(),
    memories: [...notes.flat(), ...memoriesOf(all)],
    schedules: jobsOf(all),
    servers: serversOf(all),
  };
  await leaveFolders(
    [
      [join(folder, 'shared', 'skills'), 'skills'],
      [join(folder, 'workspace', 'skills'), 'skills'],
    ],
    gathered,
  );
  return { ...findings, left: gathered.left };
}

/** The first agent that is on. */
function agentOf(config: JsonValue): string | undefined {
  const agents = valueAt(config, ['agents']);
  const entries = Object.entries(isJsonObject(agents) ? agents : {});
  const on = entries.filter(
    ([, agent]) => firstOf(agent, 'model_provider') !== undefined && firstOf(agent, 'enabled') !== false,
  );
  return on[0]?.[0];
}

function modelsOf({ gathered, file, config, variables, agent }: Config): readonly FoundModel[] {
  const entries = providersIn(config);
  const chosen = agent === undefined ? undefined : wordOf(valueAt(config, ['agents', agent, 'model_provider']));
  const first =
    chosen ?? wordOf(valueAt(config, ['providers', 'fallback'])) ?? wordOf(valueAt(config, ['default_provider']));
  const name = wordOf(valueAt(config, ['default_model']));
  if (first === undefined) return [];
  const block = entries[first];
  const others = idsOf(firstOf(block, 'fallback')).filter((one) => one !== first);
  return [first, ...others].flatMap((reference, index) => {
    const own = entries[reference];
    const [written = '', address] = (reference.split('.')[0] ?? '').split(/:(.*)/s);
    const model = wordOf(firstOf(own, 'model')) ?? (index === 0 ? name : undefined);
    if (model === undefined) {
      gathered.left.push({ what: reference, file, why: (language) => migrateWords[language].otherModel });
      return [];
    }
    if (firstOf(own, 'requires_openai_auth') === true && firstOf(own, 'api_key') === undefined) {
      gathered.left.push({ what: reference, file, why: (language) => migrateWords[language].oauthModel });
      return [];
    }
    const top = index === 0 ? firstOf(config, 'api_key') : undefined;
    const keys = { baseUrl: firstOf(own, 'uri', 'base_url') ?? address, key: firstOf(own, 'api_key') ?? top };
    return modelOf({ name: model, family: written, ...keys, file, variables }, gathered) ?? [];
  });
}

/** Its providers by the names that others refer to them: `anthropic`, or in the third version `anthropic.home`. */
function providersIn(config: JsonValue): Readonly<Record<string, JsonValue>> {
  const models = valueAt(config, ['providers', 'models']) ?? valueAt(config, ['model_providers']);
  return Object.fromEntries(
    Object.entries(isJsonObject(models) ? models : {}).flatMap(
      ([family, block]): readonly (readonly [string, JsonValue])[] => {
        if (!isJsonObject(block)) return [];
        const aliases = Object.entries(block).filter(([, alias]) => isJsonObject(alias) && !('value' in alias));
        const isEntry = ['model', 'api_key', 'base_url', 'uri', 'name'].some((key) => typeof block[key] === 'string');
        return isEntry
          ? [[family, block] as const]
          : aliases.map(([alias, own]) => [`${family}.${alias}`, own] as const);
      },
    ),
  );
}

function channelsOf(all: Config): readonly FoundChannel[] {
  const { gathered, file, config, variables } = all;
  const channels = valueAt(config, ['channels']) ?? valueAt(config, ['channels_config']);
  const blocks = Object.entries(isJsonObject(channels) ? channels : {}).filter(([, block]) => isJsonObject(block));
  leaveChannels(
    blocks.map(([name]) => name).filter((name) => !['cli', 'webhook'].includes(name)),
    file,
    gathered,
  );
  return (['telegram', 'slack', 'discord'] as const).flatMap((channel) => {
    const [[alias, block] = [undefined, undefined], ...others] = accountsOf(valueAt(channels ?? null, [channel]));
    if (block === undefined) return [];
    for (const [name] of others)
      gathered.left.push({ what: `${channel}.${name}`, file, why: (language) => migrateWords[language].oneBot });
    const token = firstOf(block, 'bot_token');
    const people = [...idsOf(firstOf(block, 'allowed_users')), ...peersOf(config, channel, alias)];
    // Single channels are fewer than the servers that they are in.
    const single = idsOf(firstOf(block, 'channel_ids', 'channel_id'));
    const rooms = single.length > 0 ? single : idsOf(firstOf(block, 'guild_ids', 'guild_id'));
    const group: WrittenGroup = { needsMention: firstOf(block, 'mention_only') !== false, people: [] };
    const groups = Object.fromEntries(rooms.filter((id) => id !== '*').map((id) => [id, group]));
    const tokens = { token, bot_token: token, app_token: firstOf(block, 'app_token') };
    const isOn = firstOf(block, 'enabled') !== false;
    return channelOf({ channel, file, isOn, tokens, people, groups, variables }, gathered);
  });
}

/** In the third version each channel has a block per bot, by its alias. Those that are on come first. */
function accountsOf(
  block: JsonValue | undefined,
): readonly (readonly [alias: string | undefined, block: JsonObject])[] {
  if (!isJsonObject(block)) return [];
  if (firstOf(block, 'bot_token', 'allowed_users') !== undefined) return [[undefined, block]];
  const aliases = Object.entries(block).flatMap(([alias, own]) => (isJsonObject(own) ? [[alias, own] as const] : []));
  return aliases.toSorted(([, one], [, other]) => Number(other.enabled === true) - Number(one.enabled === true));
}

/** Who may talk on a channel, by the groups of the third version. */
function peersOf(config: JsonValue, channel: string, alias: string | undefined): readonly string[] {
  const groups = valueAt(config, ['peer_groups']);
  const own = Object.values(isJsonObject(groups) ? groups : {}).filter((group) =>
    [channel, `${channel}.${alias}`].includes(wordOf(firstOf(group, 'channel')) ?? ''),
  );
  const ignored = new Set(own.flatMap((group) => idsOf(firstOf(group, 'ignore'))));
  return own.flatMap((group) => idsOf(firstOf(group, 'external_peers'))).filter((id) => !ignored.has(id));
}

/** What it keeps of conversations is no memory of a person. */
function memoriesOf({ gathered }: Config): readonly FoundMemory[] {
  const paths = ['data/memory/brain.db', 'workspace/memory/brain.db', 'memory/brain.db'];
  return paths.flatMap((path) =>
    tableOf(join(gathered.folder, path), 'memories', gathered).flatMap((row) => {
      const [key, text, category] = [wordOf(row.key), wordOf(row.content), wordOf(row.category)];
      if (text === undefined || category === 'conversation' || wordOf(row.superseded_by) !== undefined) return [];
      const isName = key !== undefined && !/^[0-9a-f-]{16,}$|_\d{8,}$/.test(key);
      return { file: path, text: isName ? `${key}: ${text}` : text, tags: category === undefined ? [] : [category] };
    }),
  );
}

/** Jobs that its config declares stand in the database, too. */
function jobsOf({ gathered, file, config }: Config): readonly FoundSchedule[] {
  const declared = valueAt(config, ['cron']);
  const own = Object.entries(isJsonObject(declared) ? declared : {}).flatMap(([name, job]) =>
    isJsonObject(job) && job.schedule !== undefined ? [{ name, ...job }] : [],
  );
  const listed = objectsIn(valueAt(config, ['cron', 'jobs']));
  const stored = ['data/cron/jobs.db', 'workspace/cron/jobs.db', 'cron/jobs.db'].flatMap((path) => {
    const rows = tableOf(join(gathered.folder, path), 'cron_jobs', gathered).filter(
      (row) => row.source !== 'declarative',
    );
    const jobs = rows.map((row) => ({
      ...row,
      enabled: row.enabled !== 0,
      schedule: row.schedule ?? row.expression ?? null,
    }));
    return schedulesOf(jobs, shortName(join(gathered.folder, path), gathered), gathered);
  });
  return [...schedulesOf([...own, ...listed], file, gathered), ...stored];
}

function serversOf({ gathered, file, config, variables }: Config) {
  const listed = objectsIn(valueAt(config, ['mcp', 'servers']));
  return listed.flatMap(
    (written) => serverOf({ name: wordOf(written.name) ?? '', written, file, variables }, gathered) ?? [],
  );
}

/** What runs there without a question does not here. */
function leaveRights({ gathered, file, config }: Config): void {
  const profiles = valueAt(config, ['risk_profiles']);
  const named = [
    ['autonomy', valueAt(config, ['autonomy'])] as const,
    ...Object.entries(isJsonObject(profiles) ? profiles : {}),
  ];
  for (const [name, profile] of named) {
    const approved = idsOf(firstOf(profile, 'auto_approve'));
    const rights = [
      [`${name}.level: full`, firstOf(profile, 'level') === 'full'],
      [`${name}.auto_approve: ${approved.join(', ')}`, approved.length > 0],
      [`${name}.block_high_risk_commands: false`, firstOf(profile, 'block_high_risk_commands') === false],
    ] as const;
    for (const [what, isThere] of rights)
      if (isThere) gathered.left.push({ what, file, why: (language) => migrateWords[language].withoutAsking });
  }
  const agents = valueAt(config, ['agents']);
  if (Object.keys(isJsonObject(agents) ? agents : {}).length > 1)
    gathered.left.push({ what: 'agents', file, why: (language) => migrateWords[language].manyAgents });
}
