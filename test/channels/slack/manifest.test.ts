import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { settings } from '../../../channels/slack/settings.ts';
import { missingScopes, missingToTalk } from '../../../channels/slack/tokens.ts';

/** What an app must be allowed to do for each method of the Web API that is called here. */
const methodScopes: Readonly<Record<string, readonly string[]>> = {
  'auth.test': [],
  'bots.info': ['users:read'],
  'users.info': ['users:read'],
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'assistant.threads.setStatus': ['assistant:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'users.conversations': ['im:read', 'mpim:read'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'views.open': [],
  'views.publish': [],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.info': ['files:read'],
};

/** What an app must be allowed to do to be told of each event that is taken here. */
const eventScopes: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ['app_mentions:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  assistant_thread_started: ['assistant:write'],
  member_joined_channel: ['channels:read', 'groups:read'],
  channel_left: ['channels:read'],
  group_left: ['groups:read'],
  agent_session_stopped: ['assistant:write'],
};

const folder = join(import.meta.dirname, '../../../channels/slack');
const manifest = z
  .object({
    features: z.object({
      app_home: z.object({
        home_tab_enabled: z.boolean(),
        messages_tab_enabled: z.boolean(),
        messages_tab_read_only_enabled: z.boolean(),
      }),
      assistant_view: z.object({ assistant_description: z.string().min(1).max(150) }),
      shortcuts: z.array(
        z.object({
          name: z.string().max(24),
          type: z.literal('message'),
          callback_id: z.string(),
          description: z.string().max(150),
        }),
      ),
      bot_user: z.object({ always_online: z.boolean() }),
      slash_commands: z.array(z.object({ command: z.string(), usage_hint: z.string() })),
    }),
    oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
    settings: z.object({
      event_subscriptions: z.object({ bot_events: z.array(z.string()) }),
      interactivity: z.object({ is_enabled: z.boolean() }),
      socket_mode_enabled: z.boolean(),
      token_rotation_enabled: z.boolean(),
    }),
  })
  .parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));

const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('scopes.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'));
const methodName =
  /'((?:agents|assistant|auth|bots|chat|conversations|files|pins|reactions|team|users|views)\.[a-zA-Z.]+)'/g;
const methodsCalled = new Set(sources.flatMap((source) => [...source.matchAll(methodName)].map(([, name]) => name)));
const eventsTaken = [
  ...(sources.find((source) => source.includes('function createIntake(')) ?? '').matchAll(/case '(\w+)':/g),
].map(([, name]) => name);

describe('manifest.json', () => {
  test('asks for the scopes that the methods, the events and the slash command need, and for no others', () => {
    const needed = [...Object.values(methodScopes), ...Object.values(eventScopes)].flat();
    expect(new Set(manifest.oauth_config.scopes.bot)).toEqual(new Set([...needed, 'commands']));
  });

  test('subscribes to the events that are taken, and to no others', () => {
    const { bot_events: events } = manifest.settings.event_subscriptions;
    expect(new Set(events)).toEqual(new Set(Object.keys(eventScopes)));
    expect(new Set(events.map((name) => name.split('.')[0]))).toEqual(new Set(eventsTaken));
  });

  test('lets people write to the bot, press buttons and give commands', () => {
    const { features, settings: general } = manifest;
    expect(features.app_home).toEqual({
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
    expect(features.slash_commands.map(({ command }) => command)).toEqual([settings.parse({}).command]);
    expect(features.shortcuts.map(({ callback_id }) => callback_id)).toEqual(['ask_about_this']);
    expect(general.interactivity.is_enabled).toBe(true);
    expect(general.socket_mode_enabled).toBe(true);
    expect(general.token_rotation_enabled).toBe(false);
    expect(features.bot_user.always_online).toBe(true);
  });
});

describe('the scopes', () => {
  test('are known for every method that is called, and for no others', () => {
    expect(methodsCalled).toEqual(new Set(Object.keys(methodScopes)));
  });

  test('of the manifest leave nothing out', () => {
    const granted = new Set(manifest.oauth_config.scopes.bot);
    expect(missingScopes(granted)).toEqual([]);
    expect(missingToTalk(granted)).toEqual([]);
  });

  test.each(manifest.oauth_config.scopes.bot)('are missed by name: %s', (scope) => {
    const granted = new Set(manifest.oauth_config.scopes.bot.filter((other) => other !== scope));
    expect([...missingToTalk(granted), ...missingScopes(granted)]).toContain(scope);
  });

  test('that let the bot hear nobody are all named', () => {
    expect(missingToTalk(new Set(['chat:write']))).toContain('im:history');
    expect(missingToTalk(new Set(['chat:write', 'im:history']))).toEqual([]);
  });
});
