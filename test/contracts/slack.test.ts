import { describe } from 'vitest';
import { adapterMessages } from './adapter-messages.ts';
import { channelContract } from './channel-contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonContract } from './daemon-contract.ts';
import { daemonStreams } from './daemon-streams.ts';
import { openSlack as open } from './slack-platform.ts';

const marking = () => open({ reactions: true });
const inThread = () => open({ inThread: true });

const setting: ChannelSetting = {
  open,
  persistent: open,
  interrupting: open,
  repeating: open,
  confirming: open,
  editing: open,
  removing: open,
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
describe('Slack, in a thread', () => {
  adapterMessages({ open: inThread, editing: inThread });
  daemonStreams({ open, growing: inThread });
});
