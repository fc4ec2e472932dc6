import { channelContract } from './channel-contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonContract } from './daemon-contract.ts';
import { SlackPlatform } from './slack-platform.ts';

const open = (): Promise<SlackPlatform> => SlackPlatform.open();
const marking = (): Promise<SlackPlatform> => SlackPlatform.open({ reactions: true });
const streaming = (): Promise<SlackPlatform> => SlackPlatform.open({ inThread: true });

const setting: ChannelSetting = {
  open,
  persistent: open,
  interrupting: open,
  repeating: open,
  confirming: open,
  editing: open,
  removing: open,
  streaming,
  growing: open,
  crowded: open,
  threaded: open,
  networked: open,
  beating: open,
  attaching: open,
  filing: open,
  marking,
  correcting: open,
  sharing: open,
};

channelContract('Slack', setting);
daemonContract('Slack', setting);
