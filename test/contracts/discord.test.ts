import { channelContract } from './channel-contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonContract } from './daemon-contract.ts';
import { openDiscord as open } from './discord-platform.ts';

const marking = () => open({ reactions: true });

const setting: ChannelSetting = {
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
  sharing: open,
};

channelContract('Discord', setting);
daemonContract('Discord', setting);
