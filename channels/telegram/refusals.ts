import { GrammyError } from 'grammy';
import type { Entity } from './rich.ts';

/** Formatting that Telegram refuses must not cost the message: it goes without. */
export async function orPlain<Result>(
  request: (entities: readonly Entity[]) => Promise<Result>,
  entities: readonly Entity[],
): Promise<Result> {
  try {
    return await request(entities);
  } catch (error) {
    if (entities.length > 0 && isRefusal(error, /entit/i)) return await request([]);
    throw error;
  }
}

/** Sends a picture. What Telegram does not take for one, because of its measures or its content, goes as a plain file. */
export async function orDocument<Result>(send: (as: 'photo' | 'document') => Promise<Result>): Promise<Result> {
  try {
    return await send('photo');
  } catch (error) {
    if (isRefusal(error, /photo|image|file/i)) return await send('document');
    throw error;
  }
}

/** An edit that changes nothing has succeeded. */
export function acceptUnchanged(error: unknown): void {
  if (!isRefusal(error, /message is not modified/)) throw error;
}

/** What is gone already need not be taken away. */
export function acceptGone(error: unknown): void {
  if (!isRefusal(error, /message to delete not found|MESSAGE_ID_INVALID/)) throw error;
}

function isRefusal(error: unknown, description: RegExp): boolean {
  return error instanceof GrammyError && error.error_code === 400 && description.test(error.description);
}
