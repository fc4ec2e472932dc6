import { say } from '../../lib/language.ts';
import { chatWords } from './words.ts';

/** The names of channels as their platforms write them. */
const names: Readonly<Record<string, string>> = {
  telegram: 'Telegram',
  slack: 'Slack',
  discord: 'Discord',
  terminal: 'Terminal',
};

export function channelName(channel: string): string {
  if (channel === 'device') return say(chatWords).thisPage;
  return Object.hasOwn(names, channel) ? (names[channel] ?? channel) : channel;
}

/** Its first letter, as a mark beside its name. */
export function ChannelMark({ channel }: { readonly channel: string }) {
  return (
    <span class={`chat-mark chat-mark-${Object.hasOwn(names, channel) ? channel : 'other'}`} aria-hidden="true">
      {channelName(channel).slice(0, 1).toUpperCase()}
    </span>
  );
}
