import { channelContract } from './channel-contract.ts';
import { DiscordPlatform } from './discord-platform.ts';

const open = (): Promise<DiscordPlatform> => DiscordPlatform.open();
const marking = (): Promise<DiscordPlatform> => DiscordPlatform.open({ reactions: true });

channelContract('Discord', {
  open,
  persistent: open,
  interrupting: open,
  repeating: open,
  editing: open,
  removing: open,
  growing: open,
  crowded: open,
  threaded: open,
  networked: open,
  beating: open,
  attaching: open,
  filing: open,
  answering: open,
  marking,
  correcting: open,
});
