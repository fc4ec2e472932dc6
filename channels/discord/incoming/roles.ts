import { Remembered } from '../../../src/lib/remembered.ts';
import { type DiscordRole, guildGoneShape, guildShape, roleGoneShape, roleShape } from './payload.ts';

/** Of more guilds than that, the roles of some are not known. */
const mostGuilds = 500;

/** What roles there are in the guilds, as the gateway tells. */
export class Roles {
  readonly #guilds = new Remembered<string, Map<string, DiscordRole>>(mostGuilds);

  /** Takes any event, of any shape. */
  note(event: string, payload: unknown): void {
    switch (event) {
      case 'GUILD_CREATE': {
        const { data } = guildShape.safeParse(payload);
        if (data !== undefined) this.#guilds.set(data.id, new Map(data.roles.map((role) => [role.id, role])));
        return;
      }
      case 'GUILD_DELETE': {
        const { data } = guildGoneShape.safeParse(payload);
        if (data !== undefined && data.unavailable !== true) this.#guilds.delete(data.id);
        return;
      }
      case 'GUILD_ROLE_CREATE':
      case 'GUILD_ROLE_UPDATE': {
        const { data } = roleShape.safeParse(payload);
        if (data !== undefined) this.#guilds.get(data.guild_id)?.set(data.role.id, data.role);
        return;
      }
      case 'GUILD_ROLE_DELETE': {
        const { data } = roleGoneShape.safeParse(payload);
        if (data !== undefined) this.#guilds.get(data.guild_id)?.delete(data.role_id);
        return;
      }
    }
  }

  nameOf(guildId: string, roleId: string): string | undefined {
    return this.#guilds.get(guildId)?.get(roleId)?.name;
  }

  /** Whether the role came with this bot and belongs to nobody else: mentioning it means the bot. */
  isOf(botId: string, guildId: string, roleId: string): boolean {
    return this.#guilds.get(guildId)?.get(roleId)?.tags?.bot_id === botId;
  }
}
