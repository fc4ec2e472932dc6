/* OpenClaw, and Clawdbot and Moltbot, as it was called before: JSON5, a workspace of Markdown, jobs in JSON. */

import { join } from 'node:path';
import { isJsonObject, type JsonValue, objectsIn, valueAt } from '../../../lib/json.ts';
import { channelOf, leaveChannels, type WrittenGroup } from '../channels.ts';
import type { Findings, Former, FoundChannel, FoundModel, Looking } from '../findings.ts';
import type { FormerConfig } from '../former-config.ts';
import { dataOf, firstOf, type Gathering, gathering, idsOf, namedIn, shortName, wordOf } from '../gathering.ts';
import { modelOf } from '../models.ts';
import { schedulesOf } from '../schedules.ts';
import { variablesOf } from '../secrets.ts';
import { serverOf } from '../servers.ts';
import { migrateWords } from '../words.ts';
import { instructionsIn, leaveFolders, memoriesIn } from '../workspace-files.ts';

export const openclaw: Former = {
  name: 'openclaw',
  title: 'OpenClaw',
  folders: ['.openclaw', '.clawdbot', '.moltbot'],
  variable: 'OPENCLAW_STATE_DIR',
  marks: ['openclaw.json', 'clawdbot.json', 'moltbot.json'],
  read,
};

async function read(looking: Looking): Promise<Findings> {
  const gathered = gathering(looking);
  const { folder } = looking;
  const [path, config] = await configIn(folder, gathered);
  const inside = valueAt(config, ['env', 'vars']) ?? valueAt(config, ['env']);
  const set = Object.entries(isJsonObject(inside) ? inside : {}).map(([name, value]) => [name, wordOf(value)] as const);
  const variables = { ...Object.fromEntries(set), ...(await variablesOf(join(folder, '.env'), gathered)) };
  const all: FormerConfig = { gathered, file: shortName(path, gathered), config, variables };
  const workspace = await workspaceOf(all);
  leaveRights(all);
  const exec = await dataOf(join(folder, 'exec-approvals.json'), 'json', gathered);
  leaveAllowed(exec, gathered);
  const findings = {
    models: await modelsOf(all),
    channels: await channelsOf(all),
    instructions: await instructionsIn(workspace, ['SOUL.md', 'IDENTITY.md', 'AGENTS.md'], gathered),
    memories: await memoriesIn(workspace, ['USER.md', 'MEMORY.md'], gathered),
    schedules: await jobsOf(all),
    servers: serversOf(all),
    timeZone: wordOf(valueAt(config, ['agents', 'defaults', 'userTimezone'])),
  };
  await leaveFolders(
    [
      [join(workspace, 'memory'), 'days'],
      [join(workspace, 'skills'), 'skills'],
      [join(folder, 'skills'), 'skills'],
      [join(folder, 'agents', 'main', 'sessions'), 'sessions'],
    ],
    gathered,
  );
  return { ...findings, left: gathered.left };
}

async function configIn(folder: string, gathered: Gathering): Promise<readonly [path: string, config: JsonValue]> {
  for (const name of openclaw.marks) {
    const config = await dataOf(join(folder, name), 'json', gathered);
    if (config !== undefined) return [join(folder, name), config];
  }
  return [join(folder, 'openclaw.json'), {}];
}

async function workspaceOf({ gathered, config }: FormerConfig): Promise<string> {
  const written = wordOf(
    firstOf(valueAt(config, ['agents', 'defaults']), 'workspace') ?? valueAt(config, ['agent', 'workspace']),
  );
  return namedIn(written, join(gathered.folder, 'workspace'), gathered);
}

async function modelsOf(all: FormerConfig): Promise<readonly FoundModel[]> {
  const { gathered, file, config, variables } = all;
  const choice = firstOf(valueAt(config, ['agents', 'defaults']), 'model') ?? valueAt(config, ['agent', 'model']);
  const names = isJsonObject(choice)
    ? [...idsOf(choice.primary), ...idsOf(Array.isArray(choice.fallbacks) ? choice.fallbacks : undefined)]
    : idsOf(choice);
  const keys = await profileKeys(all, names);
  return names.flatMap((name) => {
    const [provider = ''] = name.split('/');
    const own = valueAt(config, ['models', 'providers', provider]);
    const api = wordOf(firstOf(own, 'api', 'apiType')) ?? '';
    const isForeign = /^(?:anthropic|google)/.test(api) && !['anthropic', 'google', 'gemini'].includes(provider);
    const written = {
      name: isForeign ? name.slice(provider.length + 1) : name,
      family: isForeign ? (/^anthropic/.test(api) ? 'anthropic' : 'google') : undefined,
      baseUrl: firstOf(own, 'baseUrl'),
      key: firstOf(own, 'apiKey') ?? keys.get(provider),
    };
    return modelOf({ ...written, file, variables }, gathered) ?? [];
  });
}

/** Keys that stand in the profiles of its agent, by provider. */
async function profileKeys({ gathered }: FormerConfig, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const path = join(gathered.folder, 'agents', 'main', 'agent', 'auth-profiles.json');
  const profiles = valueAt((await dataOf(path, 'json', gathered)) ?? null, ['profiles']);
  const used = new Set(names.map((name) => name.split('/')[0]));
  return new Map(
    Object.entries(isJsonObject(profiles) ? profiles : {}).flatMap(([what, profile]) => {
      const provider = wordOf(firstOf(profile, 'provider')) ?? '';
      const key = wordOf(firstOf(profile, 'key', 'token'));
      if (key !== undefined && firstOf(profile, 'type') !== 'oauth') return [[provider, key] as const];
      if (used.has(provider))
        gathered.left.push({
          what,
          file: shortName(path, gathered),
          why: (language) => migrateWords[language].oauthModel,
        });
      return [];
    }),
  );
}

async function channelsOf({ gathered, file, config, variables }: FormerConfig): Promise<readonly FoundChannel[]> {
  const channels = valueAt(config, ['channels']);
  const written = isJsonObject(channels) ? channels : {};
  leaveChannels(
    Object.keys(written).filter((name) => !['defaults', 'modelByChannel'].includes(name)),
    file,
    gathered,
  );
  const owners = idsOf(valueAt(config, ['commands', 'ownerAllowFrom']));
  const found: FoundChannel[] = [];
  for (const channel of ['telegram', 'slack', 'discord'] as const) {
    const block = written[channel];
    if (!isJsonObject(block)) continue;
    const account = valueAt(block, ['accounts', 'default']);
    const at = (...keys: readonly string[]): JsonValue | undefined =>
      firstOf(block, ...keys) ?? firstOf(account, ...keys);
    leaveAccounts(block, channel, file, gathered);
    const paired = await pairedIn(channel, gathered);
    const token = at('botToken', 'token');
    const listed = at('allowFrom') ?? valueAt(block, ['dm', 'allowFrom']);
    found.push(
      channelOf(
        {
          channel,
          file,
          isOn: at('enabled') !== false,
          isOpen: at('dmPolicy') === 'open' || at('groupPolicy') === 'open',
          tokens: { token, bot_token: token, app_token: at('appToken') },
          people: [...idsOf(listed), ...paired],
          owners: owners.filter((id) => id.startsWith(`${channel}:`)),
          groups: groupsOf(channel, block, idsOf(at('groupAllowFrom'))),
          variables,
        },
        gathered,
      ),
    );
  }
  return found;
}

function leaveAccounts(block: JsonValue, channel: string, file: string, gathered: Gathering): void {
  const accounts = valueAt(block, ['accounts']);
  const others = Object.keys(isJsonObject(accounts) ? accounts : {}).filter((name) => name !== 'default');
  for (const name of others)
    gathered.left.push({ what: `${channel}: ${name}`, file, why: (language) => migrateWords[language].oneBot });
}

/** Who was let in by a code. */
async function pairedIn(channel: string, gathered: Gathering): Promise<readonly string[]> {
  const names = [`${channel}-default-allowFrom.json`, `${channel}-allowFrom.json`];
  const lists: string[] = [];
  for (const name of names) {
    const store = await dataOf(join(gathered.folder, 'credentials', name), 'json', gathered);
    lists.push(...idsOf(firstOf(store, 'allowFrom')));
  }
  return lists;
}

/** Who may talk in a group is said for the group, or for all of them. A server of Discord may name some of its channels only. */
function groupsOf(channel: string, block: JsonValue, all: readonly string[]): Readonly<Record<string, WrittenGroup>> {
  const groups = firstOf(block, channel === 'telegram' ? 'groups' : channel === 'slack' ? 'channels' : 'guilds');
  const single = entriesOn(groups).flatMap(([id, group]) => {
    const rooms = firstOf(group, 'channels');
    if (channel !== 'discord' || !isJsonObject(rooms)) return [[id, group] as const];
    return entriesOn(rooms).map(([room, own]) => [`${id}/${room}`, { ...Object(group), ...Object(own) }] as const);
  });
  return Object.fromEntries(
    single.map(([id, group]) => [
      id,
      {
        needsMention: firstOf(group, 'requireMention') !== false,
        people: [...idsOf(firstOf(group, 'allowFrom', 'users')), ...all],
      },
    ]),
  );
}

/** The entries of an object that are not switched off. */
function entriesOn(object: JsonValue | undefined): readonly (readonly [string, JsonValue])[] {
  return Object.entries(isJsonObject(object) ? object : {}).filter(
    ([, entry]) => firstOf(entry, 'enabled') !== false && firstOf(entry, 'allow') !== false,
  );
}

async function jobsOf({ gathered, config }: FormerConfig) {
  const written = wordOf(valueAt(config, ['cron', 'store']));
  const path = namedIn(written, join(gathered.folder, 'cron', 'jobs.json'), gathered);
  const jobs = objectsIn(valueAt((await dataOf(path, 'json', gathered)) ?? null, ['jobs']));
  return schedulesOf(jobs, shortName(path, gathered), gathered);
}

function serversOf({ gathered, file, config, variables }: FormerConfig) {
  const servers = valueAt(config, ['mcp', 'servers']) ?? valueAt(config, ['mcpServers']);
  return Object.entries(isJsonObject(servers) ? servers : {}).flatMap(
    ([name, written]) => serverOf({ name, written, file, variables }, gathered) ?? [],
  );
}

/** What runs there without a question does not here. */
function leaveRights({ gathered, file, config }: FormerConfig): void {
  const exec = valueAt(config, ['tools', 'exec']);
  const rights = [
    ['tools.exec.ask: off', firstOf(exec, 'ask') === 'off'],
    ['tools.exec.security: full', firstOf(exec, 'security') === 'full'],
    ['tools.elevated', valueAt(config, ['tools', 'elevated', 'enabled']) === true],
  ] as const;
  for (const [what, isThere] of rights)
    if (isThere) gathered.left.push({ what, file, why: (language) => migrateWords[language].withoutAsking });
  const agents = objectsIn(valueAt(config, ['agents', 'list']));
  if (agents.length > 1)
    gathered.left.push({ what: 'agents.list', file, why: (language) => migrateWords[language].manyAgents });
  for (const what of ['hooks', 'plugins', 'bindings', 'browser', '$include'])
    if (valueAt(config, [what]) !== undefined)
      gathered.left.push({ what, file, why: (language) => migrateWords[language].ownMatter });
}

function leaveAllowed(exec: JsonValue | undefined, gathered: Gathering): void {
  const agents = firstOf(exec, 'agents');
  const patterns = Object.values(isJsonObject(agents) ? agents : {}).flatMap((agent) =>
    objectsIn(firstOf(agent, 'allowlist')),
  );
  if (patterns.length === 0 && valueAt(exec ?? null, ['defaults', 'security']) !== 'full') return;
  const [what, file] = [`exec-approvals.json: ${patterns.length}`, 'exec-approvals.json'];
  gathered.left.push({ what, file, why: (language) => migrateWords[language].withoutAsking });
}
