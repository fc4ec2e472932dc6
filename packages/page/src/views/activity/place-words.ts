import type { NamedPlace } from '../../../../../src/features/page/wire/activity.ts';
import { say } from '../../lib/language.ts';
import { activityWords } from './words.ts';

/** Where something was said: "telegram · Team". */
export function placeWords({ channel, kind, title }: NamedPlace): string {
  const where = kind === 'direct' ? say(activityWords).direct : title;
  return where === undefined ? channel : `${channel} · ${where}`;
}
