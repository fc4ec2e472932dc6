import { z } from 'zod';
import { isReadable } from './text.ts';

/** A text of at most so many UTF-16 units that still says something when what nobody can see was taken out. */
export function readableText(most: number) {
  return z.string().trim().max(most).refine(isReadable, 'must hold something that can be read');
}
