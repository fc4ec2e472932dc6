import type { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/lib/json.ts';
import { mutations } from './mutations.ts';

/** Where the sound ones take place, and who is there. */
interface RubbishScene {
  readonly userId: string;
  readonly directId: string;
  readonly guildId: string;
  readonly channelId: string;
  readonly threadId: string;
}

/** Frames that no gateway sends, none of which asks for another connection. */
const frames: readonly unknown[] = [
  'no JSON',
  '',
  'null',
  '[]',
  {},
  { op: null, d: null },
  { op: 0 },
  { op: 0, t: null, s: null, d: null },
  { op: 0, t: 'MESSAGE_CREATE', s: 'one', d: {} },
  { op: 0, t: 'READY', s: 1, d: null },
  { op: 10, d: null },
  { op: 11, d: { heartbeat_interval: 'soon' } },
  { op: 99, d: {} },
];

/** So many mutations of each event. */
const each = 20;

/** Tells the bot what Discord does not tell: mutations of each sound event, and frames that are none. */
export function deliverRubbish(server: DiscordServer, scene: RubbishScene): void {
  for (const frame of frames) server.gateway.sendFrame(frame);
  for (const [event, sound] of soundEvents(server, scene))
    for (const payload of mutations(sound, each)) server.dispatch(event, payload);
}

/** An event of each kind that the bot reads, as Discord tells of it. */
export function soundEvents(server: DiscordServer, scene: RubbishScene): readonly (readonly [string, JsonObject])[] {
  const { userId, directId, guildId, channelId, threadId } = scene;
  const author = { id: userId, username: 'owner', discriminator: '0', global_name: 'Owner', avatar: null };
  const said = {
    ...{ id: '1500000000000000100', author, type: 0, timestamp: '2026-01-01T00:00:00.000Z', edited_timestamp: null },
    ...{ content: `<@${server.bot.id}> sound`, mentions: [json(server.bot)], mention_roles: [], embeds: [], flags: 0 },
    attachments: [
      { id: '1500000000000000101', filename: 'a.png', size: 3, url: server.apiUrl, content_type: 'image/png' },
    ],
  };
  const member = { nick: 'Ada', roles: ['1500000000000000009'], joined_at: '2026-01-01T00:00:00.000Z' };
  const direct = { ...said, channel_id: directId, channel_type: 1 };
  const poll = { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'yes' } }] };
  const rich = { sticker_items: [{ id: '1', name: 'Wave' }], poll };
  const inGuild = { ...said, ...rich, channel_id: channelId, guild_id: guildId, member };
  const reply = {
    ...{ ...inGuild, channel_id: threadId, type: 19, referenced_message: { ...said, channel_id: threadId } },
    message_snapshots: [{ message: said }],
  };
  const edited = { edited_timestamp: '2026-01-01T00:01:00.000Z', content: 'other words' };
  const asked = { id: '1500000000000000200', application_id: server.application.id, version: 1, token: 'a-token' };
  const place = { channel_id: channelId, guild_id: guildId, member: { ...member, user: author } };
  const press = { ...asked, ...place, type: 3, data: { component_type: 2, custom_id: 'ap:x:a' }, message: inGuild };
  const field = { type: 18, component: { type: 4, custom_id: 'reason', value: 'no' } };
  const form = { ...press, type: 5, data: { custom_id: 'modal:ap:x:d', components: [field] } };
  const command = { ...asked, channel_id: directId, user: author, type: 2, data: { id: '1', name: 'help', type: 1 } };
  const channel = { id: channelId, type: 0, name: 'team', guild_id: guildId, parent_id: null };
  const thread = { id: threadId, type: 11, name: 'plans', guild_id: guildId, parent_id: channelId };
  const role = { id: '1500000000000000009', name: 'cooks', tags: { bot_id: server.bot.id } };
  const guild = {
    id: guildId,
    name: 'Guild',
    unavailable: false,
    channels: [channel],
    threads: [thread],
    roles: [role],
  };
  const gone = { id: said.id, channel_id: channelId, guild_id: guildId };
  return [
    ['MESSAGE_CREATE', direct],
    ['MESSAGE_CREATE', inGuild],
    ['MESSAGE_CREATE', reply],
    ['MESSAGE_UPDATE', { ...direct, ...edited }],
    ['MESSAGE_UPDATE', { ...inGuild, ...edited }],
    ['MESSAGE_DELETE', gone],
    ['MESSAGE_DELETE_BULK', { ids: [said.id], channel_id: channelId, guild_id: guildId }],
    ['INTERACTION_CREATE', press],
    ['INTERACTION_CREATE', form],
    ['INTERACTION_CREATE', command],
    ['GUILD_CREATE', guild],
    ['GUILD_ROLE_UPDATE', { guild_id: guildId, role }],
    ['CHANNEL_UPDATE', channel],
    ['THREAD_CREATE', thread],
    ['THREAD_LIST_SYNC', { guild_id: guildId, threads: [thread] }],
  ];
}

function json(value: unknown): JsonValue {
  const copy: unknown = JSON.parse(JSON.stringify(value));
  if (!isJsonObject(copy)) throw new Error('It is no object.');
  return copy;
}
