import { applicationId, botId } from './bot-user.ts';
import { usualPermissions } from './permissions.ts';
import { type Channel, channelTypes, type Guild, type Member, type Places, type Role } from './places.ts';
import type { Wire } from './wire.ts';

/** A channel, thread or direct chat as an answer or an event carries it. */
export function wireChannel(channel: Channel): Wire {
  const { id, type, name, guildId, parentId, recipient, thread, denied } = channel;
  if (type === channelTypes.dm) return { id, type, flags: 0, last_message_id: null, recipients: [recipient] };
  const shared = { id, type, name, flags: 0, guild_id: guildId, last_message_id: null, rate_limit_per_user: 0 };
  if (thread !== undefined) return { ...shared, parent_id: parentId, ...wireThread(thread) };
  const overwrites = denied === 0n ? [] : [{ id: botId, type: 1, allow: '0', deny: String(denied) }];
  const guildChannel = { ...shared, position: 0, parent_id: null, nsfw: false, topic: null };
  const forum = { available_tags: [], default_reaction_emoji: null, default_sort_order: null, default_forum_layout: 0 };
  return {
    ...guildChannel,
    permission_overwrites: overwrites,
    ...(type === channelTypes.forum && forum),
  };
}

function wireThread(thread: NonNullable<Channel['thread']>): Wire {
  return {
    owner_id: thread.ownerId,
    message_count: 0,
    member_count: 1,
    total_message_sent: 0,
    thread_metadata: {
      archived: thread.archived,
      locked: thread.locked,
      auto_archive_duration: thread.autoArchiveMinutes,
      archive_timestamp: new Date(thread.changedAt).toISOString(),
      create_timestamp: new Date(thread.changedAt).toISOString(),
    },
  };
}

/** A guild as `GET /guilds/:guild` gives it. */
export function wireGuild(guild: Guild): Wire {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map((role, position) => wireRole(role, position)),
    emojis: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    preferred_locale: 'en-US',
    public_updates_channel_id: null,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    hub_type: null,
    safety_alerts_channel_id: null,
    incidents_data: null,
  };
}

/** A guild as the gateway tells of it: with the channels that the bot may see. */
export function wireGuildCreate(guild: Guild, places: Places): Wire {
  const channels = places.channels.filter((channel) => channel.guildId === guild.id && places.isVisible(channel));
  const told = channels.filter(({ isAnnounced }) => isAnnounced);
  return {
    ...wireGuild(guild),
    joined_at: new Date(guild.joinedAt).toISOString(),
    large: false,
    unavailable: false,
    member_count: guild.members.size,
    voice_states: [],
    members: [wireMember(places.botMember(guild), guild)],
    channels: told.filter(({ thread }) => thread === undefined).map(wireChannel),
    threads: told.filter(({ thread }) => thread?.archived === false).map(wireChannel),
    presences: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

export function wireMember({ user, roles }: Member, guild: Guild): Wire {
  return { user, ...wireMemberWithoutUser({ user, roles }, guild) };
}

/** As a message carries it, whose author stands beside it. */
export function wireMemberWithoutUser({ roles }: Member, guild: Guild) {
  return {
    nick: null,
    avatar: null,
    banner: null,
    roles: [...roles],
    joined_at: new Date(guild.joinedAt).toISOString(),
    premium_since: null,
    deaf: false,
    mute: false,
    pending: false,
    flags: 0,
    communication_disabled_until: null,
  };
}

function wireRole({ id, name, isOfBot }: Role, position: number): Wire {
  return {
    id,
    name,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    position,
    permissions: String(usualPermissions()),
    managed: isOfBot === true,
    mentionable: isOfBot !== true,
    flags: 0,
    ...(isOfBot === true && { tags: { bot_id: botId, integration_id: applicationId } }),
  };
}
