import { channelContract } from 'keyturn/channel-contract';
import { LinePlatform } from './line-platform.ts';

const open = (): Promise<LinePlatform> => LinePlatform.open();

channelContract('line', {
  open,
  persistent: open,
  interrupting: open,
  patient: open,
  repeating: open,
  confirming: open,
  editing: open,
  removing: open,
});
