/* ZeptoClaw: JSON with snake_case keys, memories and jobs in JSON. */

import { join } from 'node:path';
import { isJsonObject, type JsonValue, objectsIn, valueAt } from '../../../lib/json.ts';
import { channelOf, leaveChannels } from '../channels.ts';
import type { Findings, Former, FoundChannel, FoundMemory, FoundModel, FoundSchedule, Looking } from '../findings.ts';
import { type FormerConfig, formerConfig } from '../former-config.ts';
import { dataOf, firstOf, type Gathering, idsOf, namedIn, shortName, wordOf } from '../gathering.ts';
import { familyByName, modelOf } from '../models.ts';
import { schedulesOf } from '../schedules.ts';
import { serverOf } from '../servers.ts';
import { migrateWords } from '../words.ts';
import { instructionsIn, leaveFolders } from '../workspace-files.ts';

export const zeptoclaw: Former = {
  name: 'zeptoclaw',
  title: 'ZeptoClaw',
  folders: ['.zeptoclaw'],
  marks: ['config.json'],
  read,
};

async function read(looking: Looking): Promise<Findings> {
  const { folder } = looking;
  const all = await formerConfig(looking, 'config.json', 'json');
  const { gathered, config } = all;
  const defaults = valueAt(config, ['agents', 'defaults']) ?? null;
  const written = wordOf(firstOf(defaults, 'workspace'));
  const workspace = namedIn(written, join(folder, 'workspace'), gathered);
  const prompt = wordOf(firstOf(defaults, 'system_prompt'));
  const instructions = await instructionsIn(workspace, ['SOUL.md', 'AGENTS.md'], gathered);
  leaveRights(all);
  const findings = {
    models: modelsOf(all, defaults),
    channels: channelsOf(all),
    instructions: [...instructions, ...(prompt === undefined ? [] : [{ file: all.file, text: prompt }])],
    memories: await memoriesOf(gathered),
    schedules: await jobsOf(gathered),
    servers: serversOf(all),
    timeZone: wordOf(firstOf(defaults, 'timezone')),
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

function modelsOf({ gathered, file, config, variables }: FormerConfig, defaults: JsonValue): readonly FoundModel[] {
  const providers = valueAt(config, ['providers']) ?? null;
  const name = wordOf(firstOf(defaults, 'model'));
  if (name === undefined) return [];
  const own = familyOf(name, providers);
  const other = wordOf(valueAt(providers, ['fallback', 'provider']));
  const isOn = valueAt(providers, ['fallback', 'enabled']) === true;
  const otherName = other === undefined || !isOn ? undefined : wordOf(valueAt(providers, [other, 'model']));
  const wanted = [[name, own], ...(otherName === undefined ? [] : [[otherName, other] as const])] as const;
  return wanted.flatMap(([model, family]) => {
    const block = family === undefined ? undefined : valueAt(providers, [family]);
    const usual = family === undefined ? undefined : variables[`ZEPTOCLAW_PROVIDERS_${family.toUpperCase()}_API_KEY`];
    const keys = { baseUrl: firstOf(block, 'api_base'), key: firstOf(block, 'api_key') ?? usual };
    return modelOf({ name: model, family, ...keys, file, variables }, gathered) ?? [];
  });
}

/** It picks the provider by the model's name, or else takes one that has a key. */
function familyOf(name: string, providers: JsonValue): string | undefined {
  const keyed = Object.entries(isJsonObject(providers) ? providers : {})
    .filter(([, block]) => firstOf(block, 'api_key', 'api_base') !== undefined)
    .map(([family]) => family);
  const byName = familyByName(name);
  if (keyed.includes(byName)) return byName;
  return keyed.includes('openrouter') && name.includes('/') ? 'openrouter' : keyed[0];
}

function channelsOf({ gathered, file, config, variables }: FormerConfig): readonly FoundChannel[] {
  const channels = valueAt(config, ['channels']);
  const blocks = Object.entries(isJsonObject(channels) ? channels : {}).filter(([, block]) => isJsonObject(block));
  leaveChannels(
    blocks.filter(([, block]) => firstOf(block, 'enabled') === true).map(([name]) => name),
    file,
    gathered,
  );
  return (['telegram', 'slack', 'discord'] as const).flatMap((channel) => {
    const block = valueAt(channels ?? null, [channel]);
    if (!isJsonObject(block)) return [];
    const allowed = firstOf(block, 'allow_from', 'allowed_senders', 'allowed_chats');
    // Nobody named means everybody there.
    const isOpen = idsOf(allowed).length === 0 && firstOf(block, 'deny_by_default') !== true;
    const upper = `ZEPTOCLAW_CHANNELS_${channel.toUpperCase()}`;
    const token = firstOf(block, 'token', 'bot_token') ?? variables[`${upper}_TOKEN`];
    const tokens = {
      token,
      bot_token: firstOf(block, 'bot_token') ?? variables[`${upper}_BOT_TOKEN`],
      app_token: firstOf(block, 'app_token') ?? variables[`${upper}_APP_TOKEN`],
    };
    const isOn = firstOf(block, 'enabled') !== false;
    return channelOf({ channel, file, isOn, isOpen, tokens, people: allowed, variables }, gathered);
  });
}

/** A map or a list of entries, each with a key and a value. */
async function memoriesOf(gathered: Gathering): Promise<readonly FoundMemory[]> {
  const path = join(gathered.folder, 'memory', 'longterm.json');
  const store = await dataOf(path, 'json', gathered);
  const held = firstOf(store, 'entries') ?? store;
  const entries = Array.isArray(held) ? objectsIn(held) : objectsIn(Object.values(isJsonObject(held) ? held : {}));
  return entries.flatMap((entry) => {
    const [key, value] = [wordOf(firstOf(entry, 'key')), wordOf(firstOf(entry, 'value'))];
    if (value === undefined) return [];
    const category = wordOf(firstOf(entry, 'category'));
    const tags = [...new Set([...(category === undefined ? [] : [category]), ...idsOf(firstOf(entry, 'tags'))])];
    return { file: shortName(path, gathered), text: key === undefined ? value : `${key}: ${value}`, tags };
  });
}

async function jobsOf(gathered: Gathering): Promise<readonly FoundSchedule[]> {
  const path = join(gathered.folder, 'cron', 'jobs.json');
  const jobs = objectsIn(valueAt((await dataOf(path, 'json', gathered)) ?? null, ['jobs']));
  const found = schedulesOf(jobs, shortName(path, gathered), gathered);
  // It reckons in UTC, whatever its time zone is.
  return found.map((one) => (one.when.type === 'cron' ? { ...one, when: { ...one.when, timeZone: 'UTC' } } : one));
}

function serversOf({ gathered, file, config, variables }: FormerConfig) {
  return objectsIn(valueAt(config, ['mcp', 'servers'])).flatMap((written) => {
    const name = wordOf(firstOf(written, 'name')) ?? '';
    return serverOf({ name, written, file, variables }, gathered) ?? [];
  });
}

/** What runs there without a question does not here. */
function leaveRights({ gathered, file, config }: FormerConfig): void {
  const rights = [
    ['agent_mode.mode: autonomous', valueAt(config, ['agent_mode', 'mode']) === 'autonomous'],
    ['approval.enabled: false', valueAt(config, ['approval', 'enabled']) === false],
    ['approval.policy: always_allow', valueAt(config, ['approval', 'policy']) === 'always_allow'],
  ] as const;
  for (const [what, isThere] of rights)
    if (isThere) gathered.left.push({ what, file, why: (language) => migrateWords[language].withoutAsking });
  for (const what of ['custom_tools', 'hooks', 'tool_profiles'])
    if (idsOf(valueAt(config, [what])).length + objectsIn(valueAt(config, [what])).length > 0)
      gathered.left.push({ what, file, why: (language) => migrateWords[language].ownMatter });
}
