import { ChannelError, type ChannelHost, type Conversation, type Network } from '../../src/contract.ts';
import { withTimeout } from '../../src/lib/clock.ts';
import type { Parse } from '../../src/lib/markdown-parser.ts';
import { requestError } from '../kit/request-failure.ts';
import type { DiscordApi } from './api.ts';
import type { Directory } from './directory.ts';
import type { Continuity } from './gateway-socket.ts';
import type { Interactions } from './interactions.ts';
import { channelShape, type DiscordSelf } from './payload.ts';
import type { DiscordSettings } from './settings.ts';
import { discordWords } from './words.ts';

/** Outlives the adapter's stop and start. */
export interface Lasting {
  readonly settings: DiscordSettings;
  readonly api: DiscordApi;
  readonly network: Network;
  readonly continuity: Continuity;
  readonly interactions: Interactions;
  readonly directory: Directory;
  readonly parse: Parse;
  /** When it was first started, in ms since 1970. */
  readonly since: number;
}

/** Shared by the parts of the channel from one start to the next stop. */
export interface Runtime extends Lasting {
  readonly host: ChannelHost;
  /** The bot's own account, known before the first event. */
  readonly self: () => DiscordSelf;
  /** Aborts at the stop: unstored events are dropped. */
  readonly signal: AbortSignal;
}

/** Later events in the lane wait this long at most, in ms. */
const patience = 2_000;

/**
 * Fetches a channel's conversation, with one try. Throws `ChannelError`, also after `patience`: permanent if nobody can
 * talk there.
 */
export async function lookUpConversation(runtime: Runtime, channelId: string): Promise<Conversation> {
  const { api, directory, host, signal } = runtime;
  const limits = { clock: host.clock, milliseconds: patience, signal };
  const ask = (late: AbortSignal) => api.call('GET', `/channels/${channelId}`, { signal: late });
  const { data } = channelShape.safeParse(await withTimeout(limits, ask));
  if (data?.id !== channelId)
    throw requestError(
      { platform: 'Discord', tried: (language) => discordWords[language].aChannel },
      { fault: { type: 'transient' }, words: (language) => discordWords[language].saysNothing },
      true,
    );
  directory.add(data);
  const conversation = directory.find(channelId);
  if (conversation !== undefined) return conversation;
  throw new ChannelError({ type: 'permanent' }, (language) => discordWords[language].conversationNotUnderstood);
}
