import type { User, UserFromGetMe } from 'grammy/types';

/** The bot's number, with which its token begins. */
export const botId = 7_000_000_001;

/** What messages tell of the bot is less than what it is told of itself. */
export function asSender({ id, is_bot, first_name, username }: UserFromGetMe): User {
  return { id, is_bot, first_name, username };
}

/** What the bot is told of itself. */
export function makeBot(username: string): UserFromGetMe {
  return {
    id: botId,
    is_bot: true,
    first_name: 'Keyturn',
    username,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}
