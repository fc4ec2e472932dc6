import type { Author, Room, Rooms } from './rooms.ts';
import type { Installation } from './workspace-options.ts';

/** The app itself as the author of a message. */
export function selfOf({ botUserId: userId, botId }: Installation): Author {
  return { kind: 'self', userId, botId };
}

/** Where somebody and the app are alone. Made if it is not there yet. */
export function directRoom(rooms: Rooms, userId: string): Room {
  return rooms.open(directId(userId), { kind: 'im', name: 'directmessage', members: [userId] });
}

function directId(userId: string): string {
  return `D${userId.slice(1)}`;
}
