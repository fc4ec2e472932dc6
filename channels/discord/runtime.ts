import { ChannelError, type ChannelHost, type Conversation } from '../../src/contract.ts';
import { withTimeout } from '../kit/timeout.ts';
import type { ApiRoute, DiscordApi } from './api.ts';
import type { Directory } from './directory.ts';
import type { Interactions } from './interactions.ts';
import { channelShape, type DiscordSelf } from './payload.ts';
import type { Continuity } from './session.ts';
import type { DiscordSettings } from './settings.ts';

/** What outlives the adapter's stop and start. */
export interface Lasting {
  readonly settings: DiscordSettings;
  readonly api: DiscordApi;
  readonly continuity: Continuity;
  readonly interactions: Interactions;
  readonly directory: Directory;
}

/** What the parts of the channel share from one start to the next stop. */
export interface Runtime extends Lasting {
  readonly host: ChannelHost;
  /** The bot's own account. Known when the first event comes. */
  readonly self: () => DiscordSelf;
  /** The channel is stopped: what could not be stored by then is left. */
  readonly signal: AbortSignal;
}

/** What comes after it in its lane waits that long at most, in milliseconds. */
const patience = 2_000;

/** Asks Discord once for what an event does not say. Throws `ChannelError`, also where the answer takes longer than 2 s. */
export async function lookUp({ api, host: { clock }, signal }: Runtime, route: ApiRoute): Promise<unknown> {
  return withTimeout({ clock, milliseconds: patience, signal }, (late) => api.call('GET', route, { signal: late }));
}

/** Asks where the channel is. Throws `ChannelError`: a permanent one if nothing can be said there. */
export async function lookUpPlace(runtime: Runtime, channelId: string): Promise<Conversation> {
  const { data } = channelShape.safeParse(await lookUp(runtime, `/channels/${channelId}`));
  if (data?.id !== channelId)
    throw new ChannelError({ type: 'transient' }, 'Discord, a channel: it says nothing of it');
  runtime.directory.add(data);
  const conversation = runtime.directory.find(channelId);
  if (conversation !== undefined) return conversation;
  throw new ChannelError({ type: 'permanent' }, 'Discord says nothing of this place that could be understood');
}
