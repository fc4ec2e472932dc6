import { oneForEachChat } from '../conversation/own-chats.ts';
import { laneOf } from '../engine/outbox.ts';
import { Background } from '../lib/background.ts';
import { newId } from '../lib/ids.ts';
import type { Services } from './parts.ts';

/**
 * Says something once to each owner, in the chat that they have with the bot alone; with `notOnRefused`, not on channels
 * that their platform refuses now; and not in the chat `besides`, which has it already. Where there is no such chat, the log
 * says so.
 */
export function ownerNotices(services: Services): (markdown: string, notOnRefused?: boolean, besides?: string) => void {
  const background = new Background(services.log);
  return (markdown, notOnRefused = false, besides) =>
    background.run('the owners could not be told something', () => tell(services, markdown, { notOnRefused, besides }));
}

interface Besides {
  readonly notOnRefused: boolean;
  /** A lane. */
  readonly besides: string | undefined;
}

async function tell(services: Services, markdown: string, { notOnRefused, besides }: Besides): Promise<void> {
  const { store, owners, adapters, health, clock, log, deliver } = services;
  const chats = await store.lifetime.directChats(owners.all());
  const isOpen = (name: string): boolean => !notOnRefused || health.of(name)?.health.status !== 'dead';
  const places = oneForEachChat(
    chats.filter(({ conversation: { channel } }) => adapters.has(channel) && isOpen(channel)),
  );
  if (places.length === 0) log.warn({}, 'no owner could be told something: none has a chat of their own here');
  for (const place of places.filter((one) => laneOf(one) !== besides)) {
    await store.outbox.say(place, { id: newId(20), kind: 'notice', markdown }, clock.now());
  }
  deliver(places);
}
