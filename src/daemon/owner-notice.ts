import { oneForEachChat } from '../conversation/own-chats.ts';
import { Background } from '../lib/background.ts';
import { newId } from '../lib/ids.ts';
import type { Ground } from './parts.ts';

/** Says something once to each owner, in the chat that he has with the bot alone. Where there is none, the log has it. */
export function ownerNotices(ground: Ground): (markdown: string) => void {
  const background = new Background(ground.log);
  return (markdown) => background.run('the owners could not be told something', () => tell(ground, markdown));
}

async function tell({ store, owners, adapters, clock, log, deliver }: Ground, markdown: string): Promise<void> {
  const chats = await store.lifetime.directChats(owners.all());
  const places = oneForEachChat(chats.filter(({ conversation }) => adapters.has(conversation.channel)));
  if (places.length === 0) log.warn({}, 'no owner could be told something: none has a chat of his own here');
  for (const place of places) {
    await store.outbox.say(place, { id: newId(20), kind: 'notice', markdown }, clock.now());
  }
  deliver(places);
}
