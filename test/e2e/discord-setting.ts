import { DiscordServer } from '../../packages/fakes/src/discord-server.ts';
import { variable } from './daemon-config.ts';
import { platformSetting, type SettingOptions, saidIn } from './platform-setting.ts';

export interface DiscordSettingOptions extends SettingOptions<DiscordServer> {
  /** Stands in the channel's block beside the token and the address, or in their place. */
  readonly channel?: Readonly<Record<string, unknown>>;
}

/** Discord's limits are over twenty times as soon, and one session may follow the other at once. */
const times = { rateScale: 0.05, identify: 0 } as const;

export type DiscordSetting = Awaited<ReturnType<typeof start>>;
export const DiscordSetting = { start } as const;

/** Resolves when the daemon receives, unless it was prepared otherwise. */
async function start({ channel = {}, ...options }: DiscordSettingOptions = {}) {
  const discord = await DiscordServer.start({ times });
  const scene = makeScene(discord);
  const sessions = (): number => discord.gateway.identifies.filter(({ outcome }) => outcome === 'ready').length;
  const setting = await platformSetting(
    {
      name: 'discord',
      server: discord,
      block: {
        api_url: discord.apiUrl,
        token: variable('TEST_DISCORD_TOKEN'),
        groups: { [scene.guildId]: { allow_from: ['*'] } },
        ...channel,
      },
      env: { TEST_DISCORD_TOKEN: discord.token },
      received: sessions,
      isReady: () => discord.gateway.isReady,
      owner: (index) => ({ principal: ownerId(index), make: () => ownerId(index) }),
    },
    options,
  );

  return {
    ...setting,
    discord,
    scene,
    /** How many sessions were begun so far. */
    sessions,
    /** What mentions the bot. */
    mention: `<@${discord.bot.id}>`,
    said: (channelId: string) => saidIn(discord.chat(channelId)),
  };
}

/** The user id of an owner, from 0 on. */
function ownerId(index: number): string {
  return `10010000000000001${String(index).padStart(2, '0')}`;
}

function makeScene({ scenery, people }: DiscordServer) {
  const { id: guildId } = scenery.addGuild({ name: 'Team', owner: '1001000000000000900' });
  const channelId = scenery.addChannel(guildId, { name: 'team' });
  return { guildId, channelId, threadId: people.startThread(channelId, 'plans') };
}
