import { channelContract } from './channel-contract.ts';
import { SlackPlatform } from './slack-platform.ts';

const open = (): Promise<SlackPlatform> => SlackPlatform.open();
const marking = (): Promise<SlackPlatform> => SlackPlatform.open({ reactions: true });
const streaming = (): Promise<SlackPlatform> => SlackPlatform.open({ inThread: true });

channelContract('Slack', {
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
});
