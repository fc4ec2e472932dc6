/* nanobot: JSON with camelCase or snake_case keys, a workspace of Markdown, jobs in JSON. */

import { join } from 'node:path';
import { isJsonObject, type JsonValue, objectsIn, valueAt } from '../../../lib/json.ts';
import { channelOf, leaveChannels, type WrittenGroup } from '../channels.ts';
import type { Findings, Former, FoundChannel, FoundModel, FoundSchedule, Looking } from '../findings.ts';
import { type FormerConfig, formerConfig } from '../former-config.ts';
import { dataOf, firstOf, type Gathering, idsOf, namedIn, shortName, wordOf } from '../gathering.ts';
import { modelOf, settingsFor } from '../models.ts';
import { schedulesOf } from '../schedules.ts';
import { serverOf } from '../servers.ts';
import { migrateWords } from '../words.ts';
import { instructionsIn, leaveFolders, memoriesIn } from '../workspace-files.ts';

export const nanobot: Former = {
  name: 'nanobot',
  title: 'nanobot',
  folders: ['.nanobot'],
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
  const findings = {
    models: modelsOf(all, defaults),
    channels: await channelsOf(all),
    instructions: await instructionsIn(workspace, ['SOUL.md', 'AGENTS.md'], gathered),
    memories: await memoriesIn(workspace, ['USER.md', 'memory/MEMORY.md'], gathered),
    schedules: await jobsIn(workspace, gathered),
    servers: serversOf(all),
    timeZone:
      firstOf(defaults, 'timezoneMode', 'timezone_mode') === 'auto' ? undefined : wordOf(firstOf(defaults, 'timezone')),
  };
  // Its shell asks nobody.
  if (valueAt(config, ['tools', 'exec', 'enable']) !== false && isJsonObject(valueAt(config, ['tools', 'exec'])))
    gathered.left.push({ what: 'tools.exec', file: all.file, why: (language) => migrateWords[language].withoutAsking });
  await leaveFolders(
    [
      [join(workspace, 'skills'), 'skills'],
      [join(workspace, 'sessions'), 'sessions'],
      [join(folder, 'sessions'), 'sessions'],
    ],
    gathered,
  );
  return { ...findings, left: gathered.left };
}

function modelsOf({ gathered, file, config, variables }: FormerConfig, defaults: JsonValue): readonly FoundModel[] {
  const preset = wordOf(firstOf(defaults, 'modelPreset', 'model_preset'));
  const presets = firstOf(config, 'modelPresets', 'model_presets') ?? null;
  const chosen = preset === undefined ? defaults : (valueAt(presets, [preset]) ?? defaults);
  const others = firstOf(defaults, 'fallbackModels', 'fallback_models');
  const candidates = [chosen, ...(Array.isArray(others) ? others : [])].map((one) =>
    typeof one === 'string' ? (valueAt(presets, [one]) ?? { model: one }) : one,
  );
  return candidates.flatMap((candidate) => {
    const [name, family] = [wordOf(firstOf(candidate, 'model')), wordOf(firstOf(candidate, 'provider'))];
    if (name === undefined) return [];
    const own = settingsFor({ name, family }, valueAt(config, ['providers']) ?? null);
    const written = {
      name,
      family,
      baseUrl: firstOf(own, 'apiBase', 'api_base'),
      key: firstOf(own, 'apiKey', 'api_key'),
    };
    return modelOf({ ...written, file, variables }, gathered) ?? [];
  });
}

async function channelsOf({ gathered, file, config, variables }: FormerConfig): Promise<readonly FoundChannel[]> {
  const channels = valueAt(config, ['channels']);
  const blocks = Object.entries(isJsonObject(channels) ? channels : {}).filter(([, block]) => isJsonObject(block));
  leaveChannels(
    blocks.filter(([, block]) => firstOf(block, 'enabled') === true).map(([name]) => name),
    file,
    gathered,
  );
  const approved =
    valueAt((await dataOf(join(gathered.folder, 'pairing.json'), 'json', gathered)) ?? null, ['approved']) ?? null;
  return (['telegram', 'slack', 'discord'] as const).flatMap((channel) => {
    const block = valueAt(channels ?? null, [channel]);
    const token = firstOf(block, 'token');
    // It writes the block of each channel, also of those that nobody uses.
    if (!isJsonObject(block) || (firstOf(block, 'enabled') !== true && wordOf(token) === undefined)) return [];
    return channelOf(
      {
        channel,
        file,
        isOn: firstOf(block, 'enabled') === true,
        tokens: {
          token,
          bot_token: firstOf(block, 'botToken', 'bot_token'),
          app_token: firstOf(block, 'appToken', 'app_token'),
        },
        people: [...idsOf(firstOf(block, 'allowFrom', 'allow_from')), ...idsOf(valueAt(approved, [channel]))],
        groups: groupsOf(block),
        variables,
      },
      gathered,
    );
  });
}

/** Rooms where the bot may talk. Without any, it talks in all. */
function groupsOf(block: JsonValue): Readonly<Record<string, WrittenGroup>> {
  const rooms = idsOf(firstOf(block, 'allowChannels', 'allow_channels', 'groupAllowFrom', 'group_allow_from'));
  const needsMention = firstOf(block, 'groupPolicy', 'group_policy') !== 'open';
  return Object.fromEntries(rooms.map((id) => [id, { needsMention, people: [] }]));
}

/** Newer versions keep the jobs in the workspace. */
async function jobsIn(workspace: string, gathered: Gathering): Promise<readonly FoundSchedule[]> {
  const found: FoundSchedule[] = [];
  for (const path of [join(workspace, 'cron', 'jobs.json'), join(gathered.folder, 'cron', 'jobs.json')]) {
    const jobs = objectsIn(valueAt((await dataOf(path, 'json', gathered)) ?? null, ['jobs']));
    const own = jobs.filter((job) => wordOf(valueAt(job, ['payload', 'kind'])) !== 'system_event');
    found.push(...schedulesOf(own, shortName(path, gathered), gathered));
  }
  return found;
}

function serversOf({ gathered, file, config, variables }: FormerConfig) {
  const servers = firstOf(valueAt(config, ['tools']), 'mcpServers', 'mcp_servers');
  return Object.entries(isJsonObject(servers) ? servers : {}).flatMap(
    ([name, written]) => serverOf({ name, written, file, variables }, gathered) ?? [],
  );
}
