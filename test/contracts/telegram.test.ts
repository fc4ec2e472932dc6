import { channelContract } from './channel-contract.ts';
import { TelegramPlatform } from './telegram-platform.ts';

const open = (): Promise<TelegramPlatform> => TelegramPlatform.open();

channelContract('Telegram', {
  open,
  persistent: open,
  interrupting: open,
  repeating: open,
  confirming: open,
  editing: open,
  crowded: open,
  threaded: open,
  networked: open,
});
