import { expect, test } from 'vitest';
import type { JsonValue } from '../../../src/lib/json.ts';
import { mutations } from '../../contracts/mutations.ts';
import { ada, GatewayBench } from './gateway-bench.ts';

const user = { id: '1001000000000000050', username: 'eve', discriminator: '0', global_name: null, avatar: null };
const guild = '1002000000000000001';
const channel = { id: '1002000000000000002', type: 0, name: 'general', guild_id: guild, position: 0, parent_id: null };
const thread = {
  ...channel,
  id: '1002000000000000003',
  type: 11,
  parent_id: channel.id,
  thread_metadata: { locked: false },
};
const member = {
  user,
  roles: ['1002000000000000004'],
  nick: null,
  joined_at: '2026-01-01T00:00:00Z',
  deaf: false,
  mute: false,
};
const message = {
  id: '1002000000000000010',
  channel_id: channel.id,
  guild_id: guild,
  author: user,
  member,
  content: 'hello',
  timestamp: '2026-01-01T00:00:00Z',
  edited_timestamp: '2026-01-01T00:00:01Z',
  type: 19,
  mentions: [user],
  mention_roles: ['1002000000000000004'],
  attachments: [
    { id: '1', filename: 'a.txt', size: 3, url: 'https://cdn.discordapp.com/a.txt', content_type: 'text/plain' },
  ],
  embeds: [{ title: 'a', fields: [{ name: 'b', value: 'c' }] }],
  referenced_message: { id: '1002000000000000009', author: user, content: 'before' },
  message_reference: { message_id: '1002000000000000009', channel_id: channel.id },
  sticker_items: [{ id: '1', name: 's', format_type: 1 }],
};
const interaction = {
  id: '1002000000000000020',
  application_id: '1',
  token: 'token',
  type: 3,
  guild_id: guild,
  channel_id: channel.id,
  channel,
  member,
  message,
  data: { custom_id: 'ap:1:a', component_type: 2, name: 'stop', options: [{ name: 'text', type: 3, value: 'x' }] },
};

const sound: Readonly<Record<string, JsonValue>> = {
  GUILD_CREATE: { id: guild, name: 'Guild', channels: [channel], threads: [thread], members: [member], roles: [] },
  GUILD_UPDATE: { id: guild, name: 'Guild', roles: [{ id: '1002000000000000004', name: 'role' }] },
  GUILD_DELETE: { id: guild, unavailable: true },
  GUILD_MEMBER_UPDATE: { guild_id: guild, ...member },
  GUILD_ROLE_UPDATE: { guild_id: guild, role: { id: '1002000000000000004', name: 'role' } },
  CHANNEL_CREATE: channel,
  CHANNEL_UPDATE: channel,
  CHANNEL_DELETE: channel,
  THREAD_CREATE: thread,
  THREAD_LIST_SYNC: { guild_id: guild, threads: [thread], members: [] },
  MESSAGE_CREATE: message,
  MESSAGE_UPDATE: message,
  MESSAGE_DELETE: { id: message.id, channel_id: channel.id, guild_id: guild },
  MESSAGE_DELETE_BULK: { ids: [message.id], channel_id: channel.id, guild_id: guild },
  MESSAGE_REACTION_ADD: {
    user_id: user.id,
    message_id: message.id,
    channel_id: channel.id,
    emoji: { id: null, name: 'x' },
  },
  INTERACTION_CREATE: interaction,
  TYPING_START: { channel_id: channel.id, user_id: user.id, timestamp: 1, member },
  USER_UPDATE: user,
  READY: { v: 10, user, guilds: [], session_id: 'other', resume_gateway_url: 'ws://127.0.0.1:1' },
  RESUMED: {},
};

test('two hundred and more events of other shapes end nothing: what people say comes in', async () => {
  const bench = await GatewayBench.open();
  const { server, host } = bench;
  await bench.connect();
  let count = 0;
  for (const [event, payload] of Object.entries(sound)) {
    for (const mutated of [payload, null, 7, 'text', [], ...mutations(payload, 25)]) {
      server.dispatch(event, mutated ?? null);
      count += 1;
    }
    await bench.hears(`after ${event}`);
  }
  expect(count).toBeGreaterThan(400);
  expect(host.logged.filter((line) => line.includes('was not understood'))).toEqual([]);
  expect(server.gateway.identifies).toHaveLength(1);
  expect(server.gateway.resumes).toHaveLength(0);
  expect(host.words.filter((words) => words.startsWith('after '))).toHaveLength(Object.keys(sound).length);
  expect(server.chat(server.direct(ada))).toHaveLength(Object.keys(sound).length);
  await bench.close();
});
