import { ChannelError, type ChannelHost, type Conversation } from '../../src/contract.ts';
import { withTimeout } from '../../src/lib/clock.ts';
import type { ApiRoute, DiscordApi } from './api.ts';
import type { Directory } from './directory.ts';
import type { Continuity } from './gateway-socket.ts';
import type { Interactions } from './interactions.ts';
import { channelShape, type DiscordSelf } from './payload.ts';
import type { DiscordSettings } from './settings.ts';

/** Outlives the adapter's stop and start. */
export interface Lasting {
  readonly settings: DiscordSettings;
  readonly api: DiscordApi;
  readonly continuity: Continuity;
  readonly interactions: Interactions;
  readonly directory: Directory;
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

/** Fetches what an event lacks, with one try. Throws `ChannelError`, also after `patience`. */
export async function lookUp({ api, host: { clock }, signal }: Runtime, route: ApiRoute): Promise<unknown> {
  return withTimeout({ clock, milliseconds: patience, signal }, (late) => api.call('GET', route, { signal: late }));
}

/** Fetches a channel's conversation. Throws `ChannelError`: permanent if nobody can talk there. */
export async function lookUpPlace(runtime: Runtime, channelId: string): Promise<Conversation> {
  const { data } = channelShape.safeParse(await lookUp(runtime, `/channels/${channelId}`));
  if (data?.id !== channelId)
    throw new ChannelError({ type: 'transient' }, 'Discord, a channel: it says nothing of it');
  runtime.directory.add(data);
  const conversation = runtime.directory.find(channelId);
  if (conversation !== undefined) return conversation;
  throw new ChannelError({ type: 'permanent' }, 'Discord says nothing of this place that could be understood');
}
