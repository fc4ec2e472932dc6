import { say } from './language.ts';
import { placeWords } from './words.ts';

/** As their platforms write them. */
const platforms: ReadonlyMap<string, string> = new Map([
  ['telegram', 'Telegram'],
  ['slack', 'Slack'],
  ['discord', 'Discord'],
]);

/** What people call a channel, within a sentence: "Telegram", "this page". Read it while you draw. */
export function channelName(channel: string): string {
  const { here } = say(placeWords);
  return channel === 'device' || channel === 'terminal' ? here[channel] : (platforms.get(channel) ?? channel);
}

/** The same where it stands alone, for all that is said there: "The page and devices". */
export function channelTitle(channel: string): string {
  const { titles } = say(placeWords);
  return channel === 'device' || channel === 'terminal' ? titles[channel] : channelName(channel);
}

/** Whether it is a platform that has colours of its own. */
export function isPlatform(channel: string): boolean {
  return platforms.has(channel);
}

interface Place {
  readonly channel: string;
  readonly kind: 'direct' | 'group';
  /** As people know it. */
  readonly title?: string | undefined;
}

/** Where something was said: "Trip to Nara (this page)". Read it while you draw. */
export function placeName({ channel, kind, title }: Place): string {
  const words = say(placeWords);
  return words.inPlace({ title: title ?? words[kind], channel: channelName(channel) });
}
