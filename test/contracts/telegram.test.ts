import { channelContract } from './channel-contract.ts';
import type { ChannelSetting } from './channel-setting.ts';
import { daemonContract } from './daemon-contract.ts';
import { openTelegram as open } from './telegram-platform.ts';

const marking = () => open({ reactions: true });
const drafting = () => open({ drafts: true });
const growing = () => open({ drafts: false });
const beating = () => open({ poll_timeout_secs: 1, poll_grace_secs: 1 });

const setting: ChannelSetting = {
  open,
  persistent: open,
  interrupting: open,
  repeating: open,
  confirming: open,
  patient: open,
  editing: open,
  removing: open,
  streaming: drafting,
  growing,
  crowded: open,
  threaded: open,
  networked: open,
  beating,
  attaching: open,
  filing: open,
  answering: open,
  marking,
  correcting: growing,
  sharing: open,
  moving: open,
};

channelContract('Telegram', setting);
daemonContract('Telegram', setting);
