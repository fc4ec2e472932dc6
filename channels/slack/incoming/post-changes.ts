import { changeShape, removalShape } from './payload.ts';
import { type Arrival, type ReadPost, readPost } from './read-post.ts';

/** What has become of a post. */
export interface PostChange {
  /** As it is now, or as it was before it was taken back. */
  readonly read: ReadPost;
  /** When its author has changed it; left out where it was taken back. */
  readonly editedTs?: string;
}

/** Reads that a post was changed or taken back by people; or says why that is none of our business. */
export function readChange(event: Readonly<Record<string, unknown>>, arrival: Arrival): PostChange | string {
  if (event.subtype === 'message_deleted') return readRemoval(event, arrival);
  const { data } = changeShape.safeParse(event);
  if (data === undefined) return 'it can not be read';
  const { message, previous_message: before } = data;
  // The root of a thread is not taken away: Slack puts a sign in its place.
  if (message.subtype === 'tombstone') return readRemoval(event, arrival);

  const read = readPost(message, arrival);
  if (typeof read === 'string') return read;
  const editedTs = message.edited?.ts;
  if (editedTs === undefined || before?.edited?.ts === editedTs) return 'what was said is as it was';
  return { read, editedTs };
}

function readRemoval(event: unknown, arrival: Arrival): PostChange | string {
  const { data } = removalShape.safeParse(event);
  if (data === undefined) return 'it can not be read';
  const read = readPost(data.previous_message, arrival);
  return typeof read === 'string' ? read : { read };
}
