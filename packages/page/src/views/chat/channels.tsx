import { isPlatform } from '../../lib/channels.ts';

/** The first letter of a channel, as a mark beside its name. */
export function ChannelMark({ channel }: { readonly channel: string }) {
  return (
    <span class={`chat-mark chat-mark-${isPlatform(channel) ? channel : 'other'}`} aria-hidden="true">
      {(channel === 'device' ? 'page' : channel).slice(0, 1).toUpperCase()}
    </span>
  );
}
