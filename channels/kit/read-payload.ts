import { z } from 'zod';

/** Undefined if invalid, so that an optional field does not invalidate the rest. */
export function lenient<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined);
}

/** The valid entries; empty if it is not a list. */
export function list<Schema extends z.ZodType>(schema: Schema) {
  return z
    .array(lenient(schema))
    .default([])
    .catch([])
    .transform((entries) => entries.filter((entry) => entry !== undefined));
}

/** What the answer says. Throws if it has not the documented shape. */
export function expectShape<Schema extends z.ZodType>(
  schema: Schema,
  answer: unknown,
  failure: () => Error,
): z.output<Schema> {
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw failure();
}

export const optionalText = lenient(z.string());

/** The kind of a file, by its media type. */
export function mediaKind(mediaType = ''): 'image' | 'audio' | 'video' | 'file' {
  const [family] = mediaType.split('/');
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file';
}

/** A file, sticker or the like as text, with its name if it has one. */
export function named(kind: string, name = ''): string {
  return name === '' ? `[${kind}]` : `[${kind}: ${name}]`;
}
