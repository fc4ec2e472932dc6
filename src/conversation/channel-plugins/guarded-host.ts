import type { ChannelHost, Conversation, InboundEvent } from '../../contract.ts';
import { oneLine } from '../../lib/plain-text.ts';

/** What Keyturn is to a channel of somebody's: it takes what is of this channel, and whole. */
export function guardedHost(name: string, host: ChannelHost): ChannelHost {
  return {
    ...host,
    async receive(event) {
      refuseForeign(name, event.conversation);
      refuseNameless(event);
      return host.receive(event);
    },
    async moved(from, chatId) {
      refuseForeign(name, from);
      return host.moved(from, chatId);
    },
  };
}

function refuseForeign(name: string, conversation: Conversation): void {
  if (conversation?.channel === name) return;
  const given = oneLine(String(conversation?.channel), 100);
  throw new TypeError(`A conversation of the channel ${name} has to have the channel "${name}", and not "${given}".`);
}

function refuseNameless({ key, sender, conversation }: InboundEvent): void {
  const ids: readonly unknown[] = [key, sender?.id, conversation.chatId];
  if (ids.every((id) => typeof id === 'string' && id !== '') && typeof sender.isPerson === 'boolean') return;
  throw new TypeError('An event has a key, a chatId, and a sender with an id and isPerson.');
}
