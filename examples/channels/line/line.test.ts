import { type ChannelSetting, channelContract } from '@keyturn/sdk/channel-contract';
import { LinePlatform } from './line-platform.ts';

const open = (): Promise<LinePlatform> => LinePlatform.open();

/** All that its platform can do. */
export const setting: ChannelSetting = {
  open,
  persistent: open,
  interrupting: open,
  patient: open,
  repeating: open,
  confirming: open,
  editing: open,
  removing: open,
};

channelContract('line', setting);
