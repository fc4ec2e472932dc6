import { onTestFinished } from 'vitest';
import { DiscordApi } from '../../../channels/discord/api.ts';
import { createInteractions } from '../../../channels/discord/interactions.ts';
import { Outgoing } from '../../../channels/discord/outgoing.ts';
import { discordMarks, reacting } from '../../../channels/discord/reactions.ts';
import { type DiscordOptions, DiscordServer } from '../../../packages/fakes/src/discord-server.ts';
import type { Conversation, OutboundMessage } from '../../../src/contract.ts';
import { lazyParser } from '../../../src/lib/markdown-parser.ts';
import { RecordingHost } from '../../support/recording-host.ts';
import { SkippingClock } from '../../support/skipping-clock.ts';

export type OutgoingSetting = Awaited<ReturnType<typeof outgoingSetting>>['setting'];

/** A Discord with a guild, a channel and a direct chat, and what we say things with. It ends with the test. */
export async function outgoingSetting(options: DiscordOptions = {}) {
  const clock = new SkippingClock();
  const server = await DiscordServer.start({ now: () => clock.now(), times: { rateScale: 0 }, ...options });
  const api = new DiscordApi({ token: server.token, api_url: server.apiUrl, request_timeout_secs: 2 }, clock);
  const host = new RecordingHost(clock);
  const interactions = createInteractions(clock);
  const outgoing = new Outgoing({ api, interactions, parse: lazyParser(), clock });
  const { id: guildId } = server.scenery.addGuild();
  const channelId = server.scenery.addChannel(guildId);
  onTestFinished(() => server.close());
  const direct: Conversation = { channel: 'discord', chatId: server.direct('1001'), kind: 'direct' };
  const setting = {
    server,
    api,
    outgoing,
    interactions,
    marks: discordMarks(api, host),
    react: reacting(api, host),
    clock,
    host,
    guildId,
    channelId,
    channel: conversationIn(guildId, channelId),
    direct,
  };
  return { ...setting, setting };
}

export function conversationIn(tenant: string, chatId: string, threadId?: string): Conversation {
  return { channel: 'discord', tenant, chatId, kind: 'group', ...(threadId !== undefined && { threadId }) };
}

export function message(markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return { id: `m${markdown.length}`, kind: 'reply', markdown, ...more };
}
